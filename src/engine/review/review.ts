import { mkdtemp, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ReviewInfo } from '../../api/system.ts';
import { EngineError } from '../../shared/errors.ts';
import { openBackup } from '../backup/open-backup.ts';
import { type Clock, type Entropy, systemClock, systemEntropy } from '../base/clock.ts';
import { createConsoleApp } from '../server/app.ts';
import { type HttpListener, listen } from '../http/listen.ts';
import type { Log } from '../base/log.ts';
import { makeTemporaryFolder, removeAbandonedFolders } from '../data-folder/temporary-folder.ts';
import { requireNodeApi } from '../base/node-api.ts';
import { Secret } from '../base/secret.ts';
import type { ConsoleService } from '../service/index.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { asExpected } from './export-lines.ts';
import { type FileKind, fileKind } from './file-kind.ts';
import { importExport } from './import-export.ts';
import { importLog } from './import-log.ts';
import { importReceipt } from './import-receipt.ts';
import { createLockedReview } from './locked-review.ts';
import { type ReviewSource, createReviewService } from './review-service.ts';

export interface ReviewOptions {
  /** A decision export, an exported log, a receipt or a backup. The file is read once and never written. */
  readonly file: string;
  /** The log's key, as published by its operator; only for a log or a receipt. */
  readonly key?: string | undefined;
  /** Called from time to time with the fraction of a log that has been verified, from 0 to 1. */
  readonly progress?: (part: number) => void;
  readonly log: Log;
  readonly clock?: Clock;
  readonly entropy?: Entropy;
  /** Absolute path, without a trailing separator, of the built console to serve below `/console/`. */
  readonly consoleFolder?: string;
  readonly signal?: AbortSignal;
}

/** Shows decisions without a data folder, network, chain or keys. */
export interface Review {
  readonly service: ConsoleService;
  readonly operatorToken: Secret<string>;
  /**
   * Serves the browser console.
   *
   * @returns its address
   * @throws EngineError `CONFIG_INVALID`
   */
  serve(where: { host: string; port: number }): Promise<string>;
  /** Ends the review, and removes its files. */
  stop(): Promise<void>;
}

/** Limits like those of an engine, but for fewer clients. */
const SERVING = { requestTimeoutMs: 30_000, maxConnections: 256, connectionSharePercent: 100 };

const readInto = (database: string, kind: Exclude<FileKind, 'backup'>, options: ReviewOptions): Promise<ReviewInfo> => {
  const { file, key, signal, progress } = options;
  if (kind === 'log') return importLog(file, database, { key, signal, progress });
  if (kind === 'receipt') return importReceipt(file, database, key);
  return importExport(file, database, signal);
};

const openFile = async (
  kind: Exclude<FileKind, 'backup'>,
  options: ReviewOptions,
  folder: string,
  clock: Clock,
): Promise<ReviewSource> => {
  const database = join(folder, 'review.db');
  const about = await readInto(database, kind, options);
  return { store: openSqliteStore(database, { clock, log: options.log }), about };
};

const refuseKey = ({ key }: ReviewOptions, kind: FileKind): void => {
  if (key === undefined || kind === 'log' || kind === 'receipt') return;
  throw new EngineError('VALIDATION', 'A key verifies an exported log or a receipt. This file is neither');
};

/** Migrates the backup's database to the current schema. The vault in the backup stays locked. */
const unpackBackup = async (
  { file, log, signal }: ReviewOptions,
  passphrase: Secret<string>,
  folder: string,
  clock: Clock,
): Promise<ReviewSource> => {
  const { database, manifest } = await openBackup(file, passphrase, await mkdtemp(join(folder, 'backup-')), signal);
  const store = openSqliteStore(database, { clock, log });
  const { decisions } = await store.pageDecisions({ after: 0, limit: 1 });
  const [last] = await store.listDecisions({ limit: 1 });
  const savedAt = manifest.madeAt;
  const about = { file: basename(file), savedAt, from: decisions[0]?.at ?? savedAt, to: last?.at ?? savedAt };
  return { store, about };
};

/**
 * Opens a decision export, an exported log, a receipt or a backup for review. A log or a receipt is verified; an
 * invalid one still opens, and its errors are reported. A backup shows nothing until `vault.open` is called with its
 * passphrase.
 *
 * @throws EngineError `EXPORT_INVALID`, whose message names the invalid line; `VALIDATION` for an invalid key, or for a
 * key with a file that needs none. No files are left behind
 */
export const createReview = async (options: ReviewOptions): Promise<Review> => {
  const { file, log, clock = systemClock, entropy = systemEntropy, consoleFolder } = options;
  requireNodeApi();
  removeAbandonedFolders(log);
  const { dir: folder, remove } = makeTemporaryFolder('review');
  const operatorToken = new Secret(Buffer.from(entropy.bytes(32)).toString('base64url'));
  let url: string | null = null;
  const address = (): string | null => url;
  const stores: Store[] = [];
  const ending = new AbortController();
  let unlocking: Promise<unknown> = Promise.resolve();
  const serviceOf = (source: ReviewSource): ConsoleService => {
    stores.push(source.store);
    return createReviewService(source, { clock, address });
  };
  const open = async (): Promise<ConsoleService> => {
    const kind = await fileKind(file);
    refuseKey(options, kind);
    if (kind !== 'backup') return serviceOf(await openFile(kind, options, folder, clock));
    const about = { file: basename(file), savedAt: Math.floor((await stat(file)).mtimeMs) };
    const unlock = async (passphrase: Secret<string>): Promise<ConsoleService> => {
      ending.signal.throwIfAborted();
      const unpacking = unpackBackup({ ...options, signal: ending.signal }, passphrase, folder, clock);
      unlocking = unpacking.catch(() => undefined);
      return serviceOf(await unpacking);
    };
    return createLockedReview(about, unlock, address);
  };
  const service = await open().catch(async (error: unknown) => {
    await remove();
    throw asExpected(error, file);
  });
  const servers: HttpListener[] = [];
  return {
    service,
    operatorToken,
    async serve(where) {
      const app = createConsoleApp({ service, clock, entropy, log, operatorToken, consoleFolder });
      const server = await listen(app, where, { ...SERVING, clock, log });
      servers.push(server);
      url = server.url;
      return url;
    },
    async stop() {
      ending.abort();
      await unlocking;
      try {
        await Promise.all(servers.map((server) => server.close()));
        await Promise.all(stores.map((store) => store.close()));
      } finally {
        await remove();
      }
    },
  };
};
