import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import { type Address, addressKey, sameAddress } from '../../shared/schema/hex.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import { KEYSTORE_NAME } from '../data-folder/data-folder.ts';
import { syncFolder, writeDurably } from '../data-folder/write-durably.ts';
import { DEFAULT_SCRYPT, type ScryptCost } from '../signer/scrypt-key.ts';
import {
  type JsonObject,
  type KeystoreFile,
  addressOf,
  decryptKeystore,
  encryptKeystore,
  invalidKeystore,
  readKeystore,
} from './keystore-file.ts';
import { checksummed } from './message-proof.ts';

export interface Keystore {
  readonly address: Address;
  readonly label: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** What is wrong with the keystore file; null if it is valid. */
  readonly error: string | null;
}

/** Local keys. Each is in a separate file, which its own password opens for a single use. */
export interface Keystores {
  /** Oldest first. Includes damaged files, which do not hide other keys. @throws EngineError `DATA_FOLDER_UNUSABLE` */
  list(): Keystore[];
  /** Creates a key. @throws EngineError `DATA_FOLDER_UNUSABLE` */
  create(label: string, password: string): Promise<Keystore>;
  /**
   * Stores a copy of a keystore file, unchanged.
   *
   * @throws EngineError `KEYSTORE_INVALID`, `KEYSTORE_EXISTS`, `KEYSTORE_PASSWORD_WRONG`, `DATA_FOLDER_UNUSABLE`
   */
  import(label: string, text: string, password: string): Promise<Keystore>;
  /**
   * The key's file for use in another wallet, under a name that geth recognises.
   *
   * @throws EngineError `KEYSTORE_NOT_FOUND`, `KEYSTORE_INVALID`
   */
  export(address: Address): { fileName: string; keystore: string };
  /**
   * Deletes a key, if the password opens it. A file that cannot be read has no password: it is only renamed, so that it
   * is no longer listed but stays in the folder.
   *
   * @throws EngineError those of {@link use}, `DATA_FOLDER_UNUSABLE`
   */
  remove(address: Address, password?: string): Promise<void>;
  /**
   * Opens a key while `act` runs.
   *
   * @throws EngineError `KEYSTORE_NOT_FOUND`, `KEYSTORE_INVALID`, `KEYSTORE_PASSWORD_WRONG`, and what `act` throws
   */
  use<T>(address: Address, password: string, act: (wallet: Wallet) => Promise<T>): Promise<T>;
}

/** Maximum size of an imported file. Valid files are far smaller. */
const MAX_BYTES = 65_536;

/** The latest time that a Date can hold (ECMA-262), in epoch ms. */
const LATEST_MS = 8.64e15;

/** Field for Gasdesk's own data in a keystore file. Other wallets ignore it. */
const OURS = 'gasdesk';
const oursSchema = z.object({ label: z.string(), createdAt: z.int().min(0).max(LATEST_MS) });

/** Runs work on the folder, and converts its errors. @throws EngineError `DATA_FOLDER_UNUSABLE` */
const onDisk = <T>(work: () => T): T => {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    const message = `Cannot use the folder of keystores: ${(cause as Error).message}`;
    throw new EngineError('DATA_FOLDER_UNUSABLE', message, {}, { cause });
  }
};

const readText = (path: string): string => {
  try {
    if (statSync(path).size > MAX_BYTES) throw invalidKeystore('it is too large');
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw new EngineError('KEYSTORE_NOT_FOUND');
    throw invalidKeystore((cause as Error).message);
  }
};

/** Decrypts a key for one use, then overwrites it in memory. */
const withKey = async <T>(file: KeystoreFile, password: string, use: (key: Buffer) => Promise<T> | T): Promise<T> => {
  const key = await decryptKeystore(file, password);
  try {
    return await use(key);
  } finally {
    key.fill(0);
  }
};

/** The keystores in a folder. If the folder is missing, it is created, accessible to its owner only. */
export const createKeystores = (desk: {
  readonly dir: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** scrypt cost for new keystores. */
  readonly scrypt?: ScryptCost | undefined;
}): Keystores => {
  const { dir, clock, entropy, scrypt = DEFAULT_SCRYPT } = desk;
  const pathOf = (address: Address): string => join(dir, `${addressKey(address)}.json`);

  const describe = (address: Address): Keystore => {
    const known = { address: checksummed(address) };
    try {
      const { json } = readKeystore(readText(pathOf(address)));
      const { data } = oursSchema.safeParse(json[OURS]);
      // The file may come from another wallet, and then has no label.
      return { ...known, ...(data ?? { label: '', createdAt: 0 }), error: null };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return { ...known, label: '', createdAt: 0, error: error.message };
    }
  };
  const keep = (address: Address, label: string, json: JsonObject): Keystore => {
    const path = pathOf(address);
    if (existsSync(path)) throw new EngineError('KEYSTORE_EXISTS');
    const createdAt = clock.now();
    onDisk(() => {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      chmodSync(dir, 0o700);
      writeDurably(path, JSON.stringify({ ...json, [OURS]: { label, createdAt } }));
    });
    return { address, label, createdAt, error: null };
  };
  const opened = async <T>(address: Address, password: string, use: (key: Buffer) => Promise<T> | T): Promise<T> => {
    const { file } = readKeystore(readText(pathOf(address)));
    return withKey(file, password, (key) => {
      if (sameAddress(addressOf(key), address)) return use(key);
      throw invalidKeystore('its key belongs to another address than its file name says');
    });
  };

  return {
    list: () =>
      onDisk(() => (existsSync(dir) ? readdirSync(dir, { withFileTypes: true }) : []))
        .filter((entry) => entry.isFile() && KEYSTORE_NAME.test(entry.name))
        .map(({ name }) => describe(name.slice(0, -'.json'.length) as Address))
        .sort((a, b) => a.createdAt - b.createdAt),
    async create(label, password) {
      const key = Buffer.from(entropy.bytes(32));
      try {
        return keep(addressOf(key), label, await encryptKeystore(key, password, scrypt, entropy));
      } finally {
        key.fill(0);
      }
    },
    async import(label, text, password) {
      const { file, json } = readKeystore(text);
      const address = await withKey(file, password, addressOf);
      if (file.address !== undefined && !sameAddress(address, `0x${file.address.toString('hex')}`)) {
        throw invalidKeystore('its key belongs to another address than it says');
      }
      return keep(address, label, json);
    },
    export(address) {
      const { json } = readKeystore(readText(pathOf(address)));
      const { [OURS]: _, ...keystore } = json;
      const made = new Date(describe(address).createdAt).toISOString().replaceAll(':', '-');
      return { fileName: `UTC--${made}--${addressKey(address).slice(2)}.json`, keystore: JSON.stringify(keystore) };
    },
    async remove(address, password) {
      const path = pathOf(address);
      const change = (work: () => void): void =>
        onDisk(() => {
          work();
          syncFolder(dir);
        });
      if (existsSync(path) && describe(address).error !== null) {
        change(() => renameSync(path, `${path}.damaged-${clock.now()}`));
        return;
      }
      const { file } = readKeystore(readText(path));
      if (password === undefined) throw new EngineError('KEYSTORE_PASSWORD_WRONG');
      // The password is enough, even if the key does not match the address in the file's name.
      await withKey(file, password, () => change(() => rmSync(path)));
    },
    use: (address, password, act) => opened(address, password, (key) => act(new Wallet(`0x${key.toString('hex')}`))),
  };
};
