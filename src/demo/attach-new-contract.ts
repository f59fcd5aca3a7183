import { setTimeout as sleep } from 'node:timers/promises';
import { type HDNodeWallet, Transaction, type Wallet } from 'ethers';
import type { Service } from '../engine/service/index.ts';
import type { Address } from '../shared/schema/hex.ts';

const POLL_MS = 20;
/** One minute of polls, which is enough because a local chain mines immediately. */
const MAX_POLLS = 3_000;

/**
 * Deploys a paymaster contract like an operator whose key is not stored in Gasdesk: Gasdesk prepares the transaction,
 * the owner signs it, and Gasdesk attaches the mined contract. Throws an Error if no contract was created.
 */
export const attachNewContract = async (
  { call }: Pick<Service, 'call'>,
  owner: Wallet | HDNodeWallet,
  target: { readonly chainId: number; readonly version: string },
): Promise<Address> => {
  const action = { kind: 'deploy', ...target };
  const { draftId, unsigned } = await call('transactions.prepare', { action, from: owner.address });
  const signedTransaction = await owner.signTransaction(Transaction.from(unsigned));
  let sent = await call('transactions.send', { draftId, signed: { signedTransaction } });
  for (let polls = 0; sent.outcome === null; polls += 1) {
    if (polls === MAX_POLLS) throw new Error('The contract was not mined in time');
    await sleep(POLL_MS);
    const all = await call('transactions.list', { chainId: target.chainId });
    sent = all.find(({ transactionId }) => transactionId === sent.transactionId) ?? sent;
  }
  if (sent.contract === null) throw new Error(sent.outcome);
  return sent.contract;
};
