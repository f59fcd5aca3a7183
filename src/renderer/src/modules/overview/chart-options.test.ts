import { expect, test } from 'vitest';
import { palettes } from '../../ui/palette.ts';
import { type Summary, outcomeChart, spendChart } from './chart-options.ts';

const WEI = 10n ** 18n;
const summary = {
  from: 0,
  stepMs: 60_000,
  outcomes: [
    { sponsored: 5, denied: 1, error: 0 },
    { sponsored: 1, denied: 0, error: 0 },
  ],
  spent: [{ chainId: 1, wei: [String(5n * WEI), String(WEI)] }],
  rules: [],
} as unknown as Summary;

interface Drawn {
  readonly series: readonly { readonly data: readonly unknown[] }[];
  readonly textStyle: { readonly fontFamily: string };
}

test('the last part of the time, which is not over, is drawn as unfinished and not as a decline', () => {
  const bars = outcomeChart(summary, palettes.light) as unknown as Drawn;
  expect(bars.series[0]?.data).toEqual([5, { value: 1, itemStyle: { opacity: 0.4 } }]);
  const spent = spendChart(summary, { chainId: 1 }, 'ETH', palettes.light) as unknown as Drawn;
  expect(spent.series[0]?.data).toEqual([5, { value: 1, itemStyle: { opacity: 0.4 } }]);
});

test('a chart has the font of the page', () => {
  expect((outcomeChart(summary, palettes.dark) as unknown as Drawn).textStyle.fontFamily).toContain('Inter');
});
