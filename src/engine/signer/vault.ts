import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { noteChange } from '../base/caller.ts';
import { type Entropy, systemEntropy } from '../base/clock.ts';
import { Secret } from '../base/secret.ts';
import { DEFAULT_SCRYPT, type ScryptCost } from './scrypt-key.ts';
import {
  type Unlocker,
  type VaultFile,
  damaged,
  lockDataKey,
  readVaultFile,
  seal,
  unlockDataKey,
  unseal,
  vaultFileText,
  writeVaultFile,
} from './vault-file.ts';

/**
 * The secrets of the engine by name, encrypted at rest. Changes are on disk, durably, when a call returns; a call that
 * throws has changed nothing, neither on disk nor in memory.
 */
export interface Vault {
  /** `absent` until it is created; `locked` until it is opened with its passphrase or key. */
  readonly state: 'absent' | 'locked' | 'unlocked';
  /**
   * Makes the vault and leaves it unlocked.
   *
   * @throws {@link EngineError} `VAULT_LOCKED` if there is one already; `VAULT_PASSPHRASE_WRONG` if the unlocker is no
   *   good; `DATA_FOLDER_UNUSABLE`
   */
  create(unlocker: Unlocker): Promise<void>;
  /**
   * Makes the entries readable.
   *
   * @throws {@link EngineError} `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`; `VAULT_LOCKED` if
   *   there is no vault
   */
  unlock(unlocker: Unlocker): Promise<void>;
  /**
   * Which kinds of unlocker open the vault; none where there is no vault.
   *
   * @throws {@link EngineError} `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`
   */
  unlockers(): { readonly passphrase: boolean; readonly key: boolean };
  /**
   * Lets pass what opens the vault, and changes nothing.
   *
   * @throws {@link EngineError} `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`
   */
  verify(unlocker: Unlocker): Promise<void>;
  /**
   * Makes `unlocker` open the vault: it replaces the passphrase or the key, whichever it is, and leaves the other. The
   * data key stays, so an old copy of the file still opens with the old passphrase.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`, `VAULT_PASSPHRASE_WRONG`, `DATA_FOLDER_UNUSABLE`
   */
  setUnlocker(unlocker: Unlocker): Promise<void>;
  /**
   * Prepares a copy of the vault for another place, which `passphrase` alone opens, whatever opens this one. A locked
   * vault can be copied with the passphrase that opens it.
   *
   * @returns answers the content of the copy's file, as the vault is when it is called
   * @throws {@link EngineError} `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`
   */
  copyUnder(passphrase: Secret<string>): Promise<() => string>;
  /** Forgets everything that was deciphered. */
  lock(): void;
  /**
   * The names of the entries.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`
   */
  names(): readonly string[];
  /**
   * The value of an entry.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`
   */
  get(name: string): Secret<string> | undefined;
  /**
   * Adds or replaces an entry.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`, `DATA_FOLDER_UNUSABLE`
   */
  set(name: string, value: Secret<string>): void;
  /**
   * Removes an entry.
   *
   * @returns whether there was such an entry
   * @throws {@link EngineError} `VAULT_LOCKED`, `DATA_FOLDER_UNUSABLE`
   */
  delete(name: string): boolean;
  /**
   * The signing secret of a webhook, in the form of Standard Webhooks: `whsec_` and base64 of 32 bytes, which are
   * HMAC-SHA256(seed of the vault, `webhook:` + id). Derived, so a webhook needs no entry of its own.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`
   */
  webhookSecret(webhookId: string): Secret<string>;
  /**
   * The private key of Ed25519 that signs the checkpoints of the log of this origin: 32 bytes, derived as those of webhooks
   * are, from `log:` + origin.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`
   */
  logKey(origin: string): Secret<Uint8Array>;
}

/** What is sealed: a list of pairs, so that no name of an entry is special. */
const contentSchema = z.strictObject({
  seed: z.base64(),
  entries: z.array(z.tuple([z.string(), z.string()])),
});

interface OpenVault {
  readonly locks: VaultFile['locks'];
  readonly dataKey: Buffer;
  readonly seed: string;
  readonly entries: ReadonlyMap<string, string>;
}

/** What tests replace. */
export interface VaultOptions {
  /** Cost of the passphrases set from now on. */
  readonly scrypt?: ScryptCost;
  readonly entropy?: Entropy;
}

const NO_VAULT = 'There is no vault yet. Create it';

/** The vault in `file`, which need not exist yet. Only one process may use it: hold the lock of the data folder. */
export const openVault = (
  file: string,
  { scrypt = DEFAULT_SCRYPT, entropy = systemEntropy }: VaultOptions = {},
): Vault => {
  let opened: OpenVault | undefined;

  const unlocked = (): OpenVault => {
    if (!opened) throw new EngineError('VAULT_LOCKED', existsSync(file) ? undefined : NO_VAULT);
    return opened;
  };
  const save = (next: OpenVault): void => {
    writeVaultFile(file, { locks: next.locks, entries: sealContent(next, entropy) });
    opened = next;
  };
  const refuseExisting = (): void => {
    if (existsSync(file)) throw new EngineError('VAULT_LOCKED', 'A vault already exists. Unlock it', { file });
  };

  const derive = (purpose: string): Buffer =>
    createHmac('sha256', Buffer.from(unlocked().seed, 'base64')).update(purpose).digest();

  return {
    get state() {
      return opened ? 'unlocked' : existsSync(file) ? 'locked' : 'absent';
    },
    async create(unlocker) {
      refuseExisting();
      const dataKey = Buffer.from(entropy.bytes(32));
      const locks = await lockDataKey(dataKey, unlocker, scrypt, entropy);
      // Again: another call may have made one while this one derived its key.
      refuseExisting();
      save({ locks, dataKey, seed: Buffer.from(entropy.bytes(32)).toString('base64'), entries: new Map() });
    },
    async unlock(unlocker) {
      if (!existsSync(file)) throw new EngineError('VAULT_LOCKED', NO_VAULT, { file });
      const dataKey = await unlockDataKey(readVaultFile(file).locks, unlocker);
      // Read only now, since entries may have been set while the key was derived.
      opened = openContent(file, dataKey);
    },
    unlockers() {
      const locks = existsSync(file) ? readVaultFile(file).locks : {};
      return { passphrase: locks.passphrase !== undefined, key: locks.key !== undefined };
    },
    async verify(unlocker) {
      await unlockDataKey(readVaultFile(file).locks, unlocker);
    },
    async setUnlocker(unlocker) {
      const lock = await lockDataKey(unlocked().dataKey, unlocker, scrypt, entropy);
      save({ ...unlocked(), locks: { ...unlocked().locks, ...lock } });
    },
    async copyUnder(passphrase) {
      const dataKey = opened?.dataKey ?? (await unlockDataKey(readVaultFile(file).locks, { passphrase }));
      const locks = await lockDataKey(dataKey, { passphrase }, scrypt, entropy);
      return () => vaultFileText({ locks, entries: readVaultFile(file).entries });
    },
    lock() {
      opened = undefined;
    },
    names: () => [...unlocked().entries.keys()],
    get(name) {
      const value = unlocked().entries.get(name);
      return value === undefined ? undefined : new Secret(value);
    },
    set(name, value) {
      const before = unlocked().entries.get(name);
      save({ ...unlocked(), entries: new Map(unlocked().entries).set(name, value.reveal()) });
      if (before === value.reveal()) return;
      noteChange({ subject: 'secret', id: name, before: before === undefined ? null : 'set', after: 'set anew' });
    },
    delete(name) {
      const entries = new Map(unlocked().entries);
      const existed = entries.delete(name);
      if (!existed) return false;
      save({ ...unlocked(), entries });
      noteChange({ subject: 'secret', id: name, before: 'set', after: null });
      return true;
    },
    webhookSecret: (webhookId) => new Secret(`whsec_${derive(`webhook:${webhookId}`).toString('base64')}`),
    logKey: (origin) => new Secret(derive(`log:${origin}`)),
  };
};

const sealContent = ({ dataKey, seed, entries }: OpenVault, entropy: Entropy): string =>
  seal(dataKey, Buffer.from(JSON.stringify({ seed, entries: [...entries] })), 'entries', entropy);

const openContent = (file: string, dataKey: Buffer): OpenVault => {
  const { locks, entries } = readVaultFile(file);
  const plain = unseal(dataKey, entries, 'entries');
  if (!plain) throw damaged(file, 'the entries were altered');
  const content = contentSchema.safeParse(JSON.parse(plain.toString()));
  if (!content.success) throw damaged(file, 'the entries are not in the format that this Gasdesk reads');
  return { locks, dataKey, seed: content.data.seed, entries: new Map(content.data.entries) };
};
