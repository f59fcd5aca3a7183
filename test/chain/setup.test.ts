import { HDNodeWallet, toQuantity } from 'ethers';
import { describe, expect, test } from 'vitest';
import { contractAt, deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import { canonicalContracts } from '../../src/engine/chain/canonical-contracts.ts';
import type { ProcedureInput, ProcedureOutput } from '../../src/api/index.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { signDraft } from '../support/operator-desk.ts';
import { type ServingEngine, gameItems, startEngine, withDataFolder } from '../support/sponsored-world.ts';

type Action = ProcedureInput<'transactions.prepare'>['action'];
type Sent = ProcedureOutput<'transactions.send'>;

const mined = async ({ service }: ServingEngine, action: Action, wallet: HDNodeWallet): Promise<Sent> => {
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

describe('a DApp with contracts', () => {
  const chain = useLocalChain();

  test('where new accounts are not sponsored, the decision that says so is named', async () => {
    const { provider, url, chainId } = chain();
    await withDataFolder(async (dir) => {
      const engine = await startEngine({ dir });
      const { service } = engine;
      try {
        await service.call('chains.set', { chainId, rpc: url });
        await service.call('signers.create', { chainId });
        const wallet = HDNodeWallet.createRandom().connect(provider);
        await provider.send('anvil_setBalance', [wallet.address, toQuantity(10n ** 18n)]);
        const { paymasterId } = await engine.dapp({ chainId, fundingWallet: wallet });
        await deployEntryPoint(devWallet(0, provider));
        await mined(engine, { kind: 'deployCanonical', chainId, contract: 'accountFactory' }, wallet);
        await mined(engine, { kind: 'deploy', chainId, version: '1.1.0' }, wallet);
        await mined(engine, { kind: 'deposit', paymasterId, amountWei: String(10n ** 17n) }, wallet);
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
      } finally {
        await engine.stop();
      }
    });
  });
});
