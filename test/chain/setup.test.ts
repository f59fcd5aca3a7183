import { HDNodeWallet, toQuantity } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { contractAt, deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import { canonicalContracts } from '../../src/engine/chain/canonical-contracts.ts';
import type { ProcedureInput, ProcedureOutput } from '../../src/api/index.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useAlto } from '../support/alto.ts';
import { type TestChain, useLocalChain } from '../support/local-chain.ts';
import { signDraft } from '../support/operator-desk.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { gameItems } from '../support/operations.ts';
import { type ServingEngine, startEngine, withDataFolder } from '../support/engine.ts';

type Action = ProcedureInput<'transactions.prepare'>['action'];
type SentTransaction = ProcedureOutput<'transactions.send'>;

const mined = async ({ service }: ServingEngine, action: Action, wallet: HDNodeWallet): Promise<SentTransaction> => {
  const { draftId, ...draft } = await service.call('transactions.prepare', { action, from: wallet.address });
  const signed = { signedTransaction: await signDraft(draft, wallet) };
  const { transactionId, hash } = await service.call('transactions.send', { draftId, signed });
  while ((await wallet.provider?.getTransactionReceipt(hash)) === null);
  const all = await service.call('transactions.list', {});
  const found = all.find((one) => one.transactionId === transactionId);
  if (found?.state !== 'mined') throw new Error(`${action.kind}: ${JSON.stringify(found)}`);
  return found;
};

const sum = (...amounts: string[]): bigint => amounts.reduce((total, wei) => total + BigInt(wei), 0n);

describe('a chain without anything', () => {
  const chain = useLocalChain();

  test('the amount that is named suffices for a sponsored operation that is mined', async () => {
    const { provider, url, chainId } = chain();
    await withDataFolder(async (dir) => {
      const engine = await startEngine({ dir });
      const { service } = engine;
      try {
        expect(await service.call('chains.identify', { url })).toEqual({ chainId });
        expect(await service.call('chains.identify', { url: 'http://127.0.0.1:1' })).toEqual({ chainId: null });
        await service.call('chains.set', { chainId, rpc: url });
        await service.call('signers.create', { chainId });
        const wallet = HDNodeWallet.createRandom().connect(provider);
        const from = wallet.address as Address;
        const dapp = await engine.dapp({ chainId, fundingWallet: wallet });
        const { paymasterId } = dapp;

        const costs = await service.call('setup.costs', { paymasterId, from });
        expect(costs).toMatchObject({ balanceWei: '0', missing: ['entryPoint', 'accountFactory'] });
        const required = sum(costs.depositWei, ...Object.values(costs.maxFeeWei));
        await provider.send('anvil_setBalance', [from, toQuantity(required)]);

        await mined(engine, { kind: 'deployCanonical', chainId, contract: 'entryPoint' }, wallet);
        await mined(engine, { kind: 'deploy', chainId, version: '1.1.0' }, wallet);
        await mined(engine, { kind: 'deposit', paymasterId, amountWei: costs.depositWei }, wallet);
        await expect(service.call('setup.testOperation', { paymasterId })).rejects.toMatchObject({
          code: 'PAYMASTER_NOT_READY',
          data: { missing: 'accountFactory' },
        });
        await mined(engine, { kind: 'deployCanonical', chainId, contract: 'accountFactory' }, wallet);
        expect(await provider.getCode(canonicalContracts.accountFactory.address)).not.toBe('0x');
        expect((await service.call('setup.costs', { paymasterId, from })).missing).toEqual([]);

        const tried = await service.call('setup.testOperation', { paymasterId });
        const { operation } = tried;
        if (operation === null) throw new Error('it was not sponsored');
        expect(tried.userOpHash).toBeNull();
        const before = await provider.getBalance(from);
        const bundle = await mined(engine, { kind: 'handleOps', paymasterId, userOperation: operation }, wallet);
        expect(bundle.summary).toContain(`pays its cost back to ${from}`);

        const { address } = canonicalContracts.entryPoint;
        const { interface: abi } = await contractAt('EntryPoint', address, provider);
        const receipt = await provider.getTransactionReceipt(bundle.hash);
        const events = (receipt?.logs ?? []).flatMap((log) => abi.parseLog(log) ?? []);
        const event = events.find(({ name }) => name === 'UserOperationEvent');
        expect(event?.args.getValue('success')).toBe(true);
        const cost = event?.args.getValue('actualGasCost') as bigint;
        expect(await provider.getBalance(from)).toBe(before - BigInt(bundle.feeWei ?? 0) + cost);
        const tank = await service.call('tanks.get', { paymasterId });
        expect(BigInt(tank.balanceWei ?? 0)).toBeLessThanOrEqual(BigInt(costs.depositWei) - cost);
      } finally {
        await engine.stop();
      }
    });
  });
});

/** A DApp with a contract and a filled tank, on a chain with everything that operations of EntryPoint v0.6 need. */
const readyDapp = async (
  engine: ServingEngine,
  { provider, url, chainId }: TestChain,
): Promise<{ paymasterId: string; wallet: HDNodeWallet }> => {
  const { service } = engine;
  await service.call('chains.set', { chainId, rpc: url });
  await service.call('signers.create', { chainId });
  const wallet = HDNodeWallet.createRandom().connect(provider);
  await provider.send('anvil_setBalance', [wallet.address, toQuantity(10n ** 18n)]);
  const { paymasterId } = await engine.dapp({ chainId, fundingWallet: wallet });
  await mined(engine, { kind: 'deployCanonical', chainId, contract: 'accountFactory' }, wallet);
  await mined(engine, { kind: 'deploy', chainId, version: '1.1.0' }, wallet);
  await mined(engine, { kind: 'deposit', paymasterId, amountWei: String(10n ** 17n) }, wallet);
  return { paymasterId, wallet };
};

const withEngine = (run: (engine: ServingEngine) => Promise<void>): Promise<void> =>
  withDataFolder(async (dir) => {
    const engine = await startEngine({ dir });
    await run(engine).finally(() => engine.stop());
  });

describe('a DApp with contracts', () => {
  const chain = useLocalChain();
  beforeAll(() => deployEntryPoint(devWallet(0, chain().provider)));

  test('where new accounts are not sponsored, the decision that says so is named', () =>
    withEngine(async (engine) => {
      const { service } = engine;
      const { paymasterId, wallet } = await readyDapp(engine, chain());
      const contract = { paymasterId, name: 'Items', address: wallet.address, abi: gameItems.formatJson() };
      await service.call('contracts.create', { ...contract, whitelistedMethods: ['mint'] });
      const denied = await service.call('setup.testOperation', { paymasterId });
      expect(denied.operation).toBeNull();
      expect(await service.call('decisions.show', { decisionId: denied.decisionId })).toMatchObject({
        code: 'WALLET_DEPLOYMENT_NOT_SPONSORED',
      });
      const rule = { name: 'New accounts', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
      await service.call('rules.create', { paymasterId, rule });
      expect((await service.call('setup.testOperation', { paymasterId })).operation).not.toBeNull();
    }));
});

describe('a chain with a bundler', () => {
  const chain = useLocalChain();
  beforeAll(() => deployEntryPoint(devWallet(0, chain().provider)));
  const alto = useAlto(chain, () => [canonicalContracts.entryPoint.address]);

  test('the bundler sends the operation, and the wallet nothing', () =>
    withEngine(async (engine) => {
      const { service } = engine;
      const { provider, chainId } = chain();
      const { paymasterId } = await readyDapp(engine, chain());
      await service.call('chains.set', { chainId, bundler: alto().url });
      const { userOpHash } = await service.call('setup.testOperation', { paymasterId });
      expect(userOpHash).toMatch(/^0x[0-9a-f]{64}$/);
      const mine = { address: canonicalContracts.entryPoint.address, fromBlock: 0, topics: [null, userOpHash] };
      await expect.poll(async () => (await provider.getLogs(mine)).length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
      // A bundler that is none of this chain's is named as what it is, and says nothing of commands.
      await service.call('chains.set', { chainId, bundler: chain().url });
      await expect(service.call('setup.testOperation', { paymasterId })).rejects.toMatchObject({
        message: expect.not.stringContaining('gasdesk') as string,
      });
    }));
});
