import { grouped } from '../../shared/words/amount.ts';
import type { Store } from '../store/store.ts';
import type { DeskLogEnd } from '../store/log-store.ts';

export interface Rollback {
  /** The end of the log when this engine last wrote to it. */
  readonly written: DeskLogEnd;
  readonly found: DeskLogEnd;
  readonly words: string;
}

type Reading = Pick<Store, 'deskId' | 'logSize' | 'logLines' | 'wasCalled'>;

export const MEND_ROLLBACK =
  'Restore your newest backup: "gasdesk restore FILE". To continue with the existing data, run "gasdesk log accept-rollback"';

const entries = (count: number): string => `${grouped(count)} ${count === 1 ? 'entry' : 'entries'}`;

/** Leaf hash, in hex, of entry number `size` (the last of the first `size`). */
const hashAt = async (store: Reading, size: number): Promise<string> => {
  if (size === 0) return '';
  const [line] = await store.logLines({ from: size - 1, to: size, limit: 1 });
  return line?.hash ?? '';
};

export const logEndOf = async (store: Reading): Promise<DeskLogEnd> => {
  const [deskId, size] = [await store.deskId(), await store.logSize()];
  return { deskId, size, hash: await hashAt(store, size) };
};

const wordsOf = async (store: Reading, written: DeskLogEnd, found: DeskLogEnd): Promise<string | undefined> => {
  if (written.deskId !== found.deskId) {
    // An operator has accepted an older state through another engine.
    if (await store.wasCalled(written.deskId)) return undefined;
    return (
      `The database is not the one that this data folder was last used with: that was desk ${written.deskId} with ` +
      `${entries(written.size)} in its log, and this is desk ${found.deskId} with ${entries(found.size)}`
    );
  }
  if (found.size < written.size) {
    const count = written.size - found.size;
    const lost = count === 1 ? 'entry' : entries(count);
    return (
      `The database is an older state of this desk: its log has ${entries(found.size)}, and Gasdesk wrote ` +
      `${entries(written.size)}. Limits, gas tanks and settings lack the last ${lost}`
    );
  }
  if ((await hashAt(store, written.size)) === written.hash) return undefined;
  return (
    `The database continued from an older state of this desk: entry ${grouped(written.size - 1)} of its log is not the ` +
    'one that Gasdesk wrote. Limits, gas tanks and settings lack entries'
  );
};

/**
 * Compares the log in the database with the end of the log at this engine's last write. Undefined if the log in the
 * database continues from that end.
 */
export const findRollback = async (store: Reading, written: DeskLogEnd | undefined): Promise<Rollback | undefined> => {
  if (written === undefined) return undefined;
  const found = await logEndOf(store);
  const words = await wordsOf(store, written, found);
  return words === undefined ? undefined : { written, found, words };
};
