import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import { type Clock, type Entropy, systemClock, systemEntropy } from '../clock.ts';
import { createConsoleApp } from '../http/app.ts';
import { type Listening, listen } from '../http/listen.ts';
import type { Log } from '../log.ts';
import { requireNodeApi } from '../node-api.ts';
import { Secret } from '../secret.ts';
import type { ConsoleService } from '../service/index.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { importExport } from './import-export.ts';
import { type ReviewSource, createReviewService } from './review-service.ts';

/** What a review stands on. */
export interface ReviewOptions {
  /** A decision export. It is read once, and never written to. */
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

/** Serving it takes no longer than serving a desk. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Opens a decision export as a source, with its database in the folder. Another kind of file is another such function. */
const openExport = async (
  { file, log, signal }: ReviewOptions,
  folder: string,
  clock: Clock,
): Promise<ReviewSource> => {
  const database = join(folder, 'review.db');
  const about = await importExport(file, database, signal);
  return { store: openSqliteStore(database, { clock, log }), about };
};

/** What Node says of a file that cannot be read, such as `ENOENT`. */
const asExpected = (error: unknown, file: string): unknown => {
  if (error instanceof EngineError || !(error instanceof Error) || !('syscall' in error)) return error;
  return new EngineError('EXPORT_INVALID', `${file} cannot be read: ${error.message}`, {}, { cause: error });
};

/**
 * Opens a decision export for review.
 *
 * @throws EngineError `EXPORT_INVALID`: its message says what is wrong with which line; nothing is left behind
 */
export const createReview = async (options: ReviewOptions): Promise<Review> => {
  const { log, clock = systemClock, entropy = systemEntropy, consoleFolder } = options;
  requireNodeApi();
  // Only its owner can enter it.
  const folder = await mkdtemp(join(tmpdir(), 'gasdesk-review-'));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const source = await openExport(options, folder, clock).catch(async (error: unknown) => {
    await remove();
    throw asExpected(error, options.file);
  });
  const operatorToken = new Secret(Buffer.from(entropy.bytes(32)).toString('base64url'));
  let url: string | null = null;
  const service = createReviewService(source, { clock, address: () => url });
  const servers: Listening[] = [];
  return {
    service,
    operatorToken,
    async serve(where) {
      const app = createConsoleApp({ service, clock, entropy, log, operatorToken, consoleFolder });
      const server = await listen(app, where, { requestTimeoutMs: REQUEST_TIMEOUT_MS, clock, log });
      servers.push(server);
      url = server.url;
      return url;
    },
    async stop() {
      try {
        await Promise.all(servers.map((server) => server.close()));
        await source.store.close();
      } finally {
        await remove();
      }
    },
  };
};
