import type { Clock, Entropy } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Secret } from '../base/secret.ts';
import type { Config, ConfigSources } from '../config/config.ts';
import type { DataFolder } from '../data-folder/data-folder.ts';
import type { FreeBytes } from '../data-folder/free-bytes.ts';
import type { OnRollback } from '../log/watched-database.ts';
import type { Network } from '../network/network.ts';
import type { ScryptCost } from '../signer/scrypt-key.ts';
import type { openDeskDatabase } from '../store/open-database.ts';

export interface EngineOptions {
  readonly folder: DataFolder;
  readonly config: Config;
  /** Sources of `config`, so that the operator can see them and change settings in the file. */
  readonly configSources?: Pick<ConfigSources, 'flags' | 'env'>;
  readonly log: Log;
  /** Unlocks the vault, or creates it. Without a passphrase, the vault stays locked. */
  readonly passphrase?: Secret<string> | undefined;
  /**
   * A key that the machine stores. It unlocks or creates the vault instead of a passphrase. A vault with another key
   * stays locked until `vault.open` is called, which also adds this key to the vault.
   */
  readonly vaultKey?: Secret<Uint8Array> | undefined;
  readonly clock?: Clock;
  readonly entropy?: Entropy;
  /** Connections in and out. Default: those of the machine. */
  readonly network?: Network;
  /** Absolute path, without a trailing separator, of the built console to serve below `/console/`. */
  readonly consoleFolder?: string;
  /** The origin that may embed the console: the demo's playground. None by default. */
  readonly consoleFramedBy?: string | undefined;
  /** Replaced in tests in which several engines share a database. */
  readonly openDatabase?: typeof openDeskDatabase;
  /** Returns the bytes that can still be written to a folder; by default, asks the operating system. */
  readonly freeBytes?: FreeBytes;
  /** Addresses of DNS servers for the names of webhooks and nodes. Default: the machine's DNS servers. */
  readonly nameServers?: readonly string[];
  /** What to do if the database is older than this engine's last write. Default: `refuse`. */
  readonly onRollback?: OnRollback;
  /** Ends a start that waits for a database, or for the target of the continuous backup, that does not answer. */
  readonly stop?: AbortSignal;
  /** scrypt cost for the vault and new keystores. Tests use a low cost. */
  readonly scrypt?: ScryptCost;
}
