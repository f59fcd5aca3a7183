import fc from 'fast-check';
import { expect, test } from 'vitest';
import { max } from '../../shared/bigints.ts';
import { costParts } from '../../shared/schema/cost.ts';
import { entryPoint06 } from '../entry-points/0.6.ts';
import { entryPoint07 } from '../entry-points/0.7.ts';
import { entryPoint09 } from '../entry-points/0.9.ts';
import { type Bundle, type CostParts, type SignedGas, splitCost } from './split-cost.ts';

const sum = (parts: CostParts): bigint => costParts.reduce((total, part) => total + parts[part], 0n);

/** An operation for which the EntryPoint charges as its contract does, alone in a bundle that costs what is offered. */
const mined = (
  { unusedGasPenalty, version }: typeof entryPoint07,
  { call, limits }: { call: bigint; limits: SignedGas['limits'] },
) => {
  const [preVerificationGas, validationGas, price] = [50_000n, 60_000n, 3n];
  const gasUsed = preVerificationGas + validationGas + call + unusedGasPenalty.of(limits, call);
  const signed = { preVerificationGas, limits, validationGas, unusedGasPenalty };
  const bundle: Bundle = { gasUsed: 40_000n + validationGas + call, chargedGas: gasUsed, baseFeeWei: 1n, l1FeeWei: 0n };
  return { version, charged: { success: true, gasUsed, gasCostWei: gasUsed * price }, signed, bundle, price };
};

test('an operation is charged for work at the base fee, its tip, unused limits and preVerificationGas', () => {
  const limits = { callGasLimit: 300_005n, postOpGasLimit: 0n };
  const { charged, signed, bundle } = mined(entryPoint07, { call: 100_000n, limits });
  const parts = splitCost(charged.gasCostWei + 7n, charged, signed, bundle);
  expect(parts).toEqual({
    workWei: 200_000n,
    tipWei: 400_000n,
    revertedWei: 0n,
    penaltyWei: 60_000n,
    preVerificationWei: 30_000n,
    contractWei: 7n,
  });
});

test('work and tip of a call that reverts achieved nothing', () => {
  const limits = { callGasLimit: 300_005n, postOpGasLimit: 0n };
  const { charged, signed, bundle } = mined(entryPoint07, { call: 100_000n, limits });
  const { workWei, tipWei, revertedWei } = splitCost(
    charged.gasCostWei,
    { ...charged, success: false },
    signed,
    bundle,
  );
  expect([workWei, tipWei, revertedWei]).toEqual([0n, 0n, 600_000n]);
});

test('layer 1 data that a chain charges for is no margin of the bundler', () => {
  const limits = { callGasLimit: 100_000n, postOpGasLimit: 0n };
  const { charged, signed, bundle } = mined(entryPoint06, { call: 100_000n, limits });
  const of = (l1FeeWei: bigint) =>
    splitCost(charged.gasCostWei, charged, signed, { ...bundle, l1FeeWei }).preVerificationWei;
  expect([of(0n), of(15_000n), of(90_000n)]).toEqual([30_000n, 15_000n, 0n]);
});

test('operations of one bundle share what it cost by what they were charged', () => {
  const limits = { callGasLimit: 100_000n, postOpGasLimit: 0n };
  const { charged, signed, bundle } = mined(entryPoint06, { call: 100_000n, limits });
  const shared = { ...bundle, gasUsed: 2n * bundle.gasUsed, chargedGas: 2n * bundle.chargedGas };
  expect(splitCost(charged.gasCostWei, charged, signed, shared)).toEqual(
    splitCost(charged.gasCostWei, charged, signed, bundle),
  );
});

const amount = fc.bigInt(0n, 10n ** 30n);

test('the parts of any operation add up to its cost, and only the part of the contract may be negative', () => {
  const charged = fc.record({ success: fc.boolean(), gasUsed: fc.bigInt(0n, 30_000_000n), gasCostWei: amount });
  const limits = fc.record({ callGasLimit: fc.bigInt(0n, 10n ** 8n), postOpGasLimit: fc.bigInt(0n, 10n ** 7n) });
  const bundle = fc.record({ gasUsed: amount, chargedGas: amount, baseFeeWei: amount, l1FeeWei: amount });
  fc.assert(
    fc.property(
      fc.constantFrom(entryPoint06, entryPoint07, entryPoint09),
      amount,
      charged,
      fc.tuple(fc.bigInt(0n, 10n ** 7n), fc.bigInt(0n, 10n ** 7n), limits),
      bundle,
      ({ unusedGasPenalty }, costWei, operation, [preVerificationGas, validationGas, given], held) => {
        const signed = { preVerificationGas, validationGas, limits: given, unusedGasPenalty };
        const parts = splitCost(costWei, operation, signed, held);
        expect(sum(parts)).toBe(costWei);
        const { contractWei: _, ...others } = parts;
        expect(Object.values(others).filter((part) => part < 0n)).toEqual([]);
      },
    ),
  );
});

test('the penalty is exact, to one gas, if the gas of the validation is known', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(entryPoint07, entryPoint09),
      fc.bigInt(0n, 500_000n),
      fc.bigInt(0n, 2_000_000n),
      (entryPoint, call, unused) => {
        // About where the penalty begins, more use without a penalty and less use with it cost the same.
        fc.pre(unused < 36_000n || unused > 44_445n);
        const limits = { callGasLimit: call + unused, postOpGasLimit: 0n };
        const { charged, signed, bundle, price } = mined(entryPoint, { call, limits });
        const { penaltyWei } = splitCost(charged.gasCostWei, charged, signed, bundle);
        const exactWei = entryPoint.unusedGasPenalty.of(limits, call) * price;
        expect(max(penaltyWei - exactWei, exactWei - penaltyWei)).toBeLessThanOrEqual(price);
      },
    ),
  );
});
