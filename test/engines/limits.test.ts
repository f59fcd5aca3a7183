import { describe, expect, it } from 'vitest';
import type { Address } from '../../src/shared/schema/hex.ts';
import { signableOperation } from '../support/signing-folder.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { type DeskOptions, type SharedDesk, ask, canShare, promiseIn, useEngines } from '../support/several-engines.ts';
import { auditDesk } from '../support/audit-desk.ts';

const ENGINES = 3;
/** To each engine. */
const REQUESTS = 1_000;
/** What a DApp may have. */
const N = 250;
const N_PER_USER = 30;
const USERS: readonly Address[] = ['11', '22', '33', '44', '55'].map((byte): Address => `0x${byte.repeat(20)}`);

const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas } = signableOperation(0);
/** What version 1.1.0 reserves for such an operation: behaviour 6.2. */
const COST =
  (BigInt(callGasLimit) + 3n * BigInt(verificationGasLimit) + BigInt(preVerificationGas) + 12_000n) *
  BigInt(maxFeePerGas);
/** What the operations and half of one more cost, in the native coin. */
const coins = (operations: number): number => Number((2n * BigInt(operations) + 1n) * COST) / 2e18;

type Threshold = Readonly<Record<'thresholdType' | 'type', string>> & { readonly threshold: number };
const LIMITS: readonly (readonly [Threshold, expected: number])[] = [
  [{ type: 'PAYMASTER', thresholdType: 'COUNT', threshold: N }, N],
  [{ type: 'PAYMASTER', thresholdType: 'NATIVE_ASSET', threshold: coins(N) }, N],
  [{ type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold: N_PER_USER }, N_PER_USER * USERS.length],
  [{ type: 'SMART_ACCOUNT', thresholdType: 'NATIVE_ASSET', threshold: coins(N_PER_USER) }, N_PER_USER * USERS.length],
];

const limited = async ({ dapp, rule }: DeskOptions, threshold: Threshold): Promise<SponsoredDapp> => {
  const made = await dapp(31337);
  const cycleDuration = { value: 1, unit: 'lifetime' };
  await rule(made, { policyType: 'PAYMASTER_SA_LIMIT', policyData: { ...threshold, cycleDuration } });
  return made;
};

describe.skipIf(!canShare)('limits of three engines on one database', () => {
  const engines = useEngines();

  /** Sends `requests` to each engine at the same moment, in turn for each of the DApps. Answers what each was given. */
  const flood = async (
    { database }: SharedDesk,
    dapps: readonly { readonly apiKey: string }[],
    { chainId = 31337, requests = REQUESTS } = {},
  ): Promise<string[][]> => {
    const running = await Promise.all(Array.from({ length: ENGINES }, () => engines.start(database)));
    const given: string[][] = dapps.map(() => []);
    const errors: unknown[] = [];
    const asked = running.flatMap(({ url }, engine) =>
      Array.from({ length: requests }, async (_, index) => {
        const which = index % dapps.length;
        const sender = USERS[Math.floor(index / dapps.length) % USERS.length];
        const apiKey = dapps[which]?.apiKey ?? '';
        const reply = await ask({ url, chainId, apiKey }, engine * requests + index, sender);
        if (reply.error !== undefined) errors.push(reply);
        const promise = promiseIn(reply);
        if (promise !== undefined) given[which]?.push(promise);
      }),
    );
    await Promise.all(asked);
    expect(errors).toEqual([]);
    for (const engine of running) engine.signal('SIGTERM');
    for (const { ended } of running) await ended;
    return given;
  };

  it('let exactly so many operations through, whichever is asked', async () => {
    const desk = await engines.desk(async (preparing) => {
      const dapps: SponsoredDapp[] = [];
      for (const [threshold] of LIMITS) dapps.push(await limited(preparing, threshold));
      return { dapps };
    });
    const given = await flood(desk, desk.dapps);
    expect(given.map(({ length }) => length)).toEqual(LIMITS.map(([, expected]) => expected));
    const audit = await auditDesk(engines, desk);
    expect(audit.promisesBy((decision) => decision.paymasterId)).toEqual(
      new Map(desk.dapps.map(({ paymasterId }, index) => [paymasterId, new Set(given[index])])),
    );
    expect(audit.heldOfLimits()).toEqual(
      [N, BigInt(N) * COST, ...USERS.map(() => N_PER_USER), ...USERS.map(() => BigInt(N_PER_USER) * COST)]
        .map(String)
        .sort(),
    );
  });

  it('and the breaker let no more be signed than its amount, and pause all of them', async () => {
    const chainId = 900_001;
    const desk = await engines.desk(async ({ engine, dapp }) => {
      await engine.service.call('chains.set', { chainId, name: 'Quiet chain' });
      const made = await dapp(chainId);
      const breaker = { amountWei: String(BigInt(N) * COST + COST / 2n), seconds: 3_600 };
      await engine.service.call('chains.set', { chainId, breaker });
      return { dapps: [made] };
    });
    const [given] = await flood(desk, desk.dapps, { chainId, requests: REQUESTS / 2 });
    expect(given).toHaveLength(N);
    const audit = await auditDesk(engines, desk);
    expect([...audit.promisesBy(() => 'all').values()]).toEqual([new Set(given)]);
    expect(audit.signedWei()).toBe(BigInt(N) * COST);
    expect(await engines.server().query('SELECT reason FROM dapp_pause', audit.name)).toHaveLength(1);
  });
});
