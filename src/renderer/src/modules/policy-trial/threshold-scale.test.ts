import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalToWei, weiToDecimal } from '../../../../shared/schema/decimal.ts';
import { positionOf, thresholdScale } from './threshold-scale.ts';

describe('the positions of a slider', () => {
  test('are single operations where few are used, and end above what is used', () => {
    expect(thresholdScale('COUNT', { least: '1', most: '4' })).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });

  test('are at equal ratios where many are used, as numbers that one would choose', () => {
    const scale = thresholdScale('COUNT', { least: '1', most: '36000' });
    expect(scale.slice(0, 4)).toEqual(['1', '2', '3', '4']);
    expect(scale.slice(-3)).toEqual(['59000', '65000', '72000']);
    expect(scale.length).toBeLessThan(121);
  });

  test('ascend, from what the smallest operation takes, for any amounts', () => {
    const amounts = fc.tuple(fc.bigInt(1n, 10n ** 24n), fc.bigInt(1n, 10n ** 6n));
    fc.assert(
      fc.property(amounts, ([least, times]) => {
        const most = least * times;
        const scale = thresholdScale('NATIVE_ASSET', { least: weiToDecimal(least), most: weiToDecimal(most) });
        const wei = scale.map(decimalToWei);
        expect(wei).toEqual(wei.toSorted((one, other) => (one < other ? -1 : 1)));
        expect(wei[0]).toBeLessThanOrEqual(least);
        expect(wei.at(-1)).toBeGreaterThan(most);
      }),
    );
  });
});

test('a threshold is at the position that allows as much, and at the end if none does', () => {
  const scale = thresholdScale('NATIVE_ASSET', { least: '0.001', most: '0.1' });
  const index = positionOf('NATIVE_ASSET', scale, '0.0105');
  expect(Number(scale[index])).toBeGreaterThanOrEqual(0.0105);
  expect(Number(scale[index - 1])).toBeLessThan(0.0105);
  expect(positionOf('NATIVE_ASSET', scale, '1000000')).toBe(scale.length - 1);
});
