import type { EChartsCoreOption } from 'echarts/core';
import { weiToDecimal } from '../../../../shared/schema/decimal.ts';
import type { ProcedureOutput } from '../../../../api/index.ts';
import { shownAmount } from '../../../../shared/words/amount.ts';
import type { Palette } from '../../ui/palette.ts';

export type Summary = ProcedureOutput<'decisions.summary'>;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit' });
const DAY_MS = 86_400_000;
const FONT = "'Inter Variable', system-ui, sans-serif";
/** The last part of the time is not over, so that its bar is no decline. */
const UNFINISHED = { opacity: 0.4 };
const bars = (values: readonly number[]) =>
  values.map((value, index) => (index === values.length - 1 ? { value, itemStyle: UNFINISHED } : value));

const frame = ({ from, stepMs, outcomes }: Summary, { quiet, line, surface, text }: Palette) => {
  const format = stepMs * outcomes.length > DAY_MS ? day : clock;
  return {
    animation: false,
    // A canvas does not inherit the page's font.
    textStyle: { fontFamily: FONT },
    grid: { left: 4, right: 8, top: 12, bottom: 4, outerBoundsMode: 'same' },
    tooltip: {
      trigger: 'axis',
      // Rendered as text, because labels may come from outside.
      renderMode: 'richText',
      backgroundColor: surface,
      borderColor: line,
      textStyle: { color: text, fontSize: 12 },
    },
    xAxis: {
      type: 'category',
      data: outcomes.map((_, index) => format.format(from + index * stepMs)),
      axisLine: { lineStyle: { color: line } },
      axisTick: { show: false },
      axisLabel: { color: quiet, fontSize: 11 },
    },
    yAxis: {
      type: 'value',
      splitNumber: 3,
      axisLabel: { color: quiet, fontSize: 11 },
      splitLine: { lineStyle: { color: line } },
    },
  };
};

export const outcomeChart = (summary: Summary, palette: Palette): EChartsCoreOption => {
  const series = (name: string, key: keyof Summary['outcomes'][number], color: string) => ({
    name,
    type: 'bar',
    stack: 'outcomes',
    barCategoryGap: '20%',
    itemStyle: { color },
    data: bars(summary.outcomes.map((counts) => counts[key])),
  });
  const { yAxis, ...rest } = frame(summary, palette);
  return {
    ...rest,
    // The axis counts decisions, so it has no fractions.
    yAxis: { ...yAxis, minInterval: 1 },
    series: [
      series('Sponsored', 'sponsored', palette.sponsored),
      series('Denied', 'denied', palette.denied),
      series('Failed', 'error', palette.error),
    ],
  };
};

/** Cost over time on one chain. The chart uses floating-point numbers; the figures next to it are exact. */
export const spendChart = (
  summary: Summary,
  { chainId }: { chainId: number },
  coin: string,
  palette: Palette,
): EChartsCoreOption => {
  const wei = summary.spent.find((series) => series.chainId === chainId)?.wei ?? [];
  return {
    ...frame(summary, palette),
    series: [
      {
        name: coin,
        type: 'bar',
        barCategoryGap: '20%',
        itemStyle: { color: palette.accent },
        data: bars(wei.map((amount) => Number(weiToDecimal(BigInt(amount))))),
        tooltip: {
          valueFormatter: (_value: unknown, index: number) => `${shownAmount(BigInt(wei[index] ?? '0'))} ${coin}`,
        },
      },
    ],
  };
};
