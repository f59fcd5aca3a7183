import { toBeHex, zeroPadValue } from 'ethers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { fromRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { type AttackChain, lower, startAttackChain } from './chain.ts';
import { type Version, layoutOf } from './versions.ts';
import { type NodeLine, startNodeLine } from './node-line.ts';
import { type SignedAnswer, ACCOMPLICE, asJson, bundle, finishOperation, signedOperation } from './operation.ts';
import { type Receivers, startReceivers } from './receiver.ts';
import { nth } from './nth.ts';
import { MILLI, type Policy } from './policy.ts';
import { type Run, mineBlock, poll } from './run.ts';
import { startRun } from './start-run.ts';
import { newTally } from './tally.ts';

type WorstCase = ProcedureOutput<'policies.worstCase'>;
type Bound = WorstCase['bounds'][number];
type Volley = Bound['attack']['volleys'][number];

const BUNDLER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let chain: AttackChain;
let line: NodeLine;
let receivers: Receivers;
let code: Hex;
let run: Run | undefined;
beforeAll(async () => {
  chain = await startAttackChain();
  line = await startNodeLine(chain.url);
  receivers = await startReceivers();
  const hostile = nth(chain.senders['0.6'], 2).address;
  code = (await chain.rpc.send('eth_getCode', [hostile, 'latest'])) as Hex;
});
afterEach(() => run?.desk.stop());
afterAll(async () => {
  await Promise.all([line.stop(), receivers.stop()]);
  await chain.stop();
});

/** A desk with one DApp without any rule. Its tank holds `tank` thousandths of the coin. */
const attacked = async (version: Version, { tank = 2_000 }: Partial<Pick<Policy, 'tank'>> = {}): Promise<Run> => {
  const dapp = { version, wallet: 0, whitelist: false, deployments: true, limits: [], webhook: null };
  const policy: Policy = {
    dapps: [dapp],
    tank,
    breaker: null,
    operationCost: 40,
    baseFeeMwei: 1_000,
    tipMwei: 1_000,
    webhookMaxConcurrent: 32,
  };
  run = await startRun({ chain, line, receivers, tally: newTally(), ignored: new Map() }, policy);
  return run;
};

const paymasterIdOf = ({ desk }: Run): string => nth(desk.dapps, 0).paymasterId;

const addLimit = (on: Run, policyData: object): Promise<unknown> =>
  on.desk.call('rules.create', {
    paymasterId: paymasterIdOf(on),
    rule: {
      name: 'The limit',
      policyType: 'PAYMASTER_SA_LIMIT',
      policyData: { type: 'PAYMASTER', cycleDuration: { value: 1, unit: 'hour' }, ...policyData },
    },
  });

const worstCaseOf = async (on: Run, period: Bound['period']): Promise<Bound> => {
  const { bounds } = await on.desk.call<WorstCase>('policies.worstCase', { paymasterId: paymasterIdOf(on) });
  const bound = bounds.find((one) => one.period === period);
  if (bound === undefined) throw new Error('There is a bound for every period');
  return bound;
};

let accounts = 0;
/** Another account, which the attacker has deployed at its own expense. */
const newAccount = async (): Promise<Address> => {
  accounts += 1;
  const address = lower(zeroPadValue(toBeHex(0xa77ac0000000 + accounts), 20));
  await chain.rpc.send('anvil_setCode', [address, code]);
  return address;
};

interface SignedOperation {
  readonly op: ReturnType<typeof fromRpcUserOperation>;
  readonly data: Hex;
}

/** Asks for the operation of a volley by a new account; what the desk denies answers its code. */
const ask = async (on: Run, { op }: Pick<Volley, 'op'>): Promise<SignedOperation | string> => {
  const wanted = { ...fromRpcUserOperation(op), sender: await newAccount() };
  const params = [asJson(wanted, 'lower'), { mode: 'SPONSORED' }];
  const { text } = await on.desk.post(nth(on.desk.dapps, 0), 'pm_sponsorUserOperation', params);
  const { result, error } = JSON.parse(text) as {
    result?: SignedAnswer & { reason?: { code: string } };
    error?: { message: string };
  };
  const signed = result && signedOperation(wanted, result);
  return signed ?? result?.reason?.code ?? error?.message ?? 'nothing';
};

/** Mines a signed operation as its own bundle. It must succeed. */
const mine = async (on: Run, { op, data }: SignedOperation): Promise<void> => {
  const version = layoutOf(nth(on.desk.dapps, 0).policy.version).entryPointVersion;
  const finished = finishOperation(chain.chainId, version, op, data, '0x');
  const calling = { to: entryPoints[version].address, data: bundle([finished], ACCOMPLICE) };
  const mined = await mineBlock(on, { from: BUNDLER, gasPrice: on.baseFeeWei, ...calling });
  if (mined?.succeeded !== true) throw new Error(await chain.whyFailing(calling.to, calling.data));
};

/** What the operator has paid, wei: what tanks were debited, or what left the deposit. */
const paid = async (): Promise<bigint> =>
  (await chain.paid()).reduce((sum, { debit, actualGasCost }) => sum + (debit?.wei ?? actualGasCost), 0n);

/** Asks for up to `most` operations of a volley, until one is denied. */
const askFor = async (
  on: Run,
  volley: Volley,
  most: number,
): Promise<{ signed: SignedOperation[]; denied?: string }> => {
  const signed: SignedOperation[] = [];
  while (signed.length < most) {
    const answer = await ask(on, volley);
    if (typeof answer === 'string') return { signed, denied: answer };
    signed.push(answer);
  }
  return { signed };
};

const mineAll = async (on: Run, signed: readonly SignedOperation[]): Promise<void> => {
  for (const one of signed) await mine(on, one);
  await on.desk.quiet();
  await poll(on);
};

/**
 * Plays an attack against the desk: every operation that it names, at its time. Then more of the same, until nothing of it
 * is sponsored. It answers why not.
 */
const playOut = async (on: Run, { attack: { startsAt, volleys } }: Bound): Promise<string | undefined> => {
  for (const [afterMs, together] of Map.groupBy(volleys, (one) => one.afterMs)) {
    await on.time.pass(Math.max(0, startsAt + afterMs - on.time.deskNow()));
    const rounds = [];
    for (const one of together) rounds.push(await askFor(on, one, Number(one.count)));
    expect(rounds.flatMap(({ denied }) => denied ?? [])).toEqual([]);
    await mineAll(
      on,
      rounds.flatMap(({ signed }) => signed),
    );
  }
  let first: string | undefined;
  for (const one of volleys.slice(-2)) {
    const { signed, denied } = await askFor(on, one, 20);
    first ??= denied;
    await mineAll(on, signed);
  }
  return first;
};

const expectReached = async (bound: Bound): Promise<void> => {
  const cost = await paid();
  const most = BigInt(bound.amountWei ?? 0);
  expect(cost).toBeLessThanOrEqual(most);
  expect(cost).toBeGreaterThanOrEqual((most * 99n) / 100n);
};

const countPerHour = { thresholdType: 'COUNT', threshold: 3 };

test.each(['1.0.0', '1.1.0', 'verifying-0.6', 'verifying-0.7', 'singleton-0.7', 'singleton-0.8'] as const)(
  'what an hour can cost by a limit that counts operations is what it costs, with %s',
  async (version) => {
    const on = await attacked(version);
    await addLimit(on, countPerHour);
    const bound = await worstCaseOf(on, 'hour');
    expect(bound.stoppedBy?.name).toBe('The limit');
    expect(await playOut(on, bound)).toBe('LIMIT_REACHED');
    await expectReached(bound);
  },
);

test('what a day can cost by a limit in coins is what it costs', async () => {
  const on = await attacked('verifying-0.7', { tank: 2_000 });
  await addLimit(on, { thresholdType: 'NATIVE_ASSET', threshold: 0.15, cycleDuration: { value: 5, unit: 'hour' } });
  const bound = await worstCaseOf(on, 'day');
  expect(bound).toMatchObject({ stoppedBy: { name: 'The limit' }, amountWei: String(900n * MILLI) });
  expect(await playOut(on, bound)).toBe('LIMIT_REACHED');
  await expectReached(bound);
});

test('the rest of a total budget in dollars is the cost of any day', async () => {
  const on = await attacked('verifying-0.7', { tank: 2_000 });
  await on.desk.call('chains.set', { chainId: chain.chainId, price: { source: 'static', usd: '2999.99' } });
  await addLimit(on, { thresholdType: 'USD', threshold: 1_000, cycleDuration: { unit: 'lifetime' } });
  const before = await worstCaseOf(on, 'day');
  const [costly] = before.attack.volleys;
  await mineAll(on, (await askFor(on, nth(costly === undefined ? [] : [costly], 0), 2)).signed);
  const spent = await paid();
  const bound = await worstCaseOf(on, 'day');
  expect(bound.stoppedBy?.name).toBe('The limit');
  expect(BigInt(bound.amountWei ?? 0)).toBeLessThan(BigInt(before.amountWei ?? 0));
  expect(await playOut(on, bound)).toBe('LIMIT_REACHED');
  const most = BigInt(bound.amountWei ?? 0);
  const cost = (await paid()) - spent;
  expect(cost).toBeLessThanOrEqual(most);
  expect(cost).toBeGreaterThanOrEqual((most * 99n) / 100n);
});

test('a limit per user stops no attacker: new accounts take what is in the tank', async () => {
  const on = await attacked('1.1.0', { tank: 200 });
  await addLimit(on, { ...countPerHour, type: 'SMART_ACCOUNT', threshold: 1 });
  const bound = await worstCaseOf(on, 'hour');
  expect(bound).toMatchObject({ stoppedBy: { rule: 'gasTank' }, amountWei: String(200n * MILLI) });
  expect(await playOut(on, bound)).toBe('GAS_TANK_EMPTY');
  await expectReached(bound);
});

test.each([
  ['hour', 100n],
  ['day', 2_000n],
] as const)('what any %s can cost under a breaker is what it costs', async (period, milli) => {
  const on = await attacked('verifying-0.7');
  const breaker = { amountWei: String(100n * MILLI), seconds: 3_600 };
  await on.desk.call('chains.set', { chainId: chain.chainId, breaker });
  const bound = await worstCaseOf(on, period);
  expect(bound.amountWei).toBe(String(milli * MILLI));
  // Anyone who asks for more pauses everything.
  expect(await playOut(on, bound)).toBe(period === 'hour' ? 'BURN_RATE_EXCEEDED' : 'GAS_TANK_EMPTY');
  await expectReached(bound);
});

test('what can be promised at once besides what is promised already is what it costs', async () => {
  const on = await attacked('singleton-0.8', { tank: 200 });
  const [before] = (await worstCaseOf(on, 'atOnce')).attack.volleys;
  const promised = await ask(on, nth(before === undefined ? [] : [before], 0));
  const bound = await worstCaseOf(on, 'atOnce');
  const left = 200n * MILLI - BigInt(before!.costWei);
  expect(bound).toMatchObject({ stoppedBy: { rule: 'gasTank' }, amountWei: String(left) });
  expect(await playOut(on, bound)).toBe('GAS_TANK_EMPTY');
  await expectReached(bound);
  expect(typeof promised).toBe('object');
});
