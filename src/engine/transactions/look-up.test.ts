import { expect, it } from 'vitest';
import { ScriptedNode } from '../../../test/support/scripted-node.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';
import { confirmAgain, findTransaction } from './look-up.ts';

const FROM = `0x${'11'.repeat(20)}` as const;
const TO = `0x${'22'.repeat(20)}` as const;
const sent: OperatorTransaction = {
  transactionId: 'one',
  kind: 'deposit',
  chainId: 31337,
  paymasterId: 'dapp',
  version: '1.1.0',
  summary: '',
  from: FROM,
  to: TO,
  valueWei: '5',
  data: '0x1234',
  nonce: 7,
  signer: null,
  hash: `0x${'ab'.repeat(32)}`,
  raw: null,
  state: 'sent',
  sentAt: 0,
  blockNumber: null,
  gasUsed: null,
  feeWei: null,
  contract: null,
  outcome: null,
  final: false,
};
const inPool = { from: FROM, to: TO, value: '0x5', input: '0x1234' };
const receipt = { status: '0x1', blockNumber: '0x9', gasUsed: '0x10', effectiveGasPrice: '0x2', l1Fee: null };

const node = (byHash: unknown, byReceipt: unknown): ScriptedNode => {
  const one = new ScriptedNode(1, 1);
  const answers: Record<string, unknown> = {
    eth_getTransactionCount: '0x8',
    eth_blockNumber: '0x64',
    eth_getTransactionByHash: byHash,
    eth_getTransactionReceipt: byReceipt,
  };
  one.overrule = (method) => answers[method];
  return one;
};

const amountOf = (wei: bigint): string => `${wei} of it`;

it('a transaction that a wallet sent with another nonce, and the node knows, does not count as replaced', async () => {
  expect(await findTransaction(node(inPool, null), sent, amountOf)).toBeUndefined();
  expect(await findTransaction(node(null, null), sent, amountOf)).toMatchObject({ state: 'replaced' });
});

it('a transaction in which the wallet sent the money elsewhere is no deposit: it shows the recipient', async () => {
  const elsewhere = { ...inPool, to: `0x${'33'.repeat(20)}`, value: '0xb1a2bc2ec50000', input: '0x' };
  expect(await findTransaction(node(elsewhere, receipt), sent, amountOf)).toMatchObject({
    state: 'different',
    outcome: expect.stringMatching(
      /differs from the draft: receiver, amount, data.*sends 50000000000000000 of it to 0x3{40}/,
    ),
  });
});

it('an answer that cannot be read ends nothing: the chain is asked again', async () => {
  const unreadable = { code: 'CHAIN_UNREACHABLE' };
  await expect(findTransaction(node(inPool, { status: 'yes' }), sent, amountOf)).rejects.toMatchObject(unreadable);
  await expect(findTransaction(node({ from: 'somebody' }, receipt), sent, amountOf)).rejects.toMatchObject(unreadable);
  expect(await findTransaction(node(inPool, receipt), sent, amountOf)).toMatchObject({
    state: 'mined',
    feeWei: '32',
    outcome: null,
  });
});

const attached: OperatorTransaction = {
  ...sent,
  state: 'mined',
  blockNumber: 95,
  gasUsed: '16',
  feeWei: '32',
  outcome: 'The contract is deployed and attached.',
};
const at = (blockNumber: string) => node(inPool, { ...receipt, blockNumber });

it('what a mined transaction brought about is not done again because a re-org moved it to another block', async () => {
  expect(await confirmAgain(at('0x5f'), attached)).toBe(attached);
  expect(await confirmAgain(at('0x60'), attached)).toEqual({ ...attached, blockNumber: 96 });
});

it('a mined transaction that is gone, or failed in its new block, is looked up again', async () => {
  const anew = { state: 'sent', blockNumber: null, outcome: null };
  expect(await confirmAgain(node(inPool, null), attached)).toMatchObject(anew);
  expect(await confirmAgain(node(inPool, { ...receipt, status: '0x0' }), attached)).toMatchObject(anew);
  expect(await confirmAgain(node(inPool, null), { ...attached, blockNumber: 101 })).toMatchObject({ state: 'mined' });
});

it('a mined transaction stands for good once it is twelve blocks deep', async () => {
  expect(await confirmAgain(at('0x58'), { ...attached, blockNumber: 0x58 })).toMatchObject({ final: true });
});
