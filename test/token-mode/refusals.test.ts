import { MaxUint256, id, parseEther } from 'ethers';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { deployContract, fundDeposit } from '../../src/demo/world-contracts.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation, UserOperationV07 } from '../../src/shared/schema/user-operation.ts';
import { encodeFunction } from '../support/account-call-data.ts';
import { type EntryPointWorld, type NewAccount, deployEntryPointWorld } from '../support/entry-point-world.ts';
import { type PaidToken, approveCall, deployFeeTokens } from '../support/fee-tokens.ts';
import { duringRequest } from '../support/meanwhile.ts';
import { gameCall } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const DUMMY_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;
/** Selector of the function by which the payment is simulated. */
const TRY_PAYMENT = id(
  'tryPayment((address,bytes,address,bytes,bytes,uint256),(address,address,address,uint256,uint256))',
).slice(2, 10);
const STRANGER: Address = `0x${'99'.repeat(20)}`;

const world = useSponsoredWorld({ settlementPollMs: 1000 });
let chain: EntryPointWorld;
let token: PaidToken;
let dear: PaidToken;
let unpriced: Address;
let paymaster: Address;
let salt = 0n;

beforeAll(async () => {
  const { operator, engine } = world();
  const { chainId } = world().chain;
  chain = await deployEntryPointWorld(operator, chainId, '0.7');
  paymaster = await attachNewContract(engine.service, operator, { chainId, version: 'singleton-0.7' });
  await fundDeposit(chain.entryPoint, paymaster, parseEther('10'), operator);
  ({ static: token, dear } = await deployFeeTokens(world()));
  unpriced = await deployContract('TestToken', ['DEAD', 18], operator);
  const feed = await deployContract('TestFeed', [8], operator);
  const rate = { source: 'chainlink', nativeFeed: feed, tokenFeed: feed } as const;
  const settings = { chainId, address: unpriced, symbol: 'DEAD', decimals: 18, premium: '0', rate };
  await engine.service.call('feeTokens.set', settings);
});

const newDapp = (version = 'singleton-0.7'): Promise<SponsoredDapp> => world().engine.dapp({ version });

/** An account that is not deployed yet, with `units`. */
const newUser = async (units: bigint): Promise<NewAccount> => {
  const account = await chain.newAccount(world().operator, (salt += 1n));
  if (units > 0n) await token.give(account.address, units);
  return account;
};

/** An operation that mints, and approves `approved` units for the paymaster first; its nonce is the first of `lane`. */
const operationOf = (account: NewAccount, approved: bigint, lane = 0n): UserOperation => {
  const mint = { to: world().contracts.gameItems, data: gameCall('mint') };
  const calls = [...(approved > 0n ? [approveCall(token, paymaster, approved)] : []), mint];
  const types = ['address[]', 'uint256[]', 'bytes[]'];
  const values = [calls.map(({ to }) => to), [], calls.map(({ data }) => data)];
  const callData = encodeFunction(`executeBatch(${types.join(',')})`, types, values);
  const op = chain.firstOperation(account, mint);
  return { ...op, nonce: lane << 64n, callData, signature: DUMMY_SIGNATURE };
};

/** A nonce of a lane that no one has used. */
const lane = (): string => `0x${((salt += 1n) << 64n).toString(16)}`;

interface Question {
  readonly op: Record<string, unknown>;
  readonly context: Record<string, unknown>;
  readonly entryPoint: string;
  readonly chainId: string;
}

const method = (name: string, params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method: name, params });

/** What clients of each dialect send. */
const dialects = {
  Biconomy: ({ op, context: { token: feeTokenAddress } }: Question) =>
    method('pm_sponsorUserOperation', [
      op,
      { mode: 'ERC20', ...(feeTokenAddress !== undefined && { tokenInfo: { feeTokenAddress } }) },
    ]),
  'ERC-7677': ({ op, context, entryPoint, chainId }: Question) =>
    method('pm_getPaymasterData', [op, entryPoint, chainId, { mode: 'ERC20', ...context }]),
  Pimlico: ({ op, context, entryPoint }: Question) =>
    method('pm_sponsorUserOperation', [op, entryPoint, { mode: 'ERC20', ...context }]),
} as const;
type Dialect = keyof typeof dialects;
const everyDialect = Object.keys(dialects) as Dialect[];
/** The HTTP status of errors (behaviour 2.7). */
const statusOf = (dialect: Dialect): number => (dialect === 'Biconomy' ? 400 : 200);

const ask = async (
  dapp: SponsoredDapp,
  dialect: Dialect,
  op: UserOperation,
  changed: Partial<Omit<Question, 'op'>> & { op?: Record<string, unknown> } = {},
): Promise<RpcReply> => {
  const question = {
    context: { token: token.address },
    entryPoint: chain.entryPoint,
    chainId: '0x7a69',
    ...changed,
    op: { ...toRpcUserOperation(op), ...changed.op },
  };
  return world().engine.post(`/api/v1/31337/${dapp.apiKey}`, dialects[dialect](question));
};

interface Refusal {
  readonly name: string;
  /** Where it can happen; absent: everywhere. */
  readonly in?: readonly Dialect[];
  /** Of the DApp; absent: singleton-0.7. */
  readonly version?: string;
  readonly changed?: Parameters<typeof ask>[3];
  readonly units?: bigint;
  readonly approved?: bigint;
  readonly rpc: number;
  readonly status?: number;
  readonly message: RegExp;
  readonly data?: () => Record<string, unknown>;
  /** Of the decision that is stored. */
  readonly code: string;
}

const refusals: Refusal[] = [
  {
    name: 'no token is named',
    changed: { context: {} },
    rpc: -32056,
    message: /^tokenInfo.feeTokenAddress is required in ERC20 mode$/,
    code: 'FEE_TOKEN_REQUIRED',
  },
  {
    name: 'the token is not supported',
    changed: { context: { token: STRANGER } },
    rpc: -32057,
    message: /0x99.* is not supported/,
    code: 'TOKEN_NOT_SUPPORTED',
    data: () => ({ supported: expect.arrayContaining([token.address]) as unknown }),
  },
  {
    name: 'the token has no price',
    get changed() {
      return { context: { token: unpriced } };
    },
    rpc: -32053,
    status: 503,
    message: /feed/,
    code: 'CHAIN_UNREACHABLE',
  },
  {
    name: 'the user has not approved enough',
    approved: 1n,
    rpc: -32050,
    message: /0\.000001 USDT \(1 unit\).* is missing/,
    code: 'TOKEN_ALLOWANCE_SHORT',
    data: () => ({ code: 'TOKEN_ALLOWANCE_SHORT', rule: 'tokenPayment' }),
  },
  {
    name: 'the user has approved nothing',
    approved: 0n,
    rpc: -32050,
    message: /may take 0 USDT/,
    code: 'TOKEN_ALLOWANCE_SHORT',
    data: () => ({ code: 'TOKEN_ALLOWANCE_SHORT', hint: expect.stringContaining('in the batch') as unknown }),
  },
  {
    name: 'the user has too few tokens',
    units: 2n,
    rpc: -32050,
    message: /has 0\.000002 USDT \(2 units\) to pay with/,
    code: 'TOKEN_BALANCE_SHORT',
    data: () => ({ code: 'TOKEN_BALANCE_SHORT', hint: expect.stringMatching(/^Send at least/) as unknown }),
  },
  {
    name: 'the operation is half-filled',
    in: ['Biconomy', 'ERC-7677'],
    changed: { op: { verificationGasLimit: undefined } },
    rpc: -32602,
    message: /^verificationGasLimit must be given/,
    code: 'VALIDATION',
  },
  {
    name: 'the gas is absurd',
    changed: { op: { callGasLimit: `0x${(1n << 120n).toString(16)}` } },
    rpc: -32602,
    message: /^callGasLimit must be at most 2\^120 - 1.*AA94/,
    code: 'VALIDATION',
  },
  {
    name: 'the EntryPoint is another one',
    in: ['ERC-7677', 'Pimlico'],
    changed: { entryPoint: STRANGER },
    rpc: -32602,
    message: /sponsored on EntryPoint 0\.7/,
    code: 'ENTRY_POINT_MISMATCH',
    data: () => ({ code: 'ENTRY_POINT_MISMATCH', expected: chain.entryPoint }),
  },
  {
    name: 'the operation is of another EntryPoint',
    in: ['Biconomy'],
    version: '1.1.0',
    rpc: -32602,
    message: /^factory should not exist: this DApp uses EntryPoint 0\.6/,
    code: 'VALIDATION',
  },
  {
    name: 'the chain is another one',
    in: ['ERC-7677'],
    changed: { chainId: '0x1' },
    rpc: -32602,
    message: /is chain 1, but this address serves chain 31337/,
    code: 'CHAIN_MISMATCH',
    data: () => ({ code: 'CHAIN_MISMATCH', expected: '0x7a69' }),
  },
];

describe.each(everyDialect)('nothing is signed and the reason comes in the dialect of %s', (dialect) => {
  test.each(refusals.filter(({ in: where = everyDialect }) => where.includes(dialect)))(
    'where $name',
    async (refusal) => {
      const {
        units = 10n ** 9n,
        approved = MaxUint256,
        status = statusOf(dialect),
        rpc,
        message,
        data,
        code,
      } = refusal;
      const dapp = await newDapp(refusal.version);
      const op = operationOf(await newUser(units), approved);
      const reply = await ask(dapp, dialect, op, refusal.changed);
      expect(reply.body.error?.message).toMatch(message);
      expect([reply.status, reply.body.error?.code, reply.body.result]).toEqual([status, rpc, undefined]);
      if (data !== undefined) expect(reply.body.error?.data).toMatchObject(data());
      const stored = await dapp.decisions();
      expect(stored.map((decision) => decision.code)).toEqual([code]);
      for (const decision of stored) {
        expect(decision).toMatchObject({ paymasterAndData: '0x', userOpHash: null, settlement: null });
        expect(reply.body.error?.message).toContain(decision.message);
      }
    },
  );
});

test.each(everyDialect)(
  'a token too coarse to charge anything for the operation pays for none (%s)',
  async (dialect) => {
    const { operator, engine } = world();
    const { chainId } = world().chain;
    const coarse = await deployContract('TestToken', ['COARSE', 0], operator);
    const rate = { source: 'static', tokensPerCoin: '1' } as const;
    const settings = { chainId, address: coarse, symbol: 'COARSE', decimals: 0, premium: '0', rate };
    await engine.service.call('feeTokens.set', settings);
    const dapp = await newDapp();
    const { body } = await ask(dapp, dialect, operationOf(await newUser(0n), 0n), { context: { token: coarse } });
    expect(body.error).toMatchObject({ code: -32050, data: { code: 'TOKEN_TOO_COARSE', rule: 'tokenPayment' } });
    expect(await dapp.decisions()).toMatchObject([{ code: 'TOKEN_TOO_COARSE', paymasterAndData: '0x' }]);
  },
);

test.each(['ERC20', 'SPONSORED'])(
  'absurd gas in a draft is refused by its name, and stored once (%s)',
  async (mode) => {
    const dapp = await newDapp();
    const op = {
      ...toRpcUserOperation(operationOf(await newUser(10n ** 9n), MaxUint256)),
      callGasLimit: `0x1${'0'.repeat(32)}`,
    };
    const context = { mode, ...(mode === 'ERC20' && { token: token.address }) };
    const request = method('pm_getPaymasterStubData', [op, chain.entryPoint, '0x7a69', context]);
    const { body } = await world().engine.post(`/api/v1/31337/${dapp.apiKey}`, request);
    expect(body.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^callGasLimit must be at most 2/),
    });
    expect(await dapp.decisions()).toMatchObject([{ outcome: 'error', code: 'VALIDATION' }]);
  },
);

test.each(everyDialect)(
  'an account that the token bars gets nothing for an approval in its batch (%s)',
  async (dialect) => {
    const dapp = await newDapp();
    const account = await newUser(10n ** 9n);
    await (await token.contract.getFunction('bar').send(account.address)).wait();
    const { body } = await ask(dapp, dialect, operationOf(account, MaxUint256));
    expect(body.error).toMatchObject({ code: -32050, data: { code: 'TOKEN_TRANSFER_REFUSED' } });
  },
);

test.each([false, true])(
  'a call that reverts with the approval before it is named, not the token: its user would look for the fault there (draft: %s)',
  async (isDraft) => {
    const dapp = await newDapp();
    const calls = [
      approveCall(token, paymaster, MaxUint256),
      { to: world().contracts.gameItems, data: gameCall('burn') },
    ];
    const types = ['address[]', 'uint256[]', 'bytes[]'];
    const values = [calls.map(({ to }) => to), [], calls.map(({ data }) => data)];
    const callData = encodeFunction(`executeBatch(${types.join(',')})`, types, values);
    const account = await newUser(10n ** 9n);
    const op = toRpcUserOperation({ ...operationOf(account, MaxUint256), callData });
    const params = [op, chain.entryPoint, '0x7a69', { token: token.address }];
    const request = method(isDraft ? 'pm_getPaymasterStubData' : 'pm_getPaymasterData', params);
    const { body } = await world().engine.post(`/api/v1/31337/${dapp.apiKey}`, request);
    expect(body.error).toMatchObject({ code: -32050, data: { code: 'TOKEN_CALLS_REVERT', rule: 'tokenPayment' } });
  },
);

test('an approval in a batch that has too little gas to run is none: without tokens the paymaster would pay', async () => {
  const op = operationOf(await newUser(10n ** 9n), MaxUint256);
  const { body } = await ask(await newDapp(), 'Biconomy', { ...op, callGasLimit: 20_000n });
  expect(body.error).toMatchObject({ code: -32050, data: { code: 'TOKEN_CALL_OUT_OF_GAS' } });
});

/** An operation that approves the expensive token. */
const dearOperation = (account: NewAccount): UserOperation => {
  const types = ['address[]', 'uint256[]', 'bytes[]'];
  const values = [[dear.address], [], [approveCall(dear, paymaster, MaxUint256).data]];
  return { ...operationOf(account, 0n), callData: encodeFunction(`executeBatch(${types.join(',')})`, types, values) };
};

test.each(['Biconomy', 'ERC-7677'] as const)(
  'a limit of the paymaster in which an expensive token cannot be taken is replaced and answered (%s)',
  async (dialect) => {
    const dapp = await newDapp();
    const account = await newUser(0n);
    await dear.give(account.address);
    const changed = { context: { token: dear.address } };
    const op = dearOperation(account);
    const limitOf = async (paymasterPostOpGasLimit?: string): Promise<bigint> => {
      const { body } = await ask(dapp, dialect, op, { ...changed, op: { nonce: lane(), paymasterPostOpGasLimit } });
      const answered = body.result as unknown as Record<string, string>;
      return BigInt(answered['paymasterPostOpGasLimit']!);
    };
    const least = await limitOf();
    expect(least).toBeGreaterThan(120_000n);
    expect(await limitOf('0x7530')).toBe(least);
    expect(await limitOf(`0x${(least + 1n).toString(16)}`)).toBe(least + 1n);
  },
);

/** The most that an operation of this dialect and account may cost, in units. */
const mostUnits = async (dapp: SponsoredDapp): Promise<bigint> => {
  const evidence = (await dapp.decisions())[0]!.trace.find(({ rule }) => rule === 'tokenPayment')?.evidence;
  return BigInt(evidence!['neededUnits'] as string);
};

test('what an expensive token costs more belongs to what its user must have', async () => {
  const dapp = await newDapp();
  const replyTo = async (units: bigint): Promise<RpcReply> => {
    const account = await newUser(0n);
    await dear.give(account.address, units);
    return ask(dapp, 'Biconomy', dearOperation(account), { context: { token: dear.address } });
  };
  expect((await replyTo(10n ** 9n)).status).toBe(200);
  const most = await mostUnits(dapp);
  expect((await replyTo(most)).status).toBe(200);
  expect((await replyTo(most - 1n)).body.error?.data).toMatchObject({ code: 'TOKEN_BALANCE_SHORT' });
});

describe('tokens that are reserved for one operation', () => {
  test('are gone if its settlement ends the reservation while another one is decided', async () => {
    const dapp = await newDapp();
    const { operator, clock } = world();
    expect((await ask(dapp, 'Biconomy', operationOf(await newUser(10n ** 9n), MaxUint256))).status).toBe(200);
    const account = await newUser(await mostUnits(dapp));
    await world().chain.provider.send('anvil_setBalance', [account.address, '0xde0b6b3a7640000']);
    const mint = { to: world().contracts.gameItems, data: gameCall('mint') };
    await chain.mine(await chain.sign(chain.firstOperation(account, mint), operator));
    const ofLane = (nth: bigint): UserOperation => {
      const { factory: _, factoryData: __, ...op } = operationOf(account, MaxUint256, nth) as UserOperationV07;
      return op;
    };
    const op = ofLane(1n);
    const { paymasterAndData } = (await ask(dapp, 'Biconomy', op)).body.result!;
    const signed = await chain.sign(withPaymasterAndData(op, paymasterAndData), operator);
    const settle = async (): Promise<void> => {
      await chain.mine(signed);
      await vi.waitFor(async () => {
        await clock.advance(1000);
        expect((await dapp.decisions()).map(({ settlement }) => settlement)).toContain('settled');
      });
    };
    let isTried = false;
    const afterTrial = (method: string, body: string): boolean => {
      isTried ||= body.includes(TRY_PAYMENT);
      return isTried && method === 'eth_getBlockByNumber';
    };
    const asking = duringRequest(world, afterTrial, { mode: 'ERC20', token: token.address });
    const { body } = await asking(dapp, settle, toRpcUserOperation(ofLane(2n)));
    expect(body.error?.data).toMatchObject({ code: 'TOKEN_BALANCE_SHORT' });
  });

  test.each(everyDialect)('do not pay for another, however many ask at the same time (%s)', async (dialect) => {
    const dapp = await newDapp();
    const rich = await newUser(10n ** 9n);
    expect((await ask(dapp, dialect, operationOf(rich, MaxUint256))).status).toBe(200);
    const account = await newUser(((await mostUnits(dapp)) * 5n) / 2n);
    const lanes = Array.from({ length: 8 }, (_, lane) => operationOf(account, MaxUint256, BigInt(lane)));
    const replies = await Promise.all(lanes.map((op) => ask(dapp, dialect, op)));
    const refused = replies.filter(({ body }) => body.error !== undefined);
    expect(replies.length - refused.length).toBe(2);
    for (const { body } of refused) {
      expect(body.error).toMatchObject({ code: -32050, data: { code: 'TOKEN_BALANCE_SHORT' } });
      expect(body.error?.message).toMatch(/reserved for operations/);
    }
    expect((await ask(dapp, dialect, operationOf(rich, MaxUint256, 1n))).status).toBe(200);
  });

  test('are free again, but for what it has cost, as soon as it is mined', async () => {
    const dapp = await newDapp();
    const { operator, clock } = world();
    const probe = await ask(dapp, 'Biconomy', operationOf(await newUser(10n ** 9n), MaxUint256));
    expect(probe.status).toBe(200);
    const account = await newUser(((await mostUnits(dapp)) * 19n) / 10n);
    const op = operationOf(account, MaxUint256);
    const { paymasterAndData } = (await ask(dapp, 'Biconomy', op)).body.result!;
    const next = operationOf(account, MaxUint256, 1n);
    expect((await ask(dapp, 'Biconomy', next)).body.error?.data).toMatchObject({ code: 'TOKEN_BALANCE_SHORT' });

    const mined = await chain.mine(await chain.sign(withPaymasterAndData(op, paymasterAndData), operator));
    expect(mined.success).toBe(true);
    await vi.waitFor(async () => {
      await clock.advance(1000);
      const [decision] = (await dapp.decisions()).filter(({ settlement }) => settlement === 'settled');
      expect(decision).toMatchObject({ code: 'PAID_IN_TOKEN', actualCostWei: String(mined.actualGasCost) });
    });
    const ofAccount = { ...next, factory: undefined, factoryData: undefined };
    expect((await ask(dapp, 'Biconomy', ofAccount as UserOperation)).status).toBe(200);
  });
});

test('an operation that its user pays takes nothing from the limits of the DApp, meets none of its rules, and its record says what it may cost', async () => {
  const dapp = await newDapp();
  const policyData = {
    type: 'PAYMASTER',
    cycleDuration: { value: 1, unit: 'day' },
    threshold: 0.000000000000000001,
    thresholdType: 'NATIVE_ASSET',
  };
  const rule = { name: 'One wei', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  await world().engine.service.call('rules.create', { paymasterId: dapp.paymasterId, rule });
  const holding = { standard: 'ERC721', address: `0x${'7e'.repeat(20)}`, minimum: '1' };
  const members = { name: 'Members', policyType: 'TOKEN_HOLDING', policyData: holding };
  await world().engine.service.call('rules.create', { paymasterId: dapp.paymasterId, rule: members });
  const op = operationOf(await newUser(10n ** 9n), MaxUint256);
  expect((await ask(dapp, 'ERC-7677', op)).status).toBe(200);
  const [decision] = await dapp.decisions();
  expect(decision).toMatchObject({ outcome: 'sponsored', code: 'PAID_IN_TOKEN', rule: null });
  expect(decision!.message).toMatch(/^Signed: the user pays at most \d+\.\d+ USDT for it\.$/);
  expect(decision!.facts).not.toHaveProperty('holdings');
  expect(decision!.trace.map((step) => step.rule)).toEqual(['gas', 'validity', 'fees', 'tokenPayment', 'gasTank']);
  expect(decision!.request).toMatchObject({ calls: [{ target: expect.any(String) as unknown }, {}] });
  await dapp.sponsor(toRpcUserOperation(op));
  const [sponsored] = await dapp.decisions();
  const denials = sponsored!.trace.flatMap(({ outcome, code }) => (outcome === 'deny' ? [code] : []));
  expect(denials).toEqual(['TOKEN_HOLDING_UNREADABLE', 'LIMIT_TOO_SMALL']);
});
