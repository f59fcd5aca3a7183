import type { Transport } from '../../transport/transport.ts';
import type { SendingWallet, SignedBy } from '../signing/signed-by.ts';
import { WalletError } from '../signing/wallet-error.ts';
import type { Draft, Transaction } from './chain-action.ts';

/**
 * Sends a draft with a wallet. Until the wallet answers, the engine holds the amount of a withdrawal, so that nothing
 * else can reserve it.
 */
const sendThrough = async (transport: Transport, draft: Draft, wallet: SendingWallet): Promise<Transaction> => {
  const { draftId } = draft;
  await wallet.ready(draft);
  await transport.call('transactions.handOver', { draftId });
  let hash: Transaction['hash'];
  try {
    hash = await wallet.send(draft);
  } catch (error) {
    const isUnsent = error instanceof WalletError && error.isUnsent;
    const unclear = isUnsent ? null : error instanceof Error ? error.message : '';
    await transport.call('transactions.takeBack', { draftId, unclear });
    throw error;
  }
  return transport.call('transactions.handBack', { draftId, hash });
};

/**
 * Gets a prepared transaction signed and sent: by the engine, or by a wallet that only this page can reach.
 *
 * @throws EngineError like `transactions.send`; `WalletError`
 */
export const sendDraft = (transport: Transport, draft: Draft, by: SignedBy): Promise<Transaction> => {
  if ('wallet' in by) return sendThrough(transport, draft, by.wallet);
  const { draftId } = draft;
  const signed = 'signature' in by ? { signature: by.signature } : by;
  return transport.call('transactions.send', { draftId, signed });
};
