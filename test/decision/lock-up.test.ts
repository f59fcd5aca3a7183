import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { simpleAccount } from '../../src/demo/simple-account.ts';
import { devWallet } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { ACCEPTING_ACCOUNT } from '../support/accepting-account.ts';
import { codeOf, codesOf } from '../support/offline-desk.ts';
import { FEE, GAS, RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { RpcReply, SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const ETHER = 10n ** 18n;
const HOUR = 3_600_000;
/** A price that the chain's own fees allow. */
const PRICE = 10n * FEE;
/** What is reserved besides the gas of the operation's call. */
const OTHER_GAS = RESERVED_WEI / FEE - BigInt(GAS.callGasLimit);
const NOBODY: Address = `0x${'de'.repeat(20)}`;
const MALLORY: Address = `0x${'ad'.repeat(20)}`;
const ALICE: Address = `0x${'a1'.repeat(20)}`;
const BOB: Address = `0x${'b0'.repeat(20)}`;

const op = (sender: Address, overrides: Record<string, unknown> = {}): Record<string, unknown> =>
  operation({ to: world().contracts.gameItems, data: gameCall('mint') }, { sender, ...overrides });
/** An operation that may cost `wei`: far more than it will. */
const costing = (wei: bigint): Record<string, unknown> => ({
  callGasLimit: String(wei / PRICE - OTHER_GAS),
  maxFeePerGas: String(PRICE),
  maxPriorityFeePerGas: '1',
});
const reasonOf = ({ body }: RpcReply) => body.result?.reason;
const ofOne = (dapp: SponsoredDapp, sender: Address, count: number, wei: bigint): Promise<RpcReply[]> =>
  Promise.all(Array.from({ length: count }, (_, nonce) => dapp.sponsor(op(sender, { nonce, ...costing(wei) }))));
const held = async (dapp: SponsoredDapp, sender: Address): Promise<bigint> =>
  (await dapp.decisions())
    .filter((one) => one.settlement === 'reserved' && one.sender === sender)
    .reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei!), 0n);

beforeAll(async () => {
  for (const account of [MALLORY, ALICE, BOB]) {
    await world().chain.provider.send('anvil_setCode', [account, ACCEPTING_ACCOUNT]);
  }
  const { chain, engine } = world();
  await engine.service.call('chains.set', { chainId: chain.chainId, maxOperationCostWei: String(ETHER) });
});
// Empty blocks let the base fee fall, and with it what may be offered.
beforeEach(async () => {
  await world().chain.provider.send('anvil_setNextBlockBaseFeePerGas', [String(FEE)]);
  await world().chain.provider.send('evm_mine', []);
});

describe('an operation that cannot be valid', () => {
  test('holds no tank for a day: neither its expiry nor its missing account is accepted', async () => {
    const dapp = await world().dapp(ETHER);
    const attack = op(NOBODY, costing(ETHER));
    const forADay = await dapp.sponsor(attack, { expiryDuration: 86_400 });
    expect(forADay).toMatchObject({ status: 400, body: { error: { code: -32602 } } });
    expect(forADay.body.error?.message).toMatch(/^expiryDuration .*at most 3600/);
    expect(codeOf(await dapp.sponsor(attack, { expiryDuration: 3_600 }))).toBe('SENDER_WITHOUT_CODE');
    for (const hours of [1, 11, 11]) {
      expect(codeOf(await dapp.sponsor(op(ALICE)))).toBe('SPONSORED');
      await world().clock.sleep(hours * HOUR);
    }
  });

  test('is one of a nonce that is used, and of an account that is made a second time', async () => {
    const { chain, contracts, operator } = world();
    const dapp = await world().dapp(ETHER);
    const owner = devWallet(7, chain.provider);
    const account = await simpleAccount(contracts.accountFactory, owner, 11n, chain.provider);
    expect(codeOf(await dapp.sponsor(op(account.address)))).toBe('SENDER_WITHOUT_CODE');
    expect(codeOf(await dapp.sponsor(op(account.address, { initCode: account.initCode })))).toBe('SPONSORED');
    // The factory makes the account for anyone who asks.
    const [to, data] = [account.initCode.slice(0, 42), `0x${account.initCode.slice(42)}`];
    await (await operator.sendTransaction({ to, data })).wait();
    expect(codeOf(await dapp.sponsor(op(account.address, { initCode: account.initCode })))).toBe('SENDER_HAS_CODE');
    expect(codeOf(await dapp.sponsor(op(account.address)))).toBe('SPONSORED');
  });
});

describe('a tank that several use', () => {
  test('has a quarter at most outstanding for one sender, however many it asks for at once', async () => {
    const dapp = await world().dapp(ETHER);
    expect(codeOf(await dapp.sponsor(op(ALICE)))).toBe('SPONSORED');
    const codes = codesOf(await ofOne(dapp, MALLORY, 40, ETHER / 40n));
    expect(codes).toEqual({ SPONSORED: 10, TANK_SHARE_REACHED: 30 });
    expect(await held(dapp, MALLORY)).toBeLessThanOrEqual(ETHER / 4n);
    expect(codesOf(await ofOne(dapp, BOB, 5, ETHER / 40n))).toEqual({ SPONSORED: 5 });
    const denied = await dapp.sponsor(op(MALLORY, { nonce: 99, ...costing(ETHER / 40n) }));
    expect(reasonOf(denied)).toMatchObject({
      rule: 'gasTank',
      message: expect.stringContaining('25 % of it outstanding, 0.25 ETH; this sender has 0.2') as string,
      hint: expect.stringContaining('outstandingSharePercent') as string,
    });
  });

  test('is known to be shared though the others have nothing outstanding any more', async () => {
    const dapp = await world().dapp(ETHER);
    expect(codeOf(await dapp.sponsor(op(ALICE), { expiryDuration: 30 }))).toBe('SPONSORED');
    const aliceHolds = () => held(dapp, ALICE);
    await world().clock.advance(3_600_000);
    await world().chain.provider.send('evm_setNextBlockTimestamp', [Math.floor(world().clock.now() / 1000)]);
    await world().chain.provider.send('evm_mine', []);
    for (let polls = 0; polls < 200 && (await aliceHolds()) > 0n; polls += 1) await world().clock.advance(4_000);
    expect(await aliceHolds()).toBe(0n);
    const codes = codesOf(await ofOne(dapp, MALLORY, 40, ETHER / 40n));
    expect(codes).toEqual({ SPONSORED: 10, TANK_SHARE_REACHED: 30 });
  });

  test('has no shares while one sender has it alone, and one operation for each, whatever it may cost', async () => {
    const dapp = await world().dapp(ETHER);
    expect(codesOf(await ofOne(dapp, ALICE, 8, ETHER / 10n))).toEqual({ SPONSORED: 8 });
    expect(codeOf(await dapp.sponsor(op(BOB, costing(ETHER / 10n))))).toBe('SPONSORED');
    expect(codeOf(await dapp.sponsor(op(ALICE, { nonce: 8 })))).toBe('TANK_SHARE_REACHED');
  });

  test('has a quarter at most outstanding for one DApp, of all its senders', async () => {
    const dapp = await world().dapp(ETHER);
    const twin = await world().engine.dapp({ fundingWallet: world().walletOf(dapp)! });
    expect(codeOf(await twin.sponsor(op(ALICE)))).toBe('SPONSORED');
    const replies = [...(await ofOne(dapp, MALLORY, 8, ETHER / 40n)), ...(await ofOne(dapp, BOB, 8, ETHER / 40n))];
    expect(codesOf(replies)).toEqual({ SPONSORED: 10, TANK_SHARE_REACHED: 6 });
    expect(reasonOf(replies.at(-1)!)?.message).toContain('this DApp has 0.2');
    expect(codesOf(await ofOne(twin, ALICE, 3, ETHER / 40n))).toEqual({ SPONSORED: 3 });
  });

  test('has no shares where the operator switched them off', async () => {
    const share = (value: number | null): Promise<unknown> =>
      world().engine.service.call('config.set', { key: 'outstandingSharePercent', value });
    const dapp = await world().dapp(ETHER);
    await share(100);
    expect(codeOf(await dapp.sponsor(op(ALICE)))).toBe('SPONSORED');
    expect(codesOf(await ofOne(dapp, MALLORY, 30, ETHER / 40n))).toEqual({ SPONSORED: 30 });
    await share(null);
    expect(codeOf(await dapp.sponsor(op(MALLORY, { nonce: 99 })))).not.toBe('SPONSORED');
  });
});

describe('a breaker that one DApp would trip for all', () => {
  const COST = ETHER / 40n;
  test('pauses that DApp alone, and the others are served', async () => {
    const { service } = world().engine;
    const { chainId } = world().chain;
    const [mallory, honest] = [await world().dapp(ETHER), await world().dapp(ETHER)];
    await service.call('chains.set', { chainId, breaker: { amountWei: String(10n * COST), seconds: 3_600 } });
    const codes = codesOf(await ofOne(mallory, MALLORY, 20, COST));
    expect(codes).toMatchObject({ SPONSORED: 5 });
    expect(codes).not.toHaveProperty('BURN_RATE_EXCEEDED');
    expect(codeOf(await mallory.sponsor(op(BOB)))).toBe('DAPP_PAUSED');
    expect(await service.call('system.info', {})).toMatchObject({
      paused: null,
      pausedDapps: [
        {
          paymasterId: mallory.paymasterId,
          reason: 'Burn-rate breaker: its operations on Local chain exceeded 0.125 ETH within 1 hour',
        },
      ],
    });
    expect(codesOf(await ofOne(honest, ALICE, 4, COST))).toEqual({ SPONSORED: 4 });
    await service.call('chains.set', { chainId, breaker: null });
    await service.call('paymasters.resume', { paymasterId: mallory.paymasterId });
  });
});
