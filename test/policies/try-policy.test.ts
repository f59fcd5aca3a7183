import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/api/index.ts';
import { weiToDecimal } from '../../src/shared/schema/decimal.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { trialInProcess } from '../support/trial-in-process.ts';
import { RESERVED_WEI, gameCall, gameItems, operation } from '../support/operations.ts';

const desk = useOfflineDesk();
const call: Caller = (name, input) => desk().call(name, input);

const ITEMS = `0x${'17'.repeat(20)}` as const;
const SENDERS = ['a1', 'b2', 'c3'].map((digits) => `0x${digits.repeat(20)}`);
const CONTRACT = { name: 'Items', address: ITEMS, abi: gameItems.formatJson() };

const limit = fc.record({
  type: fc.constantFrom('PAYMASTER', 'SMART_ACCOUNT'),
  thresholdType: fc.constantFrom('COUNT', 'NATIVE_ASSET', 'USD'),
  threshold: fc.integer({ min: 1, max: 4 }),
  cycleDuration: fc.constantFrom(
    ...[1, 2, 3].map((value) => ({ value, unit: 'hour' })),
    { value: 1, unit: 'lifetime' },
    undefined,
  ),
});
const policy = fc.record({ methods: fc.subarray(['mint', 'burn']), limits: fc.array(limit, { maxLength: 2 }) });
const traffic = fc.array(
  fc.record({
    sender: fc.constantFrom(...SENDERS),
    method: fc.constantFrom('mint' as const, 'burn' as const),
    minutes: fc.constantFrom(0, 1, 30, 60, 90),
    usd: fc.constantFrom('3000', '1500', '6000.000000000000000001'),
  }),
  { minLength: 1, maxLength: 20 },
);

type SomePolicy = typeof policy extends fc.Arbitrary<infer One> ? One : never;

/** A limit with room for `threshold` operations: at their maximum cost, and of a coin worth 3,000 dollars. */
const limitData = ({ cycleDuration, type, thresholdType, threshold }: SomePolicy['limits'][number]) => {
  const wei = BigInt(threshold) * RESERVED_WEI;
  const amounts = { COUNT: threshold, NATIVE_ASSET: weiToDecimal(wei), USD: weiToDecimal(3_000n * wei) };
  const isOfEach = cycleDuration === undefined && thresholdType !== 'COUNT';
  return {
    ...(isOfEach ? { type: 'OPERATION' } : { type, cycleDuration: cycleDuration ?? { value: 1, unit: 'week' } }),
    thresholdType,
    threshold: Number(amounts[thresholdType]),
  };
};

/** A policy file. */
const fileOf = ({ methods, limits }: SomePolicy): string =>
  JSON.stringify({
    version: 1,
    webhooks: [],
    allowedOrigins: ['*'],
    contracts: [{ ...CONTRACT, methods }],
    rules: limits.map((one, index) => ({ name: `Limit ${index}`, type: 'PAYMASTER_SA_LIMIT', data: limitData(one) })),
  });

test('what a draft would have decided is what a DApp under it decides', async () => {
  await fc.assert(
    fc.asyncProperty(policy, policy, traffic, async (before, draft, operations) => {
      const [dapp, other] = [await desk().dapp(), await desk().dapp()];
      await call('policies.apply', { paymasterId: dapp.paymasterId, text: fileOf(before) });
      await call('policies.apply', { paymasterId: other.paymasterId, text: fileOf(draft) });
      const decided = [];
      for (const [index, { minutes, sender, method, usd }] of operations.entries()) {
        // Windows begin with the first operation.
        if (index > 0) await desk().clock.sleep(minutes * 60_000);
        await call('chains.set', { chainId: 31337, price: { source: 'static', usd } });
        const op = operation({ to: ITEMS, data: gameCall(method) }, { sender, nonce: `0x${index.toString(16)}` });
        decided.push({ was: codeOf(await dapp.sponsor(op)), wouldBe: codeOf(await other.sponsor(op)) });
      }
      const isSponsored = (code: string): boolean => code === 'SPONSORED';
      const changed = decided.filter(({ was, wouldBe }) => isSponsored(was) !== isSponsored(wouldBe));

      const { paymasterId } = dapp;
      const tried = (text: string) => trialInProcess(call, { name: 'policies.apply', input: { paymasterId, text } });
      const report = await tried(fileOf(draft));
      expect(report).toMatchObject({ decisions: decided.length, unknown: 0, same: decided.length - changed.length });
      expect(report.flips.map(({ code }) => code)).toEqual(
        changed.map(({ was, wouldBe }) => (isSponsored(was) ? wouldBe : was)),
      );
      const { text } = await call('policies.export', { paymasterId });
      expect(await tried(text)).toMatchObject({ same: decided.length, flips: [] });
    }),
    { numRuns: 25 },
  );
}, 120_000);
