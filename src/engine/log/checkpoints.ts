import { checkpointText, readCheckpoint } from '../../core/log/checkpoint.ts';
import { type VerifierKey, signedNote } from '../../core/log/signed-note.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import { sha256 } from '../base/sha256.ts';
import type { Vault } from '../signer/vault.ts';
import type { Store } from '../store/store.ts';
import type { LogCheckpoint } from '../store/log-store.ts';
import { publicKeyOf, signEd25519 } from './ed25519.ts';

export interface Checkpoints {
  /** The log's origin, and the public key of its checkpoints. @throws EngineError `VAULT_LOCKED` */
  key(): Promise<VerifierKey>;
  /**
   * A checkpoint of all current entries: an existing or a new one.
   *
   * @throws EngineError `VAULT_LOCKED`; `LOG_INCONSISTENT` if the entries differ from those that were signed before
   */
  sign(): Promise<LogCheckpoint>;
  /**
   * Signs a checkpoint if it is time: after every 1,000 entries, and after 10 s if any entries are unsigned. Does
   * nothing while the vault is locked.
   */
  poll(): Promise<void>;
}

interface CheckpointContext {
  readonly store: Store;
  readonly vault: Pick<Vault, 'state' | 'logKey'>;
  readonly clock: Pick<Clock, 'now'>;
}

const MAX_ENTRIES = 1_000;
const MAX_MS = 10_000;

/** Signs the heads of the log with the key in the vault. */
export const createCheckpoints = ({ store, vault, clock }: CheckpointContext): Checkpoints => {
  const origin = async (): Promise<string> => `gasdesk/${await store.deskId()}`;

  const key = async (): Promise<VerifierKey> => {
    const name = await origin();
    return { name, publicKey: publicKeyOf(vault.logKey(name).reveal()) };
  };

  /** A log must never sign a state that does not extend the states that it has signed (c2sp.org/tlog-checkpoint). */
  const requireConsistent = async (): Promise<void> => {
    const newest = await store.newestCheckpoint();
    const signed = newest && readCheckpoint(newest.note);
    if (newest === undefined) return;
    const { root } = await store.logHead(Math.min(newest.size, await store.logSize()));
    if (signed === undefined || Buffer.compare(root, signed.root) !== 0) throw new EngineError('LOG_INCONSISTENT');
  };

  const signHead = async (size: number): Promise<LogCheckpoint> => {
    await requireConsistent();
    const signer = await key();
    const text = checkpointText({ origin: signer.name, ...(await store.logHead(size)) });
    const sign = (message: Uint8Array): Uint8Array => signEd25519(vault.logKey(signer.name).reveal(), message);
    const checkpoint = { size, at: clock.now(), note: signedNote(text, signer, sha256, sign) };
    await store.saveCheckpoint(checkpoint);
    return checkpoint;
  };

  return {
    key,
    async sign() {
      const size = await store.logSize();
      const newest = await store.newestCheckpoint();
      return newest?.size === size ? newest : signHead(size);
    },
    async poll() {
      if (vault.state !== 'unlocked') return;
      const size = await store.logSize();
      const newest = await store.newestCheckpoint();
      let signed = newest?.size ?? 0;
      for (; size - signed >= MAX_ENTRIES; signed += MAX_ENTRIES) await signHead(signed + MAX_ENTRIES);
      if (size > signed && clock.now() - (newest?.at ?? 0) >= MAX_MS) await signHead(size);
    },
  };
};
