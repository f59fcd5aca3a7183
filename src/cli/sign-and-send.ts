import type { Wallet } from 'ethers';
import type { Caller } from '../engine/service/index.ts';
import type { ProcedureInput, ProcedureOutput } from '../shared/contract/index.ts';
import { EngineError } from '../shared/errors.ts';
import type { Hex } from '../shared/schema/hex.ts';
import { readSecretFile } from './desk.ts';

type Sent = ProcedureOutput<'transactions.send'>;

/** How long a command waits for its transaction; afterwards the running service, or the next command, follows it. */
const WAIT = { times: 60, ms: 2_000 };

const walletOf = async (file: string): Promise<Wallet> => {
  // Other commands start without it.
  const { Wallet } = await import('ethers');
  try {
    return new Wallet(readSecretFile(file).reveal());
  } catch (error) {
    if (error instanceof EngineError) throw error;
    // What ethers says of it may quote it.
    throw new EngineError('VALIDATION', `The file ${file} must hold a secp256k1 private key, 0x and 64 hex digits`);
  }
};

const untilMined = async (call: Caller, sent: Sent): Promise<Sent> => {
  for (let nth = 0; nth < WAIT.times; nth += 1) {
    const all = await call('transactions.list', { chainId: sent.chainId });
    const now = all.find(({ transactionId }) => transactionId === sent.transactionId) ?? sent;
    if (now.outcome !== null) return now;
    await new Promise((resolve) => setTimeout(resolve, WAIT.ms));
  }
  return sent;
};

/**
 * Has the desk prepare a transaction, signs it here and waits until it is mined: the key does not leave this process.
 *
 * @throws EngineError `CONFIG_INVALID` or `VALIDATION` for the key file; as `transactions.prepare` and `.send`
 */
export const signAndSend = async (
  call: Caller,
  action: ProcedureInput<'transactions.prepare'>['action'],
  keyFile: string,
): Promise<Sent> => {
  const wallet = await walletOf(keyFile);
  const { Transaction } = await import('ethers');
  const { draftId, unsigned } = await call('transactions.prepare', {
    action,
    from: wallet.address,
  });
  const signedTransaction = (await wallet.signTransaction(Transaction.from(unsigned))) as Hex;
  return untilMined(call, await call('transactions.send', { draftId, signed: { signedTransaction } }));
};
