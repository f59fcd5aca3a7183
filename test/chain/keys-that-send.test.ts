import { type HDNodeWallet, Transaction, parseEther, toQuantity } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { join } from 'node:path';
import { contractAt, deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import { createChainAccess } from '../../src/engine/chain/chain-access.ts';
import { systemEntropy } from '../../src/engine/base/clock.ts';
import type { KeySigner } from '../../src/engine/keys/key-signers.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { biconomy110 } from '../../src/core/paymaster-layouts/biconomy-1.1.0.ts';
import { openVault } from '../../src/engine/signer/vault.ts';
import { vaultInFile } from '../../src/engine/store/vault-in-file.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/engine/store/store.ts';
import {
  type OperatorTransactions,
  createOperatorTransactions,
} from '../../src/engine/transactions/operator-transactions.ts';
import { EngineError } from '../../src/shared/errors.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { deployLayout } from '../support/deploy-layout.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const chain = useLocalChain();
const tempFolder = useTempFolders();
const ETHER = parseEther('1');
let store: Store;
let tanks: Address;
let wallet: HDNodeWallet;

beforeAll(async () => {
  const { provider, chainId, url } = chain();
  wallet = devWallet(0, provider);
  await deployEntryPoint(wallet);
  tanks = await deployLayout(biconomy110, devWallet(5, provider).address, wallet);
  const log = createLog({ level: 'silent' });
  store = openSqliteStore(join(tempFolder(), 'test.db'), { clock: new ManualClock(), log });
  await store.createAccount({ accountId: 'a', name: 'Operator', createdAt: 0 });
  await store.saveChain({
    chainId,
    name: null,
    symbol: 'TST',
    rpc: url,
    bundler: null,
    treasury: null,
    breaker: null,
    unreachableBudgetWei: null,
    maxOperationCostWei: null,
    forwardBundler: null,
    price: null,
    gasSchedule: null,
  });
  await store.savePaymasterContract({ chainId, version: '1.1.0', address: tanks, checked: true });
  await store.createDapp({
    paymasterId: 'dapp',
    accountId: 'a',
    name: 'Game',
    chainId,
    apiKey: 'key',
    version: '1.1.0',
    createdAt: 0,
    fundingWallet: wallet.address as Address,
    allowedOrigins: [],
    maxExpirySeconds: 3_600,
    tokenMode: false,
  });
});
afterAll(() => store.close());

/** The operator's transactions, signed by a key that does with them what `transact` does. */
const withKey = (transact: KeySigner['transact'], address = wallet.address as Address): OperatorTransactions => {
  const vault = openVault(vaultInFile(join(tempFolder(), 'vault.json')));
  const signMessage = () => Promise.reject(new Error('nobody asks for a message'));
  const keySigners = { of: () => ({ address, signMessage, transact }) };
  const chains = createChainAccess(store, vault, 5_000);
  const clock = new ManualClock();
  return createOperatorTransactions({ store, vault, chains, clock, entropy: systemEntropy, keySigners });
};

const action = { kind: 'deposit', paymasterId: 'dapp', amountWei: ETHER } as const;
const signed = { key: { kind: 'wallet', url: 'http://127.0.0.1:1248', address: `0x${'11'.repeat(20)}` } } as const;
const balance = async (): Promise<bigint> =>
  (await (await contractAt('VerifyingSingletonPaymaster', tanks, chain().provider)).getFunction('getBalance')(
    wallet.address,
  )) as bigint;

/** Sends by the node, which has the keys of its accounts, as a wallet does. */
const sendByNode =
  (change: { value?: bigint } = {}): KeySigner['transact'] =>
  async ({ to, data, value }) => {
    const request = { from: wallet.address, to, data, value: toQuantity(change.value ?? value) };
    return { hash: (await chain().provider.send('eth_sendTransaction', [request])) as Hex };
  };

test('a key of the desk signs what was drafted, and it is mined', async () => {
  const transactions = withKey(async (unsigned) => ({ signed: (await wallet.signTransaction(unsigned)) as Hex }));
  const before = await balance();
  const { draftId } = await transactions.prepare(action, wallet.address as Address);
  const sent = await transactions.send(draftId, signed);
  // The node answers a little before it mines.
  await expect.poll(async () => (await transactions.list({}))[0]).toMatchObject({ hash: sent.hash, state: 'mined' });
  expect(await balance()).toBe(before + ETHER);
});

test('a key that is not the one of the draft is not asked to sign', async () => {
  const transactions = withKey(() => Promise.reject(new Error('it was asked')), `0x${'33'.repeat(20)}`);
  const { draftId } = await transactions.prepare(action, wallet.address as Address);
  await expect(transactions.send(draftId, signed)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
});

test('a key that signs something else sends nothing', async () => {
  const transactions = withKey(async (unsigned) => {
    const other = Transaction.from({ ...unsigned.toJSON(), value: ETHER * 2n } as Parameters<
      typeof Transaction.from
    >[0]);
    return { signed: (await wallet.signTransaction(other)) as Hex };
  });
  const before = await balance();
  const { draftId } = await transactions.prepare(action, wallet.address as Address);
  await expect(transactions.send(draftId, signed)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
  expect(await balance()).toBe(before);
});

test('a wallet that sends by itself is followed by the hash it returns', async () => {
  const transactions = withKey(sendByNode());
  const before = await balance();
  const { draftId } = await transactions.prepare(action, wallet.address as Address);
  const sent = await transactions.send(draftId, signed);
  await expect
    .poll(async () => (await transactions.list({})).find(({ hash }) => hash === sent.hash))
    .toMatchObject({ state: 'mined', outcome: 'The deposit is in the tank.' });
  expect(await balance()).toBe(before + ETHER);
});

test('a wallet that sends another transaction than drafted is reported', async () => {
  const transactions = withKey(sendByNode({ value: 5n }));
  const { draftId } = await transactions.prepare(action, wallet.address as Address);
  const sent = await transactions.send(draftId, signed);
  await expect
    .poll(async () => (await transactions.list({})).find(({ hash }) => hash === sent.hash))
    .toMatchObject({ state: 'different', outcome: expect.stringContaining('differs from the draft: amount') });
});

test('a wallet that refuses leaves the draft to be signed otherwise', async () => {
  let refuses = true;
  const transactions = withKey(async (unsigned) => {
    if (refuses) throw new Error('refused');
    return { signed: (await wallet.signTransaction(unsigned)) as Hex };
  });
  const { draftId } = await transactions.prepare(action, wallet.address as Address);
  await expect(transactions.send(draftId, signed)).rejects.toThrow('refused');
  refuses = false;
  expect(await transactions.send(draftId, signed)).toMatchObject({ state: 'sent' });
});

test('what the node refuses for good was never sent', async () => {
  const transactions = withKey(async (unsigned) => {
    await chain().provider.send('anvil_setBalance', [wallet.address, '0x1']);
    return { signed: (await wallet.signTransaction(unsigned)) as Hex };
  });
  const { draftId } = await transactions.prepare(action, wallet.address as Address);
  const known = (await transactions.list({})).length;
  try {
    await expect(transactions.send(draftId, signed)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringMatching(/insufficient funds/i),
    });
    expect(await transactions.list({})).toHaveLength(known);
  } finally {
    await chain().provider.send('anvil_setBalance', [wallet.address, toQuantity(ETHER * 1000n)]);
  }
});

test('a wallet that sends, and does not say so, is not asked a second time', async () => {
  const maybe = new EngineError('TRANSACTION_MAYBE_SENT');
  const transactions = withKey(async (unsigned) => {
    await sendByNode()(unsigned);
    throw maybe;
  });
  const before = await balance();
  const { draftId } = await transactions.prepare(action, wallet.address as Address);
  await expect(transactions.send(draftId, signed)).rejects.toBe(maybe);
  await expect(transactions.send(draftId, signed)).rejects.toMatchObject({ code: 'DRAFT_NOT_FOUND' });
  await expect.poll(balance).toBe(before + ETHER);
});
