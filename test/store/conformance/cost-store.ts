import { expect, it } from 'vitest';
import type { MinedUserOperation } from '../../../src/engine/store/settlement-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import type { Address, Hex } from '../../../src/shared/schema/hex.ts';
import { decision, paymaster } from '../../support/store-records.ts';
import { type OpenStore, useStore } from './open-store.ts';

const CHAIN = 31337;
const ENTRY_POINT: Address = `0x${'e0'.repeat(20)}`;
const SENDER: Address = `0x${'ac'.repeat(20)}`;
const CONTRACT: Address = `0x${'c0'.repeat(20)}`;
const AT = 5_000;

const hashOf = (n: number): Hex => `0x${String(n).padStart(64, '0')}`;

const minedAs = (n: number, blockHash: Hex): MinedUserOperation => ({
  userOpHash: hashOf(n),
  entryPoint: ENTRY_POINT,
  paymaster: CONTRACT,
  sender: SENDER,
  nonce: 0n,
  success: n % 2 === 0,
  actualGasCost: 7n,
  actualGasUsed: 1n,
  blockNumber: 1,
  blockHash,
  transactionHash: hashOf(n),
});

/** What every {@link Store} says of the costs of mined operations. */
export const describeCostStore = (open: OpenStore): void => {
  let store: Store;
  useStore(open, (opened) => {
    store = opened;
  });

  const reserve = async (n: number, paymasterId: string, at = AT) => {
    const facts = { reservations: [], ledgerVersion: await store.ledgerVersion() };
    const fields = { id: `${n}`, at, paymasterId, entryPoint: ENTRY_POINT, sender: SENDER, userOpHash: hashOf(n) };
    const draft = decision({ ...fields, paymasterAndData: `${CONTRACT}00` });
    return store.decideAndReserve(facts, () => ({ decision: () => draft, reserve: true }));
  };
  const settle = (numbers: readonly number[], blockHash: Hex) => {
    const mined = numbers.map((n) => minedAs(n, blockHash));
    return store.applySettlements({ chainId: CHAIN, fromBlock: 1, toBlock: 1, cursor: 1, mined });
  };
  const idsOf = async (paymasterId: string, from = 0, to = Number.MAX_SAFE_INTEGER): Promise<string[]> => {
    const ids: string[] = [];
    for (let place = { at: from, seq: -1 }; ;) {
      const some = await store.paidOperations(paymasterId, place, to);
      const last = some.at(-1);
      if (last === undefined) return ids;
      ids.push(...some.map(({ record }) => record.id));
      place = { at: last.record.at, seq: last.seq };
    }
  };

  it('lists each settled operation of a DApp once, although hundreds were signed in the same millisecond', async () => {
    await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Other' }));
    const COUNT = 450;
    const numbers = Array.from({ length: COUNT }, (_, n) => n);
    await Promise.all(numbers.map((n) => reserve(n, 'dapp-1')));
    await reserve(COUNT, 'dapp-2');
    await reserve(COUNT + 1, 'dapp-1', AT + 1);
    await reserve(COUNT + 2, 'dapp-1', AT + 2);
    await settle([...numbers, COUNT, COUNT + 1], hashOf(1));
    const ids = await idsOf('dapp-1');
    expect(ids).toHaveLength(COUNT + 1);
    expect(new Set(ids).size).toBe(COUNT + 1);
    expect(ids.at(-1)).toBe(`${COUNT + 1}`);
    expect(await idsOf('dapp-2')).toEqual([`${COUNT}`]);
    expect(await idsOf('dapp-1', AT + 1)).toEqual([`${COUNT + 1}`]);
    expect(await idsOf('dapp-1', 0, AT)).toEqual([]);
  });

  it('has a receipt only while the operation is in the block of the receipt', async () => {
    await reserve(1, 'dapp-1');
    await settle([1], hashOf(1));
    const [open] = await store.operationsWithoutReceipt(CHAIN, 10);
    expect(open).toMatchObject({ transactionHash: hashOf(1), blockHash: hashOf(1) });
    const bundle = { gasUsed: 2n ** 200n, chargedGas: 1n, baseFeeWei: 0n, l1FeeWei: 3n };
    const receipt = { seq: open!.seq, blockHash: hashOf(1), bundler: SENDER, bundle, coinUsd: '3000.5' };
    await store.saveReceipts([{ ...receipt, blockHash: hashOf(2) }]);
    expect(await store.operationsWithoutReceipt(CHAIN, 10)).toHaveLength(1);
    await store.saveReceipts([receipt]);
    expect(await store.operationsWithoutReceipt(CHAIN, 10)).toEqual([]);
    const read = async () => (await store.paidOperations('dapp-1', { at: 0, seq: -1 }, AT + 1))[0];
    expect(await read()).toMatchObject({
      costWei: 7n,
      receipt: { charged: { success: false, gasUsed: 1n, gasCostWei: 7n }, bundle, bundler: SENDER, coinUsd: '3000.5' },
    });
    await settle([1], hashOf(2));
    expect(await read()).toMatchObject({ costWei: 7n, receipt: undefined });
    expect(await store.operationsWithoutReceipt(CHAIN, 10)).toMatchObject([{ blockHash: hashOf(2) }]);
  });
};
