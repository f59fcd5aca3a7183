import type { Caller } from '../api/index.ts';
import type { ProcedureInput, ProcedureOutput } from '../api/index.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { type TransactionSigner, type TransactionSignerFlags, transactionSigner } from './operator-key.ts';
import { print } from './human-text.ts';
import { exitWith, printNote } from './terminal.ts';

type Sent = ProcedureOutput<'transactions.send'>;
type Action = ProcedureInput<'transactions.prepare'>['action'];

/**
 * How long a command waits for its transaction: often at first, about two minutes in all. Afterwards the running service,
 * or the next command, follows it.
 */
const WAITS_MS = [100, 200, 400, 800, ...Array<number>(60).fill(2_000)];

const untilMined = async (call: Caller, sent: Sent): Promise<Sent> => {
  for (const ms of WAITS_MS) {
    const all = await call('transactions.list', { chainId: sent.chainId });
    const now = all.find(({ transactionId }) => transactionId === sent.transactionId) ?? sent;
    if (now.outcome !== null) return now;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  return sent;
};

const signAndSend = async (call: Caller, action: Action, signer: TransactionSigner): Promise<Sent> => {
  const draft = await call('transactions.prepare', { action, from: signer.address });
  const signed = await signer.sign(draft);
  return untilMined(call, await call('transactions.send', { draftId: draft.draftId, signed }));
};

/**
 * Has the desk prepare a transaction, signs it with the key that the flags name, waits until it is mined and prints it.
 * Exit code 1 where it came to nothing on chain.
 *
 * @throws EngineError as `transactionSigner`; as `transactions.prepare` and `.send`
 */
export const sendFromDesk = async (options: DeskOptions & TransactionSignerFlags, action: Action): Promise<void> => {
  const signer = await transactionSigner(options);
  const sent = await withDesk(options, (call) => signAndSend(call, action, signer));
  print(sent, options.json === true);
  if (sent.state === 'sent' || sent.state === 'mined') return;
  if (sent.outcome !== null) printNote(sent.outcome);
  exitWith(1);
};
