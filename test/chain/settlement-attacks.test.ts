import { type Signer, concat, dataSlice, id, parseEther, toQuantity } from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SimpleAccount, finishOperation, simpleAccount } from '../../src/demo/simple-account.ts';
import { contractAt, deployContract, devWallet, fundGasTank } from '../../src/demo/world-contracts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { type Answer, error, passTo, result, withNode } from '../support/odd-node.ts';
import { scrambledBundler } from '../support/scrambled-bundler.ts';
import { FEE, gameCall } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { setUnseenChain } from '../support/unseen-chain.ts';
import { firstOf, sized } from '../support/combinations.ts';

const world = useSponsoredWorld();

const LIMIT_COINS = 0.003;
const LIMIT = parseEther(String(LIMIT_COINS));
const EXPIRY = 30;
/** Seconds after which nothing signed for {@link EXPIRY} seconds is reserved any more. */
const LATER = EXPIRY + 140;
/** An expensive operation reserves 0.0019 ETH of the tank, as much as the chain's tips allow; the cheap one costs half. */
const GAS = { callGasLimit: '200000', verificationGasLimit: '120000', preVerificationGas: '60000' };
const [DEAR, CHEAP] = [{ fee: 3n * FEE }, { fee: (3n * FEE) / 2n }];

/** A node that suggests a tip at which both are usual. */
const withTip: Answer = (response, method, body) =>
  (method === 'eth_maxPriorityFeePerGas' ? result(`0x${(2n * FEE).toString(16)}`) : passTo(world().chain.url))(
    response,
    method,
    body,
  );
const ended = Promise.withResolvers<undefined>();
let rpc = '';
beforeAll(async () => {
  const isSet = Promise.withResolvers<undefined>();
  void withNode(withTip, async (url) => {
    rpc = url;
    await setUnseenChain(world().engine.service, world().chain.chainId, url);
    isSet.resolve(undefined);
    await ended.promise;
  });
  await isSet.promise;
});
afterAll(() => {
  ended.resolve(undefined);
});

let account: SimpleAccount;
/** Of the same owner. */
let secondAccount: SimpleAccount;
let attacker: Record<'openly' | 'scrambled', Signer>;
beforeAll(async () => {
  const { chain, contracts, operator } = world();
  const newAccount = async (salt: bigint): Promise<SimpleAccount> => {
    const made = await simpleAccount(contracts.accountFactory, devWallet(3, chain.provider), salt, chain.provider);
    const creation = { to: contracts.accountFactory, data: dataSlice(made.initCode, 20) };
    await (await operator.sendTransaction(creation)).wait();
    return made;
  };
  account = await newAccount(7n);
  secondAccount = await newAccount(8n);
  const wallet = devWallet(8, chain.provider);
  attacker = { openly: wallet, scrambled: await scrambledBundler(wallet) };
});

const partialOf = (nonce: bigint, { fee }: { fee: bigint }, by = account): Record<string, string> => ({
  sender: by.address,
  nonce: `0x${nonce.toString(16)}`,
  initCode: '0x',
  callData: encodeExecute(world().contracts.gameItems, 0n, gameCall('mint')),
  ...GAS,
  maxFeePerGas: String(fee),
  maxPriorityFeePerGas: String(fee),
  signature: '0x',
});

/** The signed operation, with bytes behind its `paymasterAndData`; undefined if it is not sponsored. */
const signed = async (
  dapp: SponsoredDapp,
  nonce: bigint,
  price: { fee: bigint },
  behind: Hex = '0x',
  { by = account, expiryDuration = EXPIRY } = {},
): Promise<UserOperationV06 | undefined> => {
  const partial = partialOf(nonce, price, by);
  const { status, body } = await dapp.sponsor(partial, { expiryDuration });
  expect([status, body.error]).toEqual([200, undefined]);
  const { paymasterAndData, reason } = body.result!;
  if (paymasterAndData === '0x') {
    expect(reason?.code).toBe('LIMIT_REACHED');
    return undefined;
  }
  const { chain, contracts } = world();
  const onChain = { chainId: chain.chainId, entryPoint: contracts.entryPoint };
  const sponsored = { ...body.result!, paymasterAndData: concat([paymasterAndData, behind]) };
  return finishOperation(by, partial, sponsored, onChain);
};

const DEDUCTED = id('GasBalanceDeducted(address,uint256)');

/** Mines operations in one bundle of the attacker's. Answers what the contract says they cost their tanks. */
const mine = async (ops: readonly UserOperationV06[], how: keyof typeof attacker = 'openly'): Promise<bigint[]> => {
  const entryPoint = await contractAt('EntryPoint', world().contracts.entryPoint, attacker[how]);
  const sent = await entryPoint.getFunction('handleOps').send(ops, await attacker[how].getAddress());
  const logs = (await sent.wait())?.logs ?? [];
  return logs.filter(({ topics }) => topics[0] === DEDUCTED).map(({ topics }) => BigInt(topics[2]!));
};

/** Lets time pass, after which chain and desk agree on it. */
const pass = async (seconds: number): Promise<void> => {
  const { chain, clock } = world();
  const { timestamp } = (await chain.provider.getBlock('latest'))!;
  const now = Math.max(timestamp, Math.ceil(clock.now() / 1000)) + seconds;
  await chain.provider.send('evm_setNextBlockTimestamp', [now]);
  await chain.provider.send('evm_mine', []);
  await clock.advance(now * 1000 - clock.now());
};

// Blocks have the time of this machine, which may be slow; what is signed is good for seconds of the desk's clock.
beforeEach(() => pass(1));

const settlementsOf = async (dapp: SponsoredDapp): Promise<(string | null)[]> =>
  (await dapp.decisions()).flatMap(({ outcome, settlement }) => (outcome === 'sponsored' ? [settlement] : []));

/** The same, after settlement, which goes by the desk's clock, had the time to look at the chain. */
const polledSettlementsOf = async (dapp: SponsoredDapp, ms = 4_000): Promise<(string | null)[]> => {
  await world().clock.advance(ms);
  return settlementsOf(dapp);
};
const noneReserved = (dapp: SponsoredDapp): Promise<void> =>
  expect.poll(() => polledSettlementsOf(dapp)).not.toContain('reserved');

const limited = async (dapp: SponsoredDapp, unit: 'hour' | 'day' = 'day'): Promise<SponsoredDapp> => {
  const { paymasterId } = dapp;
  const limits = [
    { name: 'wei', thresholdType: 'NATIVE_ASSET', threshold: LIMIT_COINS },
    { name: 'operations', thresholdType: 'COUNT', threshold: 2 },
  ];
  for (const { name, ...threshold } of limits) {
    const policyData = { type: 'PAYMASTER', cycleDuration: { value: 1, unit }, ...threshold };
    const rule = { name, policyType: 'PAYMASTER_SA_LIMIT', policyData };
    await world().engine.service.call('rules.create', { paymasterId, rule });
  }
  return dapp;
};
const usageOf = async ({ paymasterId }: SponsoredDapp): Promise<[wei: bigint, operations: bigint]> => {
  const usage = await world().engine.service.call('rules.usage', { paymasterId });
  const used = (name: string): bigint => BigInt(usage.find((one) => one.name === name)!.used);
  return [used('wei'), used('operations')];
};
const tankOf = async (paymaster: Address, { fundingWallet }: SponsoredDapp): Promise<bigint> => {
  const contract = await contractAt('VerifyingSingletonPaymaster', paymaster, world().chain.provider);
  return (await contract.getFunction('getBalance')(fundingWallet)) as bigint;
};
/** Nonces of keys that no other test has. */
let keys = 0n;
const newNonce = (): bigint => (keys += 1n) << 64n;

describe('bytes behind the signed data, by which an operation is mined under a hash that no decision has', () => {
  const ZEROS: Hex = `0x${'00'.repeat(32)}`;
  type Behind = (decoy: UserOperationV06) => Hex;
  const zeros: Behind = () => ZEROS;
  const decoyData: Behind = ({ paymasterAndData }) => paymasterAndData;

  const attacks: [string, 'openly' | 'scrambled', Behind, unknown][] = [
    ['zeros', 'openly', zeros, ['settled']],
    ['zeros', 'scrambled', zeros, ['unconfirmed']],
    ['the data of a cheap operation', 'openly', decoyData, ['settled']],
  ];
  test.each(firstOf(attacks, 2))(
    'gain nothing from the limits of two DApps: %s, bundled %s',
    async (_what, how, behind, ends) => {
      const [cheap, dear] = [await world().dapp(parseEther('1')), await limited(await world().dapp(parseEther('1')))];
      const before = await tankOf(world().paymaster, dear);
      const costs: bigint[] = [];
      for (let attempt = 0; attempt < sized(8, 4); attempt += 1) {
        const nonce = newNonce();
        const decoy = await signed(cheap, nonce, CHEAP);
        const op = await signed(dear, nonce, DEAR, behind(decoy!));
        if (op === undefined) continue;
        costs.push(...(await mine([op], how)));
        await pass(LATER);
        await noneReserved(dear);
      }
      const lost = before - (await tankOf(world().paymaster, dear));
      expect.soft(lost).toBeLessThanOrEqual(LIMIT);
      expect.soft(costs.length).toBeLessThanOrEqual(2);
      const [wei, operations] = await usageOf(dear);
      expect(operations).toBe(BigInt(costs.length));
      expect(wei).toBeGreaterThanOrEqual(costs.reduce((sum, cost) => sum + cost, 0n));
      expect([...new Set(await settlementsOf(dear))]).toEqual(ends);
      if (how === 'openly') {
        expect(await settlementsOf(cheap)).not.toContain('settled');
        // What the limit counts is what the tank has lost.
        expect(wei).toBe(lost);
      }
    },
  );

  test('gain nothing from the windows of one limit', async () => {
    const dapp = await limited(await world().dapp(parseEther('1')), 'hour');
    const before = await tankOf(world().paymaster, dapp);
    const nonces = [newNonce(), newNonce()];
    // Signed in one window, so late that the next one begins before they expire.
    const { windowEndsAt } = (await world().engine.service.call('rules.usage', { paymasterId: dapp.paymasterId }))[0]!;
    await pass(Math.ceil((Number(windowEndsAt) - world().clock.now()) / 1000) - 10);
    for (const nonce of nonces) expect(await signed(dapp, nonce, CHEAP)).toBeDefined();
    await pass(12);
    const costs: bigint[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const nonce = nonces[attempt] ?? newNonce();
      const op = await signed(dapp, nonce, DEAR, ZEROS);
      if (op === undefined) continue;
      costs.push(...(await mine([op])));
      await pass(LATER);
      await noneReserved(dapp);
    }
    expect(costs).toHaveLength(2);
    expect(before - (await tankOf(world().paymaster, dapp))).toBeLessThanOrEqual(LIMIT);
    expect(await usageOf(dapp)).toEqual([costs[0]! + costs[1]!, 2n]);
    expect((await settlementsOf(dapp)).sort()).toEqual(['released', 'released', 'settled', 'settled']);
  });

  test('are reported to the operator if they hide which decision it was', async () => {
    const dapp = await world().dapp(parseEther('1'));
    const nonce = newNonce();
    const [first, second] = [await signed(dapp, nonce, CHEAP), await signed(dapp, nonce, DEAR, ZEROS)];
    expect(first).toBeDefined();
    await mine([second!], 'scrambled');
    await noneReserved(dapp);
    expect(await settlementsOf(dapp)).toEqual(['unconfirmed', 'unconfirmed']);
    const { checks } = await world().engine.service.call('system.doctor', {});
    expect(checks.find(({ name }) => name.startsWith('operations on chain'))).toMatchObject({
      ok: true,
      detail: expect.stringContaining('could not be matched with their decisions'),
    });
  });
});

describe('logs that come from another node than the head', () => {
  /** Blocks that come with every second. */
  const BLOCKS_A_SECOND = 4;
  interface Told {
    readonly blockNumber: Hex;
    readonly topics: readonly string[];
  }

  /** Mines the blocks of some seconds. */
  const grow = async (blocks: number): Promise<void> => {
    const { provider } = world().chain;
    for (let mined = 0; mined < blocks; mined += BLOCKS_A_SECOND) {
      const { timestamp } = (await provider.getBlock('latest'))!;
      await provider.send('evm_setNextBlockTimestamp', [timestamp + 1]);
      await provider.send('evm_mine', []);
      await provider.send('anvil_mine', [toQuantity(Math.min(BLOCKS_A_SECOND, blocks - mined) - 1), '0x0']);
    }
  };

  /** Answers the logs that `keep` keeps, given the newest block, and everything else as the chain does. */
  const logsOf =
    (keep: (log: Told, newest: number) => boolean, has: (block: number, newest: number) => boolean): Answer =>
    (response, method, body) => {
      const { provider } = world().chain;
      if (method !== 'eth_getLogs') return withTip(response, method, body);
      const [filter] = (JSON.parse(body) as { params: [{ blockHash?: string }] }).params;
      const answer = async (): Promise<Answer> => {
        const newest = await provider.getBlockNumber();
        const block = filter.blockHash === undefined ? null : await provider.getBlock(filter.blockHash);
        if (block !== null && !has(block.number, newest)) return error(-32_000, 'unknown block');
        return result(((await provider.send(method, [filter])) as Told[]).filter((log) => keep(log, newest)));
      };
      answer().then(
        (told) => told(response, method, body),
        () => response.destroy(),
      );
    };
  const BEHIND = 16;
  const behind = logsOf(
    ({ blockNumber }, newest) => Number(blockNumber) <= newest - BEHIND,
    (block, newest) => block <= newest - BEHIND,
  );
  const without = logsOf(
    () => false,
    () => true,
  );
  const failing: Answer = (response, method, body) =>
    (method === 'eth_getLogs' ? error(-32_000, 'internal error') : withTip)(response, method, body);

  /** Runs with logs that are answered so. */
  const withLogs = (answer: Answer, run: () => Promise<void>): Promise<void> =>
    withNode(answer, async (url) => {
      const { engine, chain } = world();
      await engine.service.call('chains.set', { chainId: chain.chainId, rpc: url });
      try {
        await run();
      } finally {
        await engine.service.call('chains.set', { chainId: chain.chainId, rpc });
      }
    });

  /** Mines up to five operations, each long enough before a poll that the next ones do not read its block again. */
  const attack = async (dapp: SponsoredDapp, settle: () => Promise<void>): Promise<bigint[]> => {
    const costs: bigint[] = [];
    for (let attempt = 0; attempt < sized(5, 3); attempt += 1) {
      await pass(1);
      const op = await signed(dapp, newNonce(), CHEAP);
      if (op !== undefined) costs.push(...(await mine([op])));
      await grow(13);
      await polledSettlementsOf(dapp);
      await pass(LATER);
      await grow(2 * BEHIND);
      await settle();
    }
    return costs;
  };

  test.each<[string, Answer, string]>([
    ['a node 16 blocks behind, which leaves out what it does not have', behind, 'settled'],
    ['a node that has no logs at all', without, 'unconfirmed'],
  ])('gain nothing from a limit: %s', async (_what, answer, becomes) => {
    const dapp = await limited(await world().dapp(parseEther('1')));
    const before = await tankOf(world().paymaster, dapp);
    let costs: bigint[] = [];
    await withLogs(answer, async () => {
      costs = await attack(dapp, () => noneReserved(dapp));
      expect(await settlementsOf(dapp)).toEqual([becomes, becomes]);
    });
    const lost = before - (await tankOf(world().paymaster, dapp));
    expect(costs).toHaveLength(2);
    expect(lost).toBeLessThanOrEqual(LIMIT);
    const [wei, operations] = await usageOf(dapp);
    expect([operations, wei >= lost]).toEqual([2n, true]);
    // Once the logs are there, they count, though nothing waits for them any more and so only new blocks are looked at.
    const later = async () => {
      await grow(1);
      return polledSettlementsOf(dapp, 60_000);
    };
    await expect.poll(later).toEqual(['settled', 'settled']);
  });

  test('gain nothing from a limit by a cheap operation of another sender in the bundle, where logs come late', async () => {
    const [cheap, dear] = [await world().dapp(parseEther('1')), await limited(await world().dapp(parseEther('1')))];
    const before = await tankOf(world().paymaster, dear);
    // Valid for longer than late logs are looked for, so that the operation is found by its nonce.
    const [expiryDuration, later] = [900, 700];
    await withLogs(behind, async () => {
      await pass(1);
      const first = await signed(cheap, newNonce(), CHEAP, '0x', { by: secondAccount });
      const second = await signed(dear, newNonce(), DEAR, '0x', { expiryDuration });
      const [firstCost, secondCost] = await mine([first!, second!]);
      expect(firstCost).toBeLessThan(secondCost!);
      await grow(13);
      await polledSettlementsOf(dear);
      await pass(later);
      await polledSettlementsOf(dear);
      // From here on the node has the logs.
      await grow(8);
      await polledSettlementsOf(dear, 60_000);
      expect(await settlementsOf(dear)).toEqual(['reserved']);
      await pass(expiryDuration);
      await noneReserved(dear);
    });
    const lost = before - (await tankOf(world().paymaster, dear));
    expect(await settlementsOf(dear)).toEqual(['settled']);
    expect(await usageOf(dear)).toEqual([lost, 1n]);
  });

  test('gain nothing from a limit: a node that answers everything but logs', async () => {
    const dapp = await limited(await world().dapp(parseEther('1')));
    await withLogs(failing, async () => {
      const polls = async (): Promise<void> => {
        for (let times = 0; times < 5; times += 1) await polledSettlementsOf(dapp);
      };
      expect(await attack(dapp, polls)).toHaveLength(2);
      expect(await settlementsOf(dapp)).toEqual(['reserved', 'reserved']);
    });
    await expect.poll(() => polledSettlementsOf(dapp, 60_000)).toEqual(['settled', 'settled']);
  });

  test('do not hold back the release of what was never mined', async () => {
    const dapp = await limited(await world().dapp(parseEther('1')));
    await withLogs(behind, async () => {
      for (const nonce of [newNonce(), newNonce()]) expect(await signed(dapp, nonce, CHEAP)).toBeDefined();
      await pass(LATER);
      await noneReserved(dapp);
      expect(await settlementsOf(dapp)).toEqual(['released', 'released']);
      expect(await usageOf(dapp)).toEqual([0n, 0n]);
    });
  });
});

describe('a limit in US dollars', () => {
  const DOLLARS = 9n;
  const UNIT = 10n ** 18n;

  test('counts what operations cost at the price of when they were signed, whatever the feed says later', async () => {
    const { engine, chain, clock, operator } = world();
    const feed = await contractAt('TestFeed', await deployContract('TestFeed', [8], operator), operator);
    const answers = async (usd: bigint): Promise<void> => {
      await (await feed.getFunction('set').send(usd * 10n ** 8n, Math.floor(clock.now() / 1000))).wait();
      // A price is kept for 10 seconds.
      await pass(11);
    };
    const price = { source: 'chainlink', nativeFeed: (await feed.getAddress()) as Address, maxAge: 3_600 } as const;
    await engine.service.call('chains.set', { chainId: chain.chainId, price });
    const dapp = await world().dapp(parseEther('1'));
    const { paymasterId } = dapp;
    const policyData = { type: 'PAYMASTER', cycleDuration: { unit: 'lifetime' }, thresholdType: 'USD', threshold: 9 };
    const rule = { name: 'Nine dollars', policyType: 'PAYMASTER_SA_LIMIT', policyData } as const;
    await engine.service.call('rules.create', { paymasterId, rule });
    const used = async (): Promise<bigint> =>
      BigInt((await engine.service.call('rules.usage', { paymasterId }))[0]?.used ?? 0);

    let spent = 0n;
    for (const usd of [1_000n, 3_000n, 1_500n, 2_000n, 3_000n, 4_500n]) {
      await answers(usd);
      const op = await signed(dapp, newNonce(), DEAR);
      const { maxCostWei, trace } = (await dapp.decisions())[0]!;
      const worth = BigInt(maxCostWei!) * usd;
      const { evidence } = trace.find(({ rule: kind }) => kind === 'spendingLimit')!;
      expect(evidence).toMatchObject({ used: String(spent), amount: String(worth) });
      // No price lets an operation through for which the budget has no room, and none keeps one out for which it has.
      expect(op !== undefined).toBe(spent + worth <= DOLLARS * UNIT);
      if (op === undefined) continue;
      // What the coin is worth when the operation is mined changes nothing.
      await answers(10_000n);
      const [cost] = await mine([op]);
      await noneReserved(dapp);
      spent += cost! * usd;
      expect(await used()).toBe(spent);
    }

    // A re-org takes the last one back: it is reserved again, as it was.
    const settled = await used();
    await chain.provider.send('anvil_reorg', [6, []]);
    await expect.poll(() => polledSettlementsOf(dapp)).toContain('reserved');
    expect(await used()).toBeGreaterThan(settled);
    expect(await used()).toBeLessThanOrEqual(DOLLARS * UNIT);

    // A feed that has fallen silent signs nothing.
    await pass(4_000);
    const { body } = await dapp.sponsor(partialOf(newNonce(), CHEAP), { expiryDuration: EXPIRY });
    expect(body.result?.reason).toMatchObject({
      code: 'PRICE_UNKNOWN',
      message: expect.stringContaining('more than 3600 s ago'),
    });
    await engine.service.call('chains.set', { chainId: chain.chainId, price: null });
  });
});

describe('version 1.0.0, whose signatures never expire', () => {
  let paymaster: Address;
  let dapp: SponsoredDapp;
  /** Of version 1.1.0: what it has signed expires. */
  let other: SponsoredDapp;
  beforeAll(async () => {
    const { engine, chain, contracts, operator } = world();
    const { chainId } = chain;
    const [signer] = await engine.service.call('signers.list', {});
    const wiring = [operator.address, contracts.entryPoint, signer!.address];
    paymaster = await deployContract('TankPaymasterV100', wiring, operator);
    await engine.service.call('paymasterContracts.use', { chainId, version: '1.0.0', address: paymaster });
    dapp = await limited(await engine.dapp({ version: '1.0.0', fundingWallet: devWallet(90, chain.provider) }));
    await fundGasTank(paymaster, dapp.fundingWallet, parseEther('1'), operator);
    other = await world().dapp(parseEther('1'));
  });

  test('has no more operations mined than the limit allows, however long ago they were signed', async () => {
    const ops: UserOperationV06[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const op = await signed(dapp, newNonce(), CHEAP);
      if (op !== undefined) ops.push(op);
      await signed(other, newNonce(), CHEAP);
      await pass(LATER);
      await noneReserved(other);
    }
    const [decision] = (await dapp.decisions()).filter(({ outcome }) => outcome === 'sponsored');
    expect(await mine(ops)).toHaveLength(2);
    expect(decision).toMatchObject({ settlement: 'reserved', validAfter: 0, validUntil: 0 });
    expect(await world().engine.service.call('decisions.mined', { decisionId: decision!.id })).toBeNull();
    await noneReserved(dapp);
    expect(await settlementsOf(dapp)).toEqual(['settled', 'settled']);
    // Each is found again on the chain.
    for (const { id } of (await dapp.decisions()).filter(({ settlement }) => settlement === 'settled')) {
      const mined = await world().engine.service.call('decisions.mined', { decisionId: id });
      const receipt = await world().chain.provider.getTransactionReceipt(mined?.transactionHash ?? '0x');
      expect(receipt).toMatchObject({ blockNumber: mined?.blockNumber, status: 1 });
    }
  });

  test('gives back what can no longer be mined since its nonce is used, once no re-org brings it back', async () => {
    const free = await world().engine.dapp({ version: '1.0.0', fundingWallet: world().walletOf(other)! });
    await fundGasTank(paymaster, free.fundingWallet, parseEther('1'), world().operator);
    const nonce = newNonce();
    const [op, replaced] = [await signed(free, nonce, CHEAP), await signed(free, nonce, DEAR)];
    expect(op).toBeDefined();
    await mine([replaced!]);
    await expect.poll(() => polledSettlementsOf(free)).toEqual(['settled', 'reserved']);
    await pass(700);
    await world().chain.provider.send('anvil_mine', ['0x9']);
    await world().clock.advance(70_000);
    await signed(other, newNonce(), CHEAP);
    await pass(LATER);
    await noneReserved(other);
    expect(await settlementsOf(free)).toEqual(['settled', 'reserved']);
    await world().chain.provider.send('anvil_mine', ['0x5']);
    await expect.poll(() => polledSettlementsOf(free, 60_000)).toEqual(['settled', 'released']);
  });
});
