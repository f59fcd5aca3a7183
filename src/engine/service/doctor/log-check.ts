import { openCheckpoint } from '../../../core/log/checkpoint.ts';
import { logCrypto } from '../../log/ed25519.ts';
import { storedRevisions, tileFaults } from '../../log/stored-faults.ts';
import type { ServiceContext } from '../service.ts';
import { MEND_ROLLBACK } from '../../log/rollback.ts';
import { type Check, failed, good } from './check.ts';

const FIX = 'The database was altered. Run "gasdesk log verify", which names the entry, and restore an earlier backup.';

/**
 * Checks whether the database contains everything that this engine wrote. Undefined if it does, because `checkLog`
 * covers the rest.
 */
export const checkRollback = async ({ rollback }: Pick<ServiceContext, 'rollback'>): Promise<Check | undefined> => {
  const found = await rollback();
  return found && failed('rollback', found.words, `${MEND_ROLLBACK}.`);
};

/** Compares the log's tree with its latest checkpoint, and stored tree nodes and policies with their hashes. */
export const checkLog = async ({ store, vault, checkpoints }: ServiceContext): Promise<Check> => {
  const size = await store.logSize();
  const newest = await store.newestCheckpoint();
  if (newest === undefined) return good('log', `${size} entries, not signed yet`);
  if (vault.state !== 'unlocked') return good('log', `${size} entries, not checked while the vault is locked`);
  if (size < newest.size) return failed('log', `${newest.size - size} entries are missing`, FIX);
  const opened = openCheckpoint(newest.note, await checkpoints.key(), logCrypto);
  if ('error' in opened) return failed('log', `The newest checkpoint cannot be trusted. ${opened.error}`, FIX);
  const { root } = await store.logHead(newest.size);
  if (Buffer.compare(root, opened.head.root) !== 0)
    return failed('log', 'The entries are not those that were signed', FIX);
  const [first, ...others] = [...(await tileFaults(store)), ...(await storedRevisions(store)).faults];
  if (first === undefined) return good('log', `${size} entries, signed up to ${newest.size}`);
  return failed('log', others.length === 0 ? first : `${first}, and ${others.length} more`, FIX);
};
