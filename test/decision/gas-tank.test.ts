import Database from 'better-sqlite3';
import { parseEther } from 'ethers';
import { describe, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { finishOperation, partialOperation, simpleAccount, submitOperation } from '../../src/demo/simple-account.ts';
import { contractAt, devWallet, fundDeposit, fundGasTank } from '../../src/demo/world-contracts.ts';
import { FEE, GAS, RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();

const op = (overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  operation({ to: world().contracts.gameItems, data: gameCall('mint') }, overrides);
const isSponsored = ({ status, body }: RpcReply): boolean => {
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result?.paymasterAndData !== '0x';
};
const tankOf = async ({ fundingWallet }: SponsoredDapp): Promise<bigint> => {
  const contract = await contractAt('VerifyingSingletonPaymaster', world().paymaster, world().chain.provider);
  return (await contract.getFunction('getBalance')(fundingWallet)) as bigint;
};
/** The amount a hint asks for, in wei. */
const lacking = ({ body }: RpcReply): bigint => {
  expect(body.result?.reason).toMatchObject({ code: 'GAS_TANK_EMPTY', rule: 'gasTank' });
  return parseEther(/at least ([\d.]+) ETH/.exec(body.result!.reason!.hint)![1]!);
};
const topUp = (dapp: SponsoredDapp, wei: bigint): Promise<void> =>
  fundGasTank(world().paymaster, dapp.fundingWallet, wei, world().operator);

describe('a tank never promises more than it holds', () => {
  test.each([
    [7, 0n],
    [7, RESERVED_WEI - 1n],
    [0, RESERVED_WEI - 1n],
  ])('of 50 operations at once exactly %i are sponsored, and a spare of %i wei buys none', async (covered, spare) => {
    const dapp = await world().dapp(BigInt(covered) * RESERVED_WEI + spare);
    const replies = await Promise.all(Array.from({ length: 50 }, (_, nonce) => dapp.sponsor(op({ nonce }))));
    expect(replies.filter(isSponsored)).toHaveLength(covered);
    const denied = replies.filter((reply) => !isSponsored(reply));
    for (const reply of denied) expect(lacking(reply)).toBe(RESERVED_WEI - spare);

    const decisions = await dapp.decisions();
    const sponsored = decisions.filter(({ outcome }) => outcome === 'sponsored');
    expect([decisions.length, sponsored.length]).toEqual([50, covered]);
    expect(decisions.every(({ maxCostWei }) => maxCostWei === String(RESERVED_WEI))).toBe(true);
    const reserved = sponsored.reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei!), 0n);
    expect(reserved + spare).toBe(await tankOf(dapp));
  });

  test('two DApps with one funding wallet share its tank', async () => {
    const dapp = await world().dapp(RESERVED_WEI);
    const stranger = await world().dapp(0n);
    expect(isSponsored(await dapp.sponsor(op()))).toBe(true);
    expect(isSponsored(await stranger.sponsor(op()))).toBe(false);
    const twin = await world().engine.dapp({ fundingWallet: world().walletOf(dapp)! });
    expect(isSponsored(await twin.sponsor(op()))).toBe(false);
    await topUp(twin, RESERVED_WEI);
    expect(isSponsored(await dapp.sponsor(op()))).toBe(true);
  });
});

describe('an empty tank', () => {
  test('lacks what the hint says, to the wei: one less does not do', async () => {
    const dapp = await world().dapp(12_345n);
    expect(isSponsored(await dapp.sponsor(op({ maxFeePerGas: String(3n * FEE + 1n) })))).toBe(false);
    const short = lacking(await dapp.sponsor(op()));
    expect(short).toBe(RESERVED_WEI - 12_345n);
    await topUp(dapp, short - 1n);
    expect(lacking(await dapp.sponsor(op()))).toBe(1n);
    await topUp(dapp, 1n);
    expect(isSponsored(await dapp.sponsor(op()))).toBe(true);
    expect(lacking(await dapp.sponsor(op()))).toBe(RESERVED_WEI);
  });

  test('is answered as Biconomy answers: 200, 0x and the gas of the operation, so that the user can pay', async () => {
    const dapp = await world().dapp(0n);
    const { status, body } = await dapp.sponsor(op());
    expect([status, body]).toEqual([
      200,
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          MODE: 'SPONSORED',
          mode: 'SPONSORED',
          paymasterAndData: '0x',
          preVerificationGas: GAS.preVerificationGas,
          verificationGasLimit: Number(GAS.verificationGasLimit),
          callGasLimit: Number(GAS.callGasLimit),
          reason: {
            code: 'GAS_TANK_EMPTY',
            rule: 'gasTank',
            message: expect.stringContaining('holds 0 ETH, of which 0 ETH is reserved'),
            hint: 'Top up the tank by at least 0.001772 ETH.',
          },
        },
      },
    ]);
  });

  test('denies an operation that would cost more than there is money, without losing a digit', async () => {
    const dapp = await world().dapp(RESERVED_WEI);
    const most = 2n ** 120n - 1n;
    const { body } = await dapp.sponsor(op({ maxFeePerGas: String(most), callGasLimit: String(most) }));
    expect(body.result?.callGasLimit).toBe(Number(most));
    const cost = (most + 3n * 500_000n + 60_000n + 12_000n) * most;
    const [decision] = await dapp.decisions();
    expect(decision).toMatchObject({ code: 'FEE_TOO_HIGH', maxCostWei: String(cost) });
    expect(decision?.trace.at(-1)).toMatchObject({ code: 'GAS_TANK_EMPTY', evidence: { requiredWei: String(cost) } });
  });
});

test.each<[string, Record<string, unknown>]>([
  ['PRE_VERIFICATION_GAS_TOO_HIGH', { preVerificationGas: String(10n ** 9n) }],
  ['FEE_TOO_HIGH', { maxFeePerGas: String(10n ** 13n), maxPriorityFeePerGas: String(10n ** 13n) }],
])('a full tank is not carried away by a sender who bundles for himself: %s', async (code, overrides) => {
  const dapp = await world().dapp(10n ** 21n);
  const { body } = await dapp.sponsor(op(overrides));
  expect(body.result).toMatchObject({ paymasterAndData: '0x', reason: { code, rule: 'fees' } });
});

describe('a promise', () => {
  /** Waits until settlement has read the chain to its end. Its polls happen by the desk's clock. */
  const settled = async (): Promise<void> => {
    const head = await world().chain.provider.getBlockNumber();
    const database = new Database(world().database, { readonly: true });
    try {
      const cursor = database.prepare<[], number>('SELECT block FROM chain_cursor').pluck();
      for (let polls = 0; polls < 1000 && (cursor.get() ?? -1) < head; polls += 1) {
        await world().clock.advance(polls % 20 === 0 ? 4_000 : 0);
        await world().chain.provider.send('eth_blockNumber', []);
      }
      expect(cursor.get()).toBe(head);
    } finally {
      database.close();
    }
  };

  test('ends when no block of the chain can hold the operation any more, not a moment before', async () => {
    const { clock, chain } = world();
    const dapp = await world().dapp(RESERVED_WEI);
    expect(isSponsored(await dapp.sponsor(op(), { expiryDuration: 600 }))).toBe(true);
    const { validUntil } = (await dapp.decisions())[0]!;
    const isReleased = async (): Promise<boolean> => (await dapp.decisions()).at(-1)?.settlement === 'released';
    /** Mines a block of that time, which moves the desk's clock along. */
    const mineAt = async (seconds: number): Promise<void> => {
      await chain.provider.send('evm_setNextBlockTimestamp', [seconds]);
      await chain.provider.send('evm_mine', []);
      await clock.advance(Math.max(0, seconds * 1000 - clock.now()));
    };
    await mineAt(validUntil! + 120);
    await settled();
    expect(lacking(await dapp.sponsor(op()))).toBe(RESERVED_WEI);
    expect(await isReleased()).toBe(false);
    await mineAt(validUntil! + 130);
    await settled();
    await expect.poll(isReleased).toBe(true);
    expect(isSponsored(await dapp.sponsor(op()))).toBe(true);
  });

  test('ends when its operation is mined: the tank has paid, and what it did not need is free again', async () => {
    const { chain, contracts, operator } = world();
    const dapp = await world().dapp(2n * RESERVED_WEI);
    const account = await simpleAccount(contracts.accountFactory, devWallet(3, chain.provider), 99n, chain.provider);
    const call = { to: contracts.gameItems, data: gameCall('mint') };
    const partial = {
      ...(await partialOperation(account, call, contracts.entryPoint, chain.provider)),
      ...GAS,
      maxFeePerGas: `0x${(2n * FEE).toString(16)}`,
    };
    const { body } = await dapp.sponsor(partial);
    expect(lacking(await dapp.sponsor(op({ nonce: 5 })))).toBe(RESERVED_WEI);
    const onChain = { chainId: chain.chainId, entryPoint: contracts.entryPoint };
    const final = await finishOperation(account, partial, body.result!, onChain);
    const before = await tankOf(dapp);
    await submitOperation(final, contracts.entryPoint, operator);
    await settled();
    const left = await tankOf(dapp);
    expect((await dapp.decisions()).at(-1)).toMatchObject({
      settlement: 'settled',
      actualCostWei: String(before - left),
    });
    expect(left).toBeGreaterThan(RESERVED_WEI);
    expect(isSponsored(await dapp.sponsor(op({ nonce: 5 })))).toBe(true);
    expect(lacking(await dapp.sponsor(op({ nonce: 6 })))).toBe(2n * RESERVED_WEI - left);
  });

  test('reserves nothing when the operation is denied or fails', async () => {
    const dapp = await world().dapp(RESERVED_WEI);
    expect(isSponsored(await dapp.sponsor(op({ maxFeePerGas: String(2n * FEE) })))).toBe(false);
    expect((await dapp.sponsor(op({ callGasLimit: '0x' }))).body.error?.code).toBe(-32602);
    expect(isSponsored(await dapp.sponsor(op()))).toBe(true);
  });
});

describe('a contract without tanks pays from its deposit', () => {
  test('and the deposit is what is looked into, shared by all its DApps', async () => {
    const { engine, chain, contracts, operator } = world();
    const target = { chainId: chain.chainId, version: 'verifying-0.6' };
    const address = await attachNewContract(engine.service, operator, target);
    const needed = RESERVED_WEI - 12_000n * FEE; // no overhead is charged on top of the EntryPoint's maximum
    const deposit = (wei: bigint): Promise<void> => fundDeposit(contracts.entryPoint, address, wei, operator);
    const [one, other] = [
      await engine.dapp({ version: 'verifying-0.6' }),
      await engine.dapp({ version: 'verifying-0.6' }),
    ];
    expect(lacking(await one.sponsor(op()))).toBe(needed);
    await deposit(needed);
    expect(isSponsored(await one.sponsor(op()))).toBe(true);
    expect(lacking(await other.sponsor(op()))).toBe(needed);
    await deposit(needed);
    expect(isSponsored(await other.sponsor(op()))).toBe(true);
    const entryPoint = await contractAt('EntryPoint', contracts.entryPoint, chain.provider);
    const held = (await entryPoint.getFunction('balanceOf')(address)) as bigint;
    expect(held).toBe(2n * needed);
  });
});
