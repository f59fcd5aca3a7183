import { Contract, parseEther } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { type SimpleAccount, finishOperation, simpleAccount } from '../../src/demo/simple-account.ts';
import {
  type WorldContracts,
  contractAt,
  deployWorld,
  devWallet,
  fundGasTank,
} from '../../src/demo/world-contracts.ts';
import { loadArtifact } from '../../src/engine/chain/artifacts.ts';
import type { ProcedureOutput } from '../../src/api/index.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { ACCEPTING_ACCOUNT } from '../support/accepting-account.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { codeOf, codesOf } from '../support/offline-desk.ts';
import { gameCall, operation } from '../support/operations.ts';
import { type RpcReply, type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const GWEI = 10n ** 9n;
const MINUTE = 60_000;
/** Wei per gas that gives a bundler a thousand times what the gas costs. */
const GREEDY = 1_000n * GWEI;
/** Wei per gas that is accepted at any base fee from 1 gwei down to 0, as it falls with each block of the tests. */
const HONEST = (12n * GWEI) / 10n;
/** What version 1.1.0 reserves for one such operation with the gas of the tests. */
const COST = (200_000n + 3n * 500_000n + 60_000n + 12_000n) * GREEDY;
/** Ten such operations, and a wei less than an eleventh. */
const BUDGET = 11n * COST - 1n;
const TANK_WEI = parseEther('100');
/** An account of someone else. */
const OTHER: Address = `0x${'a1'.repeat(20)}`;
/** Settlement polls as rarely as can be set: the tests move hours. */
const PATIENT = { settlementPollMs: 600_000 };

const localChain = useLocalChain();
const dir = makeTempFolder();
let clock: ManualClock;
let engine: ServingEngine;
let line: CuttableProxy;
let contracts: WorldContracts;
let account: SimpleAccount;
let tanks: Address;
let wallets = 100;
let dapp: SponsoredDapp;

const set = (settings: Record<string, unknown>): Promise<unknown> =>
  engine.service.call('chains.set', { chainId: localChain().chainId, ...settings });

beforeAll(async () => {
  const { provider, chainId, url } = localChain();
  const operator = devWallet(0, provider);
  contracts = await deployWorld(operator);
  account = await simpleAccount(contracts.accountFactory, devWallet(1, provider), 0n, provider);
  const creation = { to: contracts.accountFactory, data: `0x${account.initCode.slice(42)}` };
  await (await operator.sendTransaction(creation)).wait();
  await provider.send('anvil_setCode', [OTHER, ACCEPTING_ACCOUNT]);
  line = await startCuttableProxy(url);
  clock = new ManualClock(((await provider.getBlock('latest'))?.timestamp ?? 0) * 1000);
  engine = await startEngine({ dir, clock, flags: PATIENT });
  // The cap per operation does not apply here: the budget is looked at.
  await set({ rpc: line.url, maxOperationCostWei: String(COST) });
  await engine.service.call('signers.create', { chainId });
  tanks = await attachNewContract(engine.service, operator, { chainId, version: '1.1.0' });
});
afterAll(async () => {
  await engine.stop();
  await line.cut();
  removeTempFolder(dir);
});

const restart = async (): Promise<void> => {
  await engine.stop();
  engine = await startEngine({ dir, clock, flags: PATIENT });
};

const ask = (price: bigint, nonce: bigint, sender: Address = account.address): Promise<RpcReply> => {
  const { chainId } = localChain();
  const fees = { maxFeePerGas: `0x${price.toString(16)}`, maxPriorityFeePerGas: `0x${price.toString(16)}` };
  const call = { to: contracts.gameItems, data: gameCall('mint') };
  const op = operation(call, { sender, nonce: `0x${nonce.toString(16)}`, ...fees });
  const params = [op, { mode: 'SPONSORED' }];
  const body = { jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params };
  return engine.post(`/api/v1/${chainId}/${dapp.apiKey}`, body);
};

let sequences = 0n;
/** Nonces of sequences of their own, so that any of the operations can be mined. */
const nonces = (count: number): bigint[] => Array.from({ length: count }, () => (sequences += 1n) << 64n);
const greedy = (): Promise<RpcReply> => ask(GREEDY, nonces(1)[0]!);
/** What the desk signs while it sees what gas costs. */
const honest = (): Promise<RpcReply> => ask(HONEST, nonces(1)[0]!);

const chain = async (): Promise<ProcedureOutput<'chains.list'>[number]> => {
  const all = await engine.service.call('chains.list', {});
  return all.find(({ chainId }) => chainId === localChain().chainId)!;
};

const tank = async (): Promise<bigint> => {
  const contract = await contractAt('VerifyingSingletonPaymaster', tanks, localChain().provider);
  return (await contract.getFunction('getBalance')(dapp.fundingWallet)) as bigint;
};

/** Has the sender's accomplice bundle them, at the highest price they pay. */
const mine = async (signed: readonly UserOperationV06[]): Promise<void> => {
  const { provider } = localChain();
  const bundler = devWallet(2, provider);
  const at = Math.floor(clock.now() / 1000);
  const { timestamp = 0 } = (await provider.getBlock('latest')) ?? {};
  if (at > timestamp) await provider.send('evm_setNextBlockTimestamp', [at]);
  const { abi } = await loadArtifact('EntryPoint');
  const entryPoint = new Contract(contracts.entryPoint, abi, bundler);
  const sent = await entryPoint
    .getFunction('handleOps')
    .send(signed, bundler.address, { gasPrice: GREEDY, gasLimit: 25_000_000n });
  expect((await sent.wait())?.status).toBe(1);
};

beforeEach(async () => {
  const { provider } = localChain();
  const fundingWallet = devWallet((wallets += 1), provider);
  dapp = await engine.dapp({ fundingWallet });
  await fundGasTank(tanks, dapp.fundingWallet, TANK_WEI, devWallet(0, provider));
  await set({ unreachable: { budgetWei: String(BUDGET) } });
  expect(codeOf(await greedy())).toBe('FEE_TOO_HIGH');
});
afterEach(async () => {
  await line.mend();
  await clock.advance(62 * MINUTE);
  // What the sender holds has to end first; settlement looks for it in its own time.
  const later = async (): Promise<string | undefined> => {
    await clock.advance(10 * MINUTE);
    return codeOf(await honest());
  };
  await expect.poll(later).toBe('SPONSORED');
});

test('of 200 at once exactly what the budget holds is signed, and all of it mined costs no more', async () => {
  await line.cut();
  const asked = nonces(200);
  const replies = await Promise.all(asked.map((nonce) => ask(GREEDY, nonce)));
  expect(codesOf(replies)).toEqual({ SPONSORED: 10, UNREACHABLE_BUDGET_SPENT: 190 });
  const denied = replies.find((reply) => codeOf(reply) !== 'SPONSORED');
  expect(denied?.body.result?.reason).toMatchObject({
    rule: 'unreachable',
    message: expect.stringContaining('17.72 of the native coin is used') as string,
    hint: expect.stringContaining('gasdesk chain set 31337 --unreachable sign --unreachable-budget') as string,
  });
  const decisions = await dapp.decisions();
  const [one] = decisions.filter(({ outcome }) => outcome === 'sponsored');
  expect(one?.trace).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ rule: 'fees', code: 'BASE_FEE_UNKNOWN' }),
      expect.objectContaining({ rule: 'gasTank', code: 'BALANCE_UNKNOWN' }),
      expect.objectContaining({ rule: 'unreachable', code: 'WITHIN_UNREACHABLE_BUDGET' }),
    ]),
  );
  const used = { budgetWei: String(BUDGET), signedWei: String(10n * COST) };
  expect((await chain()).unreachable).toEqual({ ...used, since: clock.now() - (clock.now() % MINUTE) });
  const exposure = await engine.service.call('exposure.get', {});
  expect(exposure.chains).toMatchObject([{ state: 'unreachable', unreachable: used }]);

  const { chainId } = localChain();
  const before = await tank();
  const signed = replies.flatMap(({ body: { result } }, index) =>
    result === undefined || result.paymasterAndData === '0x' ? [] : [{ result, nonce: asked[index]! }],
  );
  const price = String(GREEDY);
  const operations = signed.map(({ result, nonce }) => {
    const call = operation({ to: contracts.gameItems, data: gameCall('mint') });
    const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price };
    const partial = { ...call, ...fees, sender: account.address, nonce: String(nonce) } as Record<string, string>;
    return finishOperation(account, partial, result, { chainId, entryPoint: contracts.entryPoint });
  });
  await mine(await Promise.all(operations));
  const lost = before - (await tank());
  expect(lost).toBeGreaterThan(parseEther('0.5'));
  expect(lost).toBeLessThanOrEqual(BUDGET);
});

test('a node that comes and goes does not renew it, nor a restart, nor setting it again', async () => {
  let signed = 0;
  for (let round = 0; round < 6; round += 1) {
    await line.cut();
    const codes = codesOf(await Promise.all(nonces(3).map((nonce) => ask(GREEDY, nonce))));
    signed += codes['SPONSORED'] ?? 0;
    await line.mend();
    if (round === 2) await restart();
    if (round === 3) await set({ unreachable: { budgetWei: String(BUDGET) } });
    expect(codeOf(await honest())).toBe('SPONSORED');
    await clock.advance(10 * MINUTE);
  }
  expect(signed).toBe(10);
});

test('it is renewed by an answer of the node an hour after the last unchecked signature, and by no time alone', async () => {
  await line.cut();
  for (let count = 0; count < 10; count += 1) expect(codeOf(await greedy())).toBe('SPONSORED');
  await clock.advance(5 * 60 * MINUTE);
  expect(codeOf(await greedy())).toBe('UNREACHABLE_BUDGET_SPENT');
  await line.mend();
  expect(codeOf(await honest())).toBe('SPONSORED');
  expect((await chain()).unreachable).toEqual({ budgetWei: String(BUDGET), signedWei: '0', since: null });
  await line.cut();
  expect(codeOf(await greedy())).toBe('SPONSORED');
});

test('what one sender holds unchecked counts in its share of the tank once the node is back', async () => {
  const sharePercent = 25n;
  await set({ unreachable: { budgetWei: String(TANK_WEI) } });
  await line.cut();
  const most = (TANK_WEI * sharePercent) / 100n / COST;
  const codes = codesOf(await Promise.all(nonces(Number(2n * most)).map((nonce) => ask(GREEDY, nonce))));
  expect(codes).toEqual({ SPONSORED: Number(2n * most) });
  await line.mend();
  expect(codeOf(await ask(HONEST, nonces(1)[0]!, OTHER))).toBe('SPONSORED');
  expect(codeOf(await honest())).toBe('TANK_SHARE_REACHED');
});

test('what is set back to refuse signs nothing', async () => {
  await set({ unreachable: null });
  await line.cut();
  const { status, body } = await greedy();
  expect([status, body.error?.code]).toEqual([503, -32053]);
  expect((await chain()).unreachable).toBeNull();
});
