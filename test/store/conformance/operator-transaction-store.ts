import { expect, test } from 'vitest';
import type { OperatorTransaction } from '../../../src/engine/store/operator-transaction-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import { paymaster, withdrawal } from '../../support/store-records.ts';
import { type OpenStore, useStore } from './open-store.ts';

/** What every {@link Store} does. */
export const describeOperatorTransactionStore = (open: OpenStore): void => {
  let store: Store;
  const reopen = useStore(open, (opened) => (store = opened));

  const save = async (transactionId: string, fields: Partial<OperatorTransaction> = {}) => {
    const transaction = { ...withdrawal(transactionId), ...fields };
    await store.saveOperatorTransaction(transaction);
    return transaction;
  };
  const idsOf = (transactions: readonly OperatorTransaction[]) => transactions.map((one) => one.transactionId);
  const listed = async (query: Parameters<Store['listOperatorTransactions']>[0]) =>
    idsOf(await store.listOperatorTransactions(query));
  const opened = async () => idsOf(await store.openOperatorTransactions());

  test('a transaction comes back exactly as it was saved, also after a restart', async () => {
    const first = await save('first', { valueWei: (2n ** 256n - 1n).toString(), data: '0xabcdef', raw: '0x02f8' });
    const second = await save('second', { paymasterId: null, to: null, signer: `0x${'ee'.repeat(20)}` });
    await reopen();
    expect(await store.listOperatorTransactions({})).toEqual([second, first]);
    expect(await store.openOperatorTransactions()).toEqual([first, second]);
  });

  test('what is newly known replaces what was known, and leaves the transaction in its place', async () => {
    await save('first');
    await save('second');
    const mined = await save('first', { state: 'mined', blockNumber: 7, gasUsed: '21000', feeWei: '42000' });
    const [newest, oldest] = await store.listOperatorTransactions({});
    expect([newest?.transactionId, oldest]).toEqual(['second', mined]);
  });

  test('the list is newest first, of a chain, of a DApp, or of both', async () => {
    await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Shop' }));
    await save('game');
    await save('game elsewhere', { chainId: 10 });
    await save('shop', { paymasterId: 'dapp-2' });
    await save('deployment', { kind: 'deploy', paymasterId: null });
    expect(await listed({})).toEqual(['deployment', 'shop', 'game elsewhere', 'game']);
    expect(await listed({ chainId: 31337 })).toEqual(['deployment', 'shop', 'game']);
    expect(await listed({ paymasterId: 'dapp-1' })).toEqual(['game elsewhere', 'game']);
    expect(await listed({ paymasterId: 'dapp-1', chainId: 10 })).toEqual(['game elsewhere']);
    expect(await listed({ paymasterId: 'nobody' })).toEqual([]);
  });

  test('a transaction is open until it is final and all is done that it was to bring about', async () => {
    await save('sent');
    await save('mined', { state: 'mined', outcome: 'Withdrawn' });
    await save('final', { state: 'mined', final: true });
    await save('over', { state: 'mined', final: true, outcome: 'Withdrawn' });
    expect(await opened()).toEqual(['sent', 'mined', 'final']);
    await save('sent', { state: 'reverted', final: true, outcome: 'Reverted' });
    await reopen();
    expect(await opened()).toEqual(['mined', 'final']);
  });

  test('a transaction that the chain refused is known no longer', async () => {
    await save('refused');
    await save('sent');
    await store.removeOperatorTransaction('refused');
    await store.removeOperatorTransaction('nobody');
    expect(await listed({})).toEqual(['sent']);
    expect(await opened()).toEqual(['sent']);
  });

  test('what a withdrawal takes changes the ledger, at its beginning, its end and its removal; a deposit does not', async () => {
    const versionAfter = async (change: () => Promise<unknown>) => {
      const before = await store.ledgerVersion();
      await change();
      return (await store.ledgerVersion()) - before;
    };
    expect(await versionAfter(() => save('withdrawal'))).toBeGreaterThan(0);
    expect(await versionAfter(() => save('withdrawal', { state: 'mined' }))).toBeGreaterThan(0);
    expect(await versionAfter(() => store.removeOperatorTransaction('withdrawal'))).toBeGreaterThan(0);
    expect(await versionAfter(() => save('deposit', { kind: 'deposit' }))).toBe(0);
  });
};
