import type { VaultStorage } from '../database.ts';
import type { Steps } from '../rows.ts';
import { storeError } from './errors.ts';
import { type Rows, runSteps } from './rows.ts';
import type { Transaction, Writer } from './writer.ts';

const READ = 'SELECT sealed FROM vault';
const SAVE = `INSERT INTO vault VALUES (1, $1) ON CONFLICT ("only") DO UPDATE SET sealed = excluded.sealed`;

const replaceSealed = function* (tx: Transaction, change: (newest: string | undefined) => string): Steps<string> {
  const newest = (yield* tx.get<{ sealed: string }>(READ))?.sealed;
  const next = change(newest);
  if (next === newest) return next;
  yield* tx.run(SAVE, [next]);
  tx.vaultChanged();
  return next;
};

/** The sealed text of the vault in the database. The last read text is cached. */
export interface SharedVaultStorage extends VaultStorage {
  /** Reads what another engine has written. */
  readonly refresh: () => Promise<void>;
}

/** The vault in the database, shared by all its engines. */
export const createVaultStorage = ({ rows, writer }: { rows: Rows; writer: Writer }): SharedVaultStorage => {
  let sealed: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** Only one operation at a time: an earlier read must not replace text that was written later. */
  const inTurn = (run: () => Promise<void>): Promise<void> => {
    const done = last.then(run).catch((error: unknown) => {
      throw storeError(error);
    });
    last = done.catch(() => undefined);
    return done;
  };
  const read = async (): Promise<void> => {
    sealed = (await rows.get<{ sealed: string }>(READ))?.sealed;
  };
  const write = async (change: (newest: string | undefined) => string): Promise<void> => {
    try {
      sealed = await writer.run((tx) => runSteps(replaceSealed(tx, change)));
    } catch (error) {
      // Reads the vault again: either the stored vault was newer, so that the change was refused, or the connection was
      // lost, and the change may have been committed.
      await read().catch(() => undefined);
      throw error;
    }
  };
  return {
    name: 'the database',
    current: () => sealed,
    update: (change) => inTurn(() => write(change)),
    refresh: () => inTurn(read),
  };
};
