import { type HDNodeWallet, parseEther } from 'ethers';
import { getUserOperationHash } from 'viem/account-abstraction';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, deployContract, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { STUB_SIGNATURE } from '../../src/core/paymaster-layouts/layout.ts';
import { packUserOperation } from '../../src/core/user-operation/pack-user-operation.ts';
import { signatureSuffix } from '../../src/core/user-operation/paymaster-signature.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperationV07 } from '../../src/shared/schema/user-operation.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { type EntryPointWorld, deployEntryPointWorld, signAsOwner } from '../support/entry-point-world.ts';
import { hostileSuffixes } from '../support/hostile-suffixes.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { result, withNode } from '../support/odd-node.ts';
import { gameCall } from '../support/operations.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const MAGIC = '22e325a297439656';
const chain = useLocalChain();
const dir = makeTempFolder();
let engine: ServingEngine;
let clock: ManualClock;
let world: EntryPointWorld;
let operator: HDNodeWallet;
let items: Address;
let parallel: Address;
let dapp: SponsoredDapp;
let salt = 0n;

beforeAll(async () => {
  const { provider, chainId, url } = chain();
  operator = devWallet(0, provider);
  items = await deployContract('GameItems', [], operator);
  world = await deployEntryPointWorld(operator, chainId, '0.9');
  const block = await provider.getBlock('latest');
  clock = new ManualClock((block?.timestamp ?? 0) * 1000);
  engine = await startEngine({ dir, clock, flags: { rateLimitPerKey: 1_000_000, rateLimitPerSender: 1_000_000 } });
  await engine.service.call('chains.set', { chainId, rpc: url });
  await engine.service.call('signers.create', { chainId });
  for (const version of ['parallel-0.9', 'singleton-0.9']) {
    const address = await attachNewContract(engine.service, operator, { chainId, version });
    await fundDeposit(world.entryPoint, address, parseEther('5'), operator);
    if (version === 'parallel-0.9') parallel = address;
  }
  dapp = await engine.dapp({ version: 'parallel-0.9' });
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

type Wire = Record<string, unknown>;

const operation = async (): Promise<UserOperationV07> => {
  const account = await world.newAccount(operator, (salt += 1n));
  const op = world.firstOperation(account, { to: items, data: gameCall('mint') }) as UserOperationV07;
  return { ...op, signature: STUB_SIGNATURE };
};

interface Answer {
  readonly result?: Wire & { readonly paymasterData?: Hex; readonly paymasterSignature?: Hex };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Wire };
}

const ask = async (method: string, params: unknown[], by = dapp): Promise<Answer> => {
  const { body } = await engine.post(
    `/rpc/${chain().chainId}`,
    { jsonrpc: '2.0', id: 1, method, params },
    { apiKey: by.apiKey },
  );
  return body as unknown as Answer;
};

const ask7677 = (method: 'pm_getPaymasterStubData' | 'pm_getPaymasterData', op: Wire, context?: Wire, by = dapp) =>
  ask(method, [op, world.entryPoint, `0x${chain().chainId.toString(16)}`, context], by);

const withFields = (op: UserOperationV07, answer: Answer): UserOperationV07 => {
  const { result } = answer;
  expect(answer.error).toBeUndefined();
  const { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = result as Record<
    string,
    Hex
  >;
  const gas = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'].flatMap((field) =>
    result![field] === undefined ? [] : [[field, BigInt(result![field] as string)] as const],
  );
  return {
    ...op,
    ...(Object.fromEntries(gas) as Partial<UserOperationV07>),
    paymaster: paymaster as Address,
    paymasterData: paymasterData!,
    paymasterVerificationGasLimit: BigInt(paymasterVerificationGasLimit!),
    paymasterPostOpGasLimit: BigInt(paymasterPostOpGasLimit!),
  };
};

/** The operation in the form of contracts, where the signature was answered in a field of its own. */
const joined = (op: UserOperationV07, paymasterSignature: Hex): UserOperationV07 => ({
  ...op,
  paymasterData: `${op.paymasterData ?? '0x'}${signatureSuffix(paymasterSignature.slice(2))}`,
});

/** The account's signature by viem's own hash. */
const signedByViem = (op: UserOperationV07, paymasterSignature: Hex | undefined): UserOperationV07 => {
  const hash = getUserOperationHash({
    chainId: chain().chainId,
    entryPointAddress: world.entryPoint,
    entryPointVersion: '0.9',
    userOperation: { ...op, ...(paymasterSignature !== undefined && { paymasterSignature }) } as never,
  });
  return { ...op, signature: signAsOwner('0.9', hash, operator) };
};

const signed = (op: UserOperationV07): Promise<UserOperationV07> => world.sign(op, operator);

const heldWei = async (): Promise<bigint> =>
  BigInt((await ask('pm_paymasterBalance', [])).result!['promised'] as string);

const committed = async (): Promise<UserOperationV07> => {
  const op = await operation();
  return signed(
    withFields(op, await ask7677('pm_getPaymasterData', toRpcUserOperation(op), { signingPhase: 'commit' })),
  );
};
const finalized = (op: UserOperationV07, context: Wire = {}, by = dapp): Promise<Answer> =>
  ask7677('pm_getPaymasterData', toRpcUserOperation(op), { signingPhase: 'finalize', ...context }, by);

describe('a signature in a field of its own, as viem and alto have it', () => {
  test('is in the stub, so that the account signs by viem before the paymaster does, and both are mined', async () => {
    const op = await operation();
    const stub = await ask7677('pm_getPaymasterStubData', toRpcUserOperation(op));
    expect(stub.result).toMatchObject({ paymasterData: '0x', paymasterSignature: expect.stringMatching(/^0x.{154}$/) });
    const account = signedByViem(withFields(op, stub), stub.result!.paymasterSignature);
    const wire = { ...toRpcUserOperation(account), paymasterSignature: stub.result!.paymasterSignature };
    const answer = await ask7677('pm_getPaymasterData', wire);
    expect(JSON.stringify(answer)).not.toContain(MAGIC);
    const final = joined(
      { ...withFields(op, answer), signature: account.signature },
      answer.result!.paymasterSignature!,
    );
    expect((await world.mine(final)).success).toBe(true);
  });

  test('is what an empty paymasterSignature asks for in the two phases, too', async () => {
    const op = { ...toRpcUserOperation(await operation()), paymasterSignature: '0x' };
    const { result } = await ask7677('pm_getPaymasterData', op, { signingPhase: 'commit' });
    expect(result).toMatchObject({ paymasterData: '0x', paymasterSignature: expect.stringMatching(/^0x.{154}$/) });
  });
});

describe('a signature at the end of paymasterData, as Candide has it', () => {
  test('commit answers everything but the signature, reserves nothing and stores nothing; finalize signs the signed operation', async () => {
    const before = { held: await heldWei(), decisions: (await dapp.decisions()).length };
    const account = await committed();
    expect(account.paymasterData).toMatch(new RegExp(`004d${MAGIC}$`));
    expect({ held: await heldWei(), decisions: (await dapp.decisions()).length }).toEqual(before);

    const answer = await finalized(account);
    const final = { ...withFields(account, answer), signature: account.signature };
    expect(answer.result!.paymasterData).toMatch(new RegExp(`004d${MAGIC}$`));
    expect(await heldWei()).toBeGreaterThan(before.held);
    const decision = (await dapp.decisions())[0]!;
    expect(decision).toMatchObject({ outcome: 'sponsored', settlement: 'reserved' });
    expect(decision.validUntil! - Math.floor(decision.at / 1000)).toBe(60);
    expect((await world.mine(final)).success).toBe(true);
  });

  test('what commit answers has no signature: it pays for nothing', async () => {
    await expect(world.mine(await committed())).rejects.toThrow();
  });

  test('a client that sends no phase, but such data, gets it there', async () => {
    const op = await operation();
    const dummy = await ask('pm_supportedERC20Tokens', [world.entryPoint]);
    const { dummyPaymasterAndData } = dummy.result!['paymasterMetadata'] as Record<string, Wire>;
    expect(dummyPaymasterAndData!['paymasterData']).toMatch(new RegExp(`004d${MAGIC}$`));
    const answer = await ask7677('pm_getPaymasterData', { ...toRpcUserOperation(op), ...dummyPaymasterAndData });
    expect(answer.result).not.toHaveProperty('paymasterSignature');
    expect((await world.mine(await signed(withFields(op, answer)))).success).toBe(true);
  });

  test('commit finds open gas, and signs nothing for that either', async () => {
    const {
      callGasLimit: _c,
      verificationGasLimit: _v,
      preVerificationGas: _p,
      ...open
    } = toRpcUserOperation(await operation());
    const answer = await ask7677('pm_getPaymasterData', open, { signingPhase: 'commit', calculateGasLimits: true });
    const op = await operation();
    const account = await signed(
      withFields({ ...op, sender: open['sender'] as Address, factoryData: open['factoryData'] as Hex }, answer),
    );
    expect(BigInt(answer.result!['callGasLimit'] as string)).toBeGreaterThan(0n);
    const final = withFields(account, await finalized(account));
    expect((await world.mine({ ...final, signature: account.signature })).success).toBe(true);
  });
});

test('an operation with its signature in a field of its own is passed on to the bundler as one of this desk', async () => {
  const { chainId } = chain();
  const op = await operation();
  const answer = await ask7677('pm_getPaymasterData', toRpcUserOperation(op));
  const { paymasterSignature } = answer.result!;
  const wire = toRpcUserOperation(signedByViem(withFields(op, answer), paymasterSignature));
  const hash = `0x${'12'.repeat(32)}`;
  await withNode(result(hash), async (bundler) => {
    await engine.service.call('chains.set', { chainId, bundler, forwardBundler: 'own' });
    try {
      const send = (signature: Hex) =>
        ask('eth_sendUserOperation', [{ ...wire, paymasterSignature: signature }, world.entryPoint]);
      expect(await send(paymasterSignature!)).toMatchObject({ result: hash });
      expect((await send(`0x${'12'.repeat(77)}`)).error?.code).toBe(-32050);
    } finally {
      await engine.service.call('chains.set', { chainId, bundler: null, forwardBundler: null });
    }
  });
});

describe('finalize decides over the operation as its account has signed it', () => {
  test.each<[string, (op: UserOperationV07) => UserOperationV07, string]>([
    ['with a signature of another key', (op) => ({ ...op, signature: STUB_SIGNATURE }), 'AA24'],
    ['changed since it was signed', (op) => ({ ...op, callGasLimit: op.callGasLimit + 1n }), 'AA24'],
    ['with other gas for the paymaster', (op) => ({ ...op, paymasterVerificationGasLimit: 61_000n }), 'AA24'],
    ['with a signature that no account reads', (op) => ({ ...op, signature: '0x1234' }), 'AA23'],
    ['of a later nonce', (op) => ({ ...op, nonce: 1n }), 'AA25'],
  ])('and refuses one %s, with nothing held', async (_, change, code) => {
    const account = change(await committed());
    const held = await heldWei();
    const { error } = await finalized(account);
    expect(error).toMatchObject({ code: -32050, data: { code: 'SIGNED_OPERATION_FAILS', rule: 'validity' } });
    expect(error!.message).toContain(code);
    expect(await heldWei()).toBe(held);
  });

  test.each<[string, (op: Wire) => Wire, Wire, string]>([
    [
      'without a signature',
      (op) => ({ ...op, signature: '0x' }),
      {},
      'signature must be given with signingPhase finalize',
    ],
    ['for longer than a minute', (op) => op, { expiryDuration: 61 }, 'expiryDuration must be at most 60'],
    [
      'without gas',
      (op) => ({ ...op, callGasLimit: '0x0' }),
      { calculateGasLimits: true },
      'callGasLimit must be given',
    ],
    ['in a third phase', (op) => op, { signingPhase: 'sign' }, 'signingPhase must be commit or finalize'],
  ])('and not %s', async (_, change, context, message) => {
    const { error } = await ask7677('pm_getPaymasterData', change(toRpcUserOperation(await committed())), {
      signingPhase: 'finalize',
      ...context,
    });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) as string });
  });

  test('once more under the same hash, if it was not sent in time: the chain settles the one that still holds', async () => {
    const account = await committed();
    const first = await finalized(account);
    expect(first.error).toBeUndefined();
    clock.advance(10_000);
    const second = await finalized(account);
    const [newer, older] = await dapp.decisions();
    expect(newer!.userOpHash).toBe(older!.userOpHash);
    expect(newer!.paymasterAndData).not.toBe(older!.paymasterAndData);
    expect((await world.mine({ ...withFields(account, second), signature: account.signature })).success).toBe(true);
  });
});

describe('an operation that two DApps of one contract finalize', () => {
  const EXPIRED_SECONDS = 60 + 150;
  const DAILY = { type: 'PAYMASTER', thresholdType: 'NATIVE_ASSET', cycleDuration: { unit: 'day', value: 1 } };

  const limited = async (): Promise<SponsoredDapp> => {
    const one = await engine.dapp({ version: 'parallel-0.9' });
    const rule = { name: 'Daily', policyType: 'PAYMASTER_SA_LIMIT', policyData: { ...DAILY, threshold: 1 } };
    await engine.service.call('rules.create', { paymasterId: one.paymasterId, rule });
    return one;
  };
  const used = async ({ paymasterId }: SponsoredDapp): Promise<bigint> =>
    BigInt((await engine.service.call('rules.usage', { paymasterId }))[0]!.used);
  const settlementOf = async (one: SponsoredDapp) => (await one.decisions())[0]!.settlement;

  test.each([
    ['a second apart', 1_000],
    ['at once, to the same bytes', 0],
  ])('%s counts in the limits of both: the chain does not show which of them paid', async (_, ms) => {
    const { provider } = chain();
    const [first, second] = [await limited(), await limited()];
    const account = await committed();
    expect((await finalized(account, {}, first)).error).toBeUndefined();
    await clock.advance(ms);
    const answer = await finalized(account, {}, second);
    const deposit = await world.deposit(parallel);
    expect((await world.mine({ ...withFields(account, answer), signature: account.signature })).success).toBe(true);
    const paid = deposit - (await world.deposit(parallel));

    const { timestamp } = (await provider.getBlock('latest'))!;
    await provider.send('evm_setNextBlockTimestamp', [timestamp + EXPIRED_SECONDS]);
    await provider.send('evm_mine', []);
    await clock.advance(EXPIRED_SECONDS * 1_000);
    const ended = async (): Promise<unknown[]> => {
      await clock.advance(4_000);
      return Promise.all([first, second].map(settlementOf));
    };
    await expect.poll(ended).not.toContain('reserved');
    expect(await used(second)).toBeGreaterThanOrEqual(paid);
    expect(await used(first)).toBeGreaterThanOrEqual(paid);
    expect(await ended()).toEqual(['unconfirmed', 'unconfirmed']);
  });
});

describe('data of others that ends in the magic', () => {
  const proper: Hex = `0x${'00'.repeat(129)}004d${MAGIC}`;
  const ending = hostileSuffixes(proper).filter(
    ([what, data]) => data.endsWith(MAGIC) && !what.startsWith('nothing but'),
  );

  test.each(ending)('is refused by its name: %s', async (_, data) => {
    const op = { ...toRpcUserOperation(await operation()), paymasterData: `0x${data.slice(106)}` };
    const { error } = await ask7677('pm_getPaymasterData', op);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('paymasterData ends in') as string });
  });

  test.each([
    [{ paymasterData: `0x${'00'.repeat(77)}004d${MAGIC}` }, {}, 'paymasterData should not end in 0x22e325a297439656'],
    [{ paymasterSignature: '0x1234' }, {}, 'paymasterSignature should not exist'],
    [{}, { signingPhase: 'commit' }, 'signingPhase should not exist'],
  ])('is refused of a paymaster whose signature is part of the hash: %j %j', async (fields, context, message) => {
    const singleton = await engine.dapp({ version: 'singleton-0.9' });
    const op = { ...toRpcUserOperation(await operation()), ...fields };
    const { error } = await ask7677('pm_getPaymasterData', op, context, singleton);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) as string });
  });
});

/** Every method that signs. */
const methods: Record<string, (op: Wire, by: SponsoredDapp) => Promise<Answer>> = {
  'pm_sponsorUserOperation with options': (op, by) => ask('pm_sponsorUserOperation', [op, { mode: 'SPONSORED' }], by),
  'pm_sponsorUserOperation with an EntryPoint': (op, by) => ask('pm_sponsorUserOperation', [op, world.entryPoint], by),
  pm_getFeeQuoteOrData: (op, by) => ask('pm_getFeeQuoteOrData', [op, { mode: 'SPONSORED' }], by),
  pm_getPaymasterData: (op, by) => ask7677('pm_getPaymasterData', op, undefined, by),
  zd_sponsorUserOperation: (op, by) =>
    ask('zd_sponsorUserOperation', [{ chainId: chain().chainId, userOp: op, entryPointAddress: world.entryPoint }], by),
  alchemy_requestPaymasterAndData: (op, by) =>
    ask('alchemy_requestPaymasterAndData', [{ policyId: 'any', entryPoint: world.entryPoint, userOperation: op }], by),
  alchemy_requestGasAndPaymasterAndData: (op, by) =>
    ask(
      'alchemy_requestGasAndPaymasterAndData',
      [
        {
          policyId: 'any',
          entryPoint: world.entryPoint,
          userOperation: op,
          dummySignature: STUB_SIGNATURE,
          overrides: {},
        },
      ],
      by,
    ),
};

describe.each(['parallel-0.9', 'singleton-0.9'])(
  'every method sponsors an account of EntryPoint 0.9 by %s',
  (version) => {
    test.each(Object.entries(methods))('and what viem signs is mined: %s', async (_, sponsor) => {
      const by = await engine.dapp({ version });
      const op = await operation();
      const answer = await sponsor(toRpcUserOperation(op), by);
      const filled = withFields(op, answer);
      const { paymasterSignature } = answer.result!;
      expect(paymasterSignature === undefined).toBe(version === 'singleton-0.9');
      const account = signedByViem(filled, paymasterSignature);
      const final = paymasterSignature === undefined ? account : joined(account, paymasterSignature);
      expect((await world.mine(final)).success).toBe(true);
      expect((await by.decisions())[0]).toMatchObject({ outcome: 'sponsored', entryPoint: world.entryPoint });
    });
  },
);

test('the packed form that Biconomy’s dialect answers is the one that contracts take', async () => {
  const op = await operation();
  const { result } = await ask('pm_sponsorUserOperation', [toRpcUserOperation(op), { mode: 'SPONSORED' }]);
  expect(result!['paymasterAndData']).toBe(
    `0x${String(result!['paymaster']).slice(2)}${(60_000).toString(16).padStart(32, '0')}${'0'.repeat(32)}${signatureSuffix(result!.paymasterSignature!.slice(2))}`.toLowerCase(),
  );
  expect(String(result!['paymaster']).toLowerCase()).toBe(parallel.toLowerCase());
});

test('EIP-7702 accounts sign before the paymaster as well', async () => {
  const { provider, chainId } = chain();
  const owner = devWallet(8, provider);
  const delegate = await deployContract('Simple7702Account-0.9', [world.entryPoint], operator);
  await provider.send('anvil_setCode', [owner.address, `0xef0100${delegate.slice(2)}`]);
  const { factory: _f, factoryData: _d, ...plain } = await operation();
  const op: UserOperationV07 = { ...plain, sender: owner.address as Address, factory: `0x7702${'00'.repeat(18)}` };
  const answer = await ask7677('pm_getPaymasterData', toRpcUserOperation(op), { signingPhase: 'commit' });
  const filled = withFields(op, answer);
  const hash = entryPoints['0.9'].hash(filled, { chainId, entryPoint: world.entryPoint, delegate });
  const account = { ...filled, signature: owner.signingKey.sign(hash).serialized as Hex };
  const final = { ...withFields(account, await finalized(account)), signature: account.signature };
  const entryPoint = await contractAt('EntryPoint-0.9', world.entryPoint, operator);
  const before = await world.deposit(parallel);
  await (await entryPoint.getFunction('handleOps').send([packUserOperation(final)], operator.address)).wait();
  expect(await world.deposit(parallel)).toBeLessThan(before);
});

describe('what the two phases end', () => {
  test('a client that asks and never sends holds nothing of the tank: by single requests, as much for as long as the window', async () => {
    const ASKED = 5;
    const single = await engine.dapp({ version: 'singleton-0.9' });
    const singleHeld = async (): Promise<bigint> =>
      BigInt((await ask('pm_paymasterBalance', [], single)).result!['promised'] as string);
    const before = [await heldWei(), await singleHeld()] as const;
    for (let asked = 0; asked < ASKED; asked += 1) {
      const op = toRpcUserOperation(await operation());
      expect((await ask7677('pm_getPaymasterData', op, { signingPhase: 'commit' })).error).toBeUndefined();
      // A stranger's placeholder is no signature, so asking for more changes nothing.
      expect((await ask7677('pm_getPaymasterData', op, { signingPhase: 'finalize' })).error?.code).toBe(-32050);
      expect((await ask7677('pm_getPaymasterData', op, {}, single)).error).toBeUndefined();
    }
    const held = [(await heldWei()) - before[0], (await singleHeld()) - before[1]] as const;
    const { maxCostWei, validUntil, at } = (await single.decisions())[0]!;
    expect(held).toEqual([0n, BigInt(ASKED) * BigInt(maxCostWei!)]);
    expect(validUntil! - Math.floor(at / 1000)).toBe(300);
  });

  test('a price that no longer holds is refused when the operation comes back signed, while a single request is bound to it', async () => {
    const { provider } = chain();
    const single = await engine.dapp({ version: 'singleton-0.9' });
    const { baseFeePerGas } = (await provider.getBlock('latest'))!;
    const account = await committed();
    const bound = await ask7677('pm_getPaymasterData', toRpcUserOperation(await operation()), {}, single);
    expect(bound.error).toBeUndefined();
    await provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${(4_000_000_000).toString(16)}`]);
    await provider.send('evm_mine', []);
    try {
      const held = await heldWei();
      const { error } = await finalized(account);
      expect(error).toMatchObject({ code: -32050, data: { rule: 'fees', code: 'FEE_TOO_LOW' } });
      expect(await heldWei()).toBe(held);
      // What was signed in one step stays reserved until its window is over.
      expect((await single.decisions())[0]).toMatchObject({ outcome: 'sponsored', settlement: 'reserved' });
    } finally {
      await provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${baseFeePerGas!.toString(16)}`]);
      await provider.send('evm_mine', []);
    }
  });

  test('a limit that was reached meanwhile denies the operation when it comes back', async () => {
    const limited = await engine.dapp({ version: 'parallel-0.9' });
    const { paymasterId } = limited;
    const policyData = {
      type: 'PAYMASTER',
      thresholdType: 'COUNT',
      threshold: 1,
      cycleDuration: { unit: 'day', value: 1 },
    };
    const rule = { name: 'One a day', policyType: 'PAYMASTER_SA_LIMIT', policyData };
    await engine.service.call('rules.create', { paymasterId, rule });
    const commit = async (): Promise<UserOperationV07> => {
      const op = await operation();
      const context = { signingPhase: 'commit' };
      return signed(withFields(op, await ask7677('pm_getPaymasterData', toRpcUserOperation(op), context, limited)));
    };
    const [one, other] = [await commit(), await commit()];
    expect((await finalized(one, {}, limited)).error).toBeUndefined();
    expect((await finalized(other, {}, limited)).error?.data).toMatchObject({ rule: 'spendingLimit' });
  });

  test('a thousand requests at once are each answered in their phase, and only what is signed is held', async () => {
    const REQUESTS = 1_000;
    const busy = await engine.dapp({ version: 'parallel-0.9' });
    const accounts = await Promise.all(Array.from({ length: 10 }, committed));
    const open = await Promise.all(Array.from({ length: 10 }, operation));
    const before = await heldWei();
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, (_, index) => {
        if (index % 100 < 10) return finalized(accounts[index % 10]!, {}, busy);
        const context = { signingPhase: 'commit' };
        return ask7677('pm_getPaymasterData', toRpcUserOperation(open[index % 10]!), context, busy);
      }),
    );
    expect(answers.map(({ error }) => error).filter(Boolean)).toEqual([]);
    const decisions = await busy.decisions();
    expect(decisions).toHaveLength(REQUESTS / 10);
    const total = decisions.reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei!), 0n);
    expect((await heldWei()) - before).toBe(total);
    const commits = answers.filter((_, index) => index % 100 >= 10);
    for (const { result } of commits) expect(result!.paymasterData).toContain('ffffffffffffffffffffffff');
  });
});

describe('an operation whose factory the EntryPoint ignores, because its account exists', () => {
  const MADE = { name: 'Deploy', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
  const existing = async (): Promise<UserOperationV07> => {
    const op = await operation();
    const answer = await ask7677('pm_getPaymasterData', toRpcUserOperation(op), {});
    const filled = withFields(op, answer);
    const account = signedByViem(filled, answer.result!.paymasterSignature);
    await world.mine(joined(account, answer.result!.paymasterSignature!));
    return { ...op, nonce: 1n };
  };

  test('is no deployment: a DApp that sponsors none pays for it, and it is mined', async () => {
    const strict = await engine.dapp({ version: 'singleton-0.9' });
    const { paymasterId } = strict;
    const { _id: ruleId } = await engine.service.call('rules.create', { paymasterId, rule: MADE });
    await engine.service.call('rules.deactivate', { paymasterId, ruleId });
    const op = await existing();
    const first = await ask7677('pm_getPaymasterData', toRpcUserOperation(await operation()), {}, strict);
    expect(first.error?.data).toMatchObject({ code: 'WALLET_DEPLOYMENT_NOT_SPONSORED' });
    expect((await ask7677('pm_getPaymasterStubData', toRpcUserOperation(op), {}, strict)).error).toBeUndefined();
    const answer = await ask7677('pm_getPaymasterData', toRpcUserOperation(op), {}, strict);
    expect((await world.mine(await signed(withFields(op, answer)))).success).toBe(true);
  });

  test('is not denied as a deployment before its gas is estimated, which nothing could decide again', async () => {
    const strict = await engine.dapp({ version: 'singleton-0.9' });
    const { paymasterId } = strict;
    const { _id: ruleId } = await engine.service.call('rules.create', { paymasterId, rule: MADE });
    await engine.service.call('rules.deactivate', { paymasterId, ruleId });
    const used = toRpcUserOperation({ ...(await existing()), nonce: 0n });
    const { callGasLimit: _c, verificationGasLimit: _v, preVerificationGas: _p, ...op } = used;
    const { error } = await ask7677('pm_getPaymasterData', op, { calculateGasLimits: true }, strict);
    expect(error).toMatchObject({ data: expect.objectContaining({ aaCode: 'AA25' }) });
  });

  test.each([{}, { calculateGasLimits: true }])(
    'is not sponsored by a rule that sponsors only deployments: %j',
    async (context) => {
      const first = await engine.dapp({ version: 'parallel-0.9' });
      const rule = {
        name: 'First',
        policyType: 'CONDITION',
        policyData: { expression: 'op.deploys', message: 'Only first operations.' },
      };
      const { paymasterId } = first;
      await engine.service.call('rules.create', { paymasterId, rule });
      const made = toRpcUserOperation(await operation());
      const gasless = ({ callGasLimit: _c, verificationGasLimit: _v, preVerificationGas: _p, ...op }: Wire): Wire => op;
      const sent = (op: Wire): Wire => (Object.keys(context).length > 0 ? gasless(op) : op);
      expect((await ask7677('pm_getPaymasterData', sent(made), context, first)).error).toBeUndefined();
      const op = toRpcUserOperation(await existing());
      expect((await ask7677('pm_getPaymasterData', sent(op), context, first)).error?.code).toBe(-32050);
    },
  );
});
