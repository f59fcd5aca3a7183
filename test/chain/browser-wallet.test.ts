import { Transaction } from 'ethers';
import { beforeAll, expect, test } from 'vitest';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { type OperatorDesk, type PreparedDraft, useOperatorDesk } from '../support/operator-desk.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';

const desk = useOperatorDesk();
type Dapp = Awaited<ReturnType<OperatorDesk['dapp']>>;

beforeAll(async () => {
  await desk().attach('1.1.0');
});

const service = () => desk().engine().service;
const handOver = ({ draftId }: PreparedDraft) => service().call('transactions.handOver', { draftId });
const handBack = ({ draftId }: PreparedDraft, hash: Hex) => service().call('transactions.handBack', { draftId, hash });
const takeBack = ({ draftId }: PreparedDraft, unclear: string | null) =>
  service().call('transactions.takeBack', { draftId, unclear });

/** As an extension does, which never shows the signed transaction. */
const sendFromWallet = async ({ unsigned }: PreparedDraft, { wallet }: Dapp): Promise<Hex> => {
  const sent = await wallet.sendTransaction(Transaction.from(unsigned));
  await sent.wait();
  return sent.hash as Hex;
};

/** A DApp whose tank covers two operations, and a withdrawal of one of them. */
const withWithdrawal = async (): Promise<{ dapp: Dapp; draft: PreparedDraft }> => {
  const dapp = await desk().dapp('1.1.0');
  const { paymasterId, wallet } = dapp;
  await desk().send({ kind: 'deposit', paymasterId, amountWei: String(2n * RESERVED_WEI) }, wallet);
  const action = { kind: 'withdraw', paymasterId, amountWei: String(RESERVED_WEI), to: dapp.fundingWallet } as const;
  return { dapp, draft: await desk().prepare(action, wallet) };
};

let nonces = 0;
const isSponsored = async (dapp: Dapp): Promise<boolean> => {
  const mint = operation({ to: desk().contracts.gameItems, data: gameCall('mint') }, { nonce: `0x${(nonces += 1)}` });
  return (await dapp.sponsor(mint)).body.result?.paymasterAndData !== '0x';
};

test('a transaction of a wallet in the browser is followed, and its amount is promised to no operation meanwhile', async () => {
  const { dapp, draft } = await withWithdrawal();
  await handOver(draft);
  expect([await isSponsored(dapp), await isSponsored(dapp)]).toEqual([true, false]);
  const hash = await sendFromWallet(draft, dapp);
  const sent = await handBack(draft, hash);
  expect(sent).toMatchObject({ hash, kind: 'withdraw', state: 'sent' });
  expect(await desk().now(sent)).toMatchObject({ state: 'mined', outcome: expect.any(String) });
  expect(await desk().balanceOnChain(draft.to!, dapp.fundingWallet)).toBe(RESERVED_WEI);
  await expect(handOver(draft)).rejects.toMatchObject({ code: 'DRAFT_NOT_FOUND' });
});

test('what a wallet refused changes nothing, frees what was held and may be sent again', async () => {
  const { dapp, draft } = await withWithdrawal();
  await handOver(draft);
  await expect(handOver(draft)).rejects.toMatchObject({ code: 'DRAFT_NOT_FOUND' });
  await takeBack(draft, null);
  expect(await isSponsored(dapp)).toBe(true);
  await handOver(draft);
  const hash = await sendFromWallet(draft, dapp);
  expect(await handBack(draft, hash)).toMatchObject({ hash });
});

test('more than is free by now is not handed to a wallet', async () => {
  const { dapp, draft } = await withWithdrawal();
  expect([await isSponsored(dapp), await isSponsored(dapp)]).toEqual([true, true]);
  await expect(handOver(draft)).rejects.toMatchObject({ code: 'TRANSACTION_WOULD_FAIL' });
  await expect(takeBack(draft, null)).rejects.toMatchObject({ code: 'TRANSACTION_MAYBE_SENT' });
});

test('a wallet that does not say what it did may have sent: the draft is used up, and nothing stays held', async () => {
  const unclear = await withWithdrawal();
  await handOver(unclear.draft);
  await expect(takeBack(unclear.draft, 'nonce too low')).rejects.toMatchObject({
    code: 'TRANSACTION_MAYBE_SENT',
    message: expect.stringContaining(
      'The wallet answered: nonce too low. It may nevertheless have sent the transaction',
    ),
  });
  const silent = await withWithdrawal();
  await handOver(silent.draft);
  await desk().clock.advance(5 * 60_000);
  for (const { dapp, draft } of [unclear, silent]) {
    await expect(handOver(draft)).rejects.toMatchObject({ code: 'DRAFT_NOT_FOUND' });
    await expect(handBack(draft, `0x${'ab'.repeat(32)}`)).rejects.toMatchObject({ code: 'TRANSACTION_MAYBE_SENT' });
    expect([await isSponsored(dapp), await isSponsored(dapp)]).toEqual([true, true]);
  }
});
