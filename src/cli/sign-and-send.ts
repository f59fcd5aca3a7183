import { type Command, Option } from 'commander';
import { z } from 'zod';
import { type Caller, type ProcedureInput, type ProcedureOutput, procedures } from '../api/index.ts';
import { address } from '../shared/schema/hex.ts';
import { command } from './command.ts';
import { withDesk } from './desk.ts';
import { type Words, withFields } from './fields.ts';
import { print } from './human-text.ts';
import { withIds } from './names.ts';
import { type TransactionSigner, transactionSigner, withSigningKeyFlags } from './operator-key.ts';
import { exitWith, printNote, withProgress } from './terminal.ts';

type SentTransaction = ProcedureOutput<'transactions.send'>;
type Action = ProcedureInput<'transactions.prepare'>['action'];

/**
 * Intervals, in ms, at which a command checks whether its transaction is mined: short ones at first, about two minutes
 * in total. Afterwards the running service, or the next command, follows the transaction.
 */
const WAITS_MS = [100, 200, 400, 800, ...Array<number>(60).fill(2_000)];

const untilMined = (call: Caller, sent: SentTransaction): Promise<SentTransaction> =>
  withProgress(async (say) => {
    say('Waiting until the transaction is mined');
    for (const ms of WAITS_MS) {
      const all = await call('transactions.list', { chainId: sent.chainId });
      const now = all.find(({ transactionId }) => transactionId === sent.transactionId) ?? sent;
      if (now.outcome !== null) return now;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
    return sent;
  });

const signAndSend = async (call: Caller, action: Action, signer: TransactionSigner): Promise<SentTransaction> => {
  const draft = await call('transactions.prepare', { action: await withIds(call, action), from: signer.address });
  const signed = await signer.sign(draft);
  return untilMined(call, await call('transactions.send', { draftId: draft.draftId, signed }));
};

/** The signer of a transaction, as a field of the command. @param whose owner of the key */
export const from = (whose: string) => ({
  add: (command: Command): Command =>
    withSigningKeyFlags(
      command.addOption(
        new Option('--from-key-file <file>', `file with ${whose}; the key is not stored`).conflicts([
          'keystore',
          'wallet',
        ]),
      ),
    ),
  read: transactionSigner,
});

/** The operator's input for an action: its fields, and the signer. */
type ActionInput<Kind extends Action['kind']> = Omit<Extract<Action, { kind: Kind }>, 'kind'> & {
  from: TransactionSigner;
};

const actions = procedures['transactions.prepare'].input.shape.action.options;

/**
 * A command that prepares a transaction, signs it with the key that the flags name, waits until it is mined, and prints
 * it. Exits with code 1 if the transaction failed on chain.
 */
export const sending = <Kind extends Action['kind']>(
  name: string,
  summary: string,
  kind: Kind,
  words: Words<ActionInput<Kind>>,
): Command => {
  const action: z.ZodObject | undefined = actions.find(({ shape }) => shape.kind.value === kind);
  const schema = z.strictObject({ ...action?.omit({ kind: true }).shape, from: address });
  return withFields(command(name, summary), schema, words, async ({ from, ...rest }, options) => {
    const sent = await withDesk(options, (call) => signAndSend(call, { kind, ...rest } as unknown as Action, from));
    print(sent, options.json === true);
    if (sent.state === 'sent' || sent.state === 'mined') return;
    if (sent.outcome !== null) printNote(sent.outcome);
    exitWith(1);
  });
};
