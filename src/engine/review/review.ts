import { mkdtemp, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openBackup } from '../backup/open-backup.ts';
import { isAgeFile } from '../backup/write-backup.ts';
import { type Clock, type Entropy, systemClock, systemEntropy } from '../base/clock.ts';
import { createConsoleApp } from '../server/app.ts';
import { type Listening, listen } from '../http/listen.ts';
import type { Log } from '../base/log.ts';
import { makeTemporaryFolder, removeAbandonedFolders } from '../data-folder/temporary-folder.ts';
import { requireNodeApi } from '../base/node-api.ts';
import { Secret } from '../base/secret.ts';
import type { ConsoleService } from '../service/index.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { asExpected } from './export-lines.ts';
import { importExport } from './import-export.ts';
import { createLockedReview } from './locked-review.ts';
import { type ReviewSource, createReviewService } from './review-service.ts';

/** What a review stands on. */
export interface ReviewOptions {
  /** A decision export or a backup. It is read once, and never written to. */
  readonly file: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly entropy?: Entropy;
  /** The built console to serve below `/console/`: an absolute path without a separator at its end. */
  readonly consoleFolder?: string;
  /** Aborts the reading of the file. */
  readonly signal?: AbortSignal;
}

/** Decisions that are looked at without a desk: no data folder, no network, no chain, no keys. */
export interface Review {
  readonly service: ConsoleService;
  /** Opens the browser console of this review, and of no other. */
  readonly operatorToken: Secret<string>;
  /** Serves the browser console. Answers the address. @throws EngineError `CONFIG_INVALID` */
  serve(where: { host: string; port: number }): Promise<string>;
  /** Ends it, and removes what it made. */
  stop(): Promise<void>;
}

/** Serving it takes no longer than serving a desk, and has fewer clients. */
const SERVING = { requestTimeoutMs: 30_000, maxConnections: 256 };

/** Opens a decision export as a source, with its database in the folder. */
const openExport = async (
  { file, log, signal }: ReviewOptions,
  folder: string,
  clock: Clock,
): Promise<ReviewSource> => {
  const database = join(folder, 'review.db');
  const about = await importExport(file, database, signal);
  return { store: openSqliteStore(database, { clock, log }), about };
};

/** Opens a backup as a source: its database is brought to today's schema, the vault in it stays closed. */
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
 * Opens a decision export or a backup for review. A backup shows nothing before `vault.open` brought its passphrase.
 *
 * @throws EngineError `EXPORT_INVALID`: its message says what is wrong with which line; nothing is left behind
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
    if (!(await isAgeFile(file))) return serviceOf(await openExport(options, folder, clock));
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
  const servers: Listening[] = [];
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
