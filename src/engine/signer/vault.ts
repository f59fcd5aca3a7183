import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { noteChange } from '../base/caller.ts';
import { type Entropy, systemEntropy } from '../base/clock.ts';
import { Secret } from '../base/secret.ts';
import type { VaultStorage } from '../store/database.ts';
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
} from './vault-file.ts';

/**
 * The engine's secrets by name, encrypted at rest. When a call resolves, its change is durable; a call that rejects has
 * changed nothing, neither in storage nor in memory. Each change is applied to the latest content, so engines that
 * share a vault do not overwrite each other's changes.
 */
export interface Vault {
  /** `absent` until created; `locked` until opened with its passphrase or key. */
  readonly state: 'absent' | 'locked' | 'unlocked';
  /**
   * Creates the vault and leaves it unlocked.
   *
   * @throws {@link EngineError} `VAULT_LOCKED` if a vault exists; `VAULT_PASSPHRASE_WRONG` if the unlocker is unusable;
   *   `DATA_FOLDER_UNUSABLE`, `STORE_UNAVAILABLE`
   */
  create(unlocker: Unlocker): Promise<void>;
  /**
   * Decrypts the entries.
   *
   * @throws {@link EngineError} `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`; `VAULT_LOCKED` if no
   *   vault exists
   */
  unlock(unlocker: Unlocker): Promise<void>;
  /**
   * Which kinds of unlocker open the vault. Both are false if no vault exists.
   *
   * @throws {@link EngineError} `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`
   */
  unlockers(): { readonly passphrase: boolean; readonly key: boolean };
  /**
   * Requires that an unlocker opens this vault. Changes nothing.
   *
   * @throws {@link EngineError} `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`
   */
  verify(unlocker: Unlocker): Promise<void>;
  /**
   * Replaces the unlocker of the same kind (passphrase or key). The unlocker of the other kind and the data key do not
   * change. Therefore an old copy of the vault can still be unlocked with the old passphrase.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`, `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`,
   * `STORE_UNAVAILABLE`
   */
  setUnlocker(unlocker: Unlocker): Promise<void>;
  /**
   * Prepares a copy of the vault that opens only with `passphrase`, independent of this vault's unlockers. A locked
   * vault can only be copied with its own passphrase.
   *
   * @returns a function that returns the content of the copy's file, as of the moment when it is called
   * @throws {@link EngineError} `VAULT_PASSPHRASE_WRONG`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`
   */
  copyUnder(passphrase: Secret<string>): Promise<() => string>;
  /**
   * Reads what other engines have written, if the vault is unlocked. It stays unlocked.
   *
   * @throws {@link EngineError} `VAULT_DAMAGED`; the content is then unchanged
   */
  refresh(): void;
  lock(): void;
  /** @throws {@link EngineError} `VAULT_LOCKED` */
  names(): readonly string[];
  /** @throws {@link EngineError} `VAULT_LOCKED` */
  get(name: string): Secret<string> | undefined;
  /**
   * Adds or replaces an entry.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`, `STORE_UNAVAILABLE`
   */
  set(name: string, value: Secret<string>): Promise<void>;
  /**
   * @returns whether the entry existed
   * @throws {@link EngineError} `VAULT_LOCKED`, `VAULT_DAMAGED`, `DATA_FOLDER_UNUSABLE`, `STORE_UNAVAILABLE`
   */
  delete(name: string): Promise<boolean>;
  /**
   * A webhook's signing secret, in the format of Standard Webhooks: `whsec_` and base64 of 32 bytes, which are
   * HMAC-SHA256(seed of the vault, `webhook:` + id). A webhook needs no entry in the vault, because its secret is
   * derived.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`
   */
  webhookSecret(webhookId: string): Secret<string>;
  /**
   * The Ed25519 private key (32 bytes) that signs the log's checkpoints. It is derived like webhook secrets, from
   * `log:` + origin.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`
   */
  logKey(origin: string): Secret<Uint8Array>;
  /**
   * The key of the hashes that stand for people (32 bytes). It is derived like webhook secrets, from `subject`.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`
   */
  subjectKey(): Secret<Uint8Array>;
  /**
   * The key of the continuous backup (32 bytes), and a name for the desk that says nothing about it. They are derived
   * like webhook secrets, from `copy` and `copy:desk`.
   *
   * @throws {@link EngineError} `VAULT_LOCKED`
   */
  copyKey(): { readonly key: Secret<Uint8Array>; readonly desk: string };
}

/** The encrypted content. Entries are a list of pairs, so that no name is treated specially. */
const contentSchema = z.strictObject({ seed: z.base64(), entries: z.array(z.tuple([z.string(), z.string()])) });

interface OpenVault {
  readonly locks: VaultFile['locks'];
  readonly dataKey: Buffer;
  readonly seed: string;
  readonly entries: ReadonlyMap<string, string>;
}

export interface VaultOptions {
  /** scrypt cost for passphrases that are set from now on. */
  readonly scrypt?: ScryptCost;
  readonly entropy?: Entropy;
}

const NO_VAULT = 'There is no vault yet. Create it';

/** Opens a storage, which need not contain a vault yet. The vault is locked. */
export const openVault = (
  storage: VaultStorage,
  { scrypt = DEFAULT_SCRYPT, entropy = systemEntropy }: VaultOptions = {},
): Vault => {
  const { name: place } = storage;
  let opened: OpenVault | undefined;
  /**
   * While the content stays the same, a secret is always the same object, so that callers can cache values that they
   * derive from it.
   */
  const handedOut = new WeakMap<OpenVault['entries'], Map<string, Secret<string>>>();

  /** Also true if the vault cannot be read. */
  const exists = (): boolean => {
    try {
      return storage.current() !== undefined;
    } catch {
      return true;
    }
  };
  const unlocked = (): OpenVault => {
    if (!opened) throw new EngineError('VAULT_LOCKED', exists() ? undefined : NO_VAULT);
    return opened;
  };
  const alreadyThere = (): EngineError =>
    new EngineError('VAULT_LOCKED', 'A vault already exists. Unlock it', { place });
  const stored = (): VaultFile => {
    const text = storage.current();
    if (text === undefined) throw new EngineError('VAULT_LOCKED', NO_VAULT, { place });
    return readVaultFile(place, text);
  };
  const sealed = ({ locks, ...content }: OpenVault): string =>
    vaultFileText({ locks, entries: sealContent(content, entropy) });
  const refresh = (): void => {
    if (opened) opened = openContent(place, stored(), opened.dataKey);
  };
  /**
   * Applies `change` to the latest content, and writes the result if it differs.
   *
   * @returns the content before the change
   */
  const save = async (change: (newest: OpenVault) => OpenVault): Promise<OpenVault> => {
    let before = unlocked();
    const { dataKey } = before;
    await storage.update((text) => {
      if (text !== undefined) before = openContent(place, readVaultFile(place, text), dataKey);
      const next = change(before);
      return next === before && text !== undefined ? text : sealed(next);
    });
    refresh();
    return before;
  };

  const derive = (purpose: string): Buffer =>
    createHmac('sha256', Buffer.from(unlocked().seed, 'base64')).update(purpose).digest();

  return {
    get state() {
      return opened ? 'unlocked' : exists() ? 'locked' : 'absent';
    },
    async create(unlocker) {
      if (exists()) throw alreadyThere();
      const dataKey = Buffer.from(entropy.bytes(32));
      const locks = await lockDataKey(dataKey, unlocker, scrypt, entropy);
      const seed = Buffer.from(entropy.bytes(32)).toString('base64');
      const made: OpenVault = { locks, dataKey, seed, entries: new Map() };
      await storage.update((text) => {
        // Checked again, because another call or engine may have created a vault while this one derived its key.
        if (text !== undefined) throw alreadyThere();
        return sealed(made);
      });
      opened = made;
    },
    async unlock(unlocker) {
      const dataKey = await unlockDataKey(stored().locks, unlocker);
      // Read last, because entries may have been set while the key was derived.
      opened = openContent(place, stored(), dataKey);
    },
    unlockers() {
      const { passphrase, key } = storage.current() === undefined ? {} : stored().locks;
      return { passphrase: passphrase !== undefined, key: key !== undefined };
    },
    async verify(unlocker) {
      await unlockDataKey(stored().locks, unlocker);
    },
    async setUnlocker(unlocker) {
      const lock = await lockDataKey(unlocked().dataKey, unlocker, scrypt, entropy);
      await save((newest) => ({ ...newest, locks: { ...newest.locks, ...lock } }));
    },
    async copyUnder(passphrase) {
      const dataKey = opened?.dataKey ?? (await unlockDataKey(stored().locks, { passphrase }));
      const locks = await lockDataKey(dataKey, { passphrase }, scrypt, entropy);
      return () => vaultFileText({ locks, entries: stored().entries });
    },
    refresh,
    lock() {
      opened = undefined;
    },
    names: () => [...unlocked().entries.keys()],
    get(name) {
      const { entries } = unlocked();
      const value = entries.get(name);
      if (value === undefined) return undefined;
      const secrets = handedOut.get(entries) ?? new Map<string, Secret<string>>();
      handedOut.set(entries, secrets);
      const secret = secrets.get(name) ?? new Secret(value);
      secrets.set(name, secret);
      return secret;
    },
    async set(name, value) {
      const { entries } = await save((newest) => ({
        ...newest,
        entries: new Map(newest.entries).set(name, value.reveal()),
      }));
      const before = entries.get(name);
      if (before === value.reveal()) return;
      noteChange({ subject: 'secret', id: name, before: before === undefined ? null : 'set', after: 'set again' });
    },
    async delete(name) {
      const { entries } = await save((newest) => {
        const left = new Map(newest.entries);
        return left.delete(name) ? { ...newest, entries: left } : newest;
      });
      if (!entries.has(name)) return false;
      noteChange({ subject: 'secret', id: name, before: 'set', after: null });
      return true;
    },
    webhookSecret: (webhookId) => new Secret(`whsec_${derive(`webhook:${webhookId}`).toString('base64')}`),
    logKey: (origin) => new Secret(derive(`log:${origin}`)),
    subjectKey: () => new Secret(derive('subject')),
    copyKey: () => ({ key: new Secret(derive('copy')), desk: derive('copy:desk').toString('hex').slice(0, 32) }),
  };
};

const sealContent = ({ dataKey, seed, entries }: Omit<OpenVault, 'locks'>, entropy: Entropy): string =>
  seal(dataKey, Buffer.from(JSON.stringify({ seed, entries: [...entries] })), 'entries', entropy);

const openContent = (place: string, { locks, entries }: VaultFile, dataKey: Buffer): OpenVault => {
  const plain = unseal(dataKey, entries, 'entries');
  if (!plain) throw damaged(place, 'the entries were altered');
  const content = contentSchema.safeParse(JSON.parse(plain.toString()));
  if (!content.success) throw damaged(place, 'the entries are not in the format that this Gasdesk reads');
  return { locks, dataKey, seed: content.data.seed, entries: new Map(content.data.entries) };
};
