import pg from 'pg';
import type { Secret } from '../../base/secret.ts';
import { openingFault } from './faults.ts';

const CONNECT_MS = 5_000;
/** Also the longest that anything waits for its turn on a connection: a busy engine's database is not away. */
const QUERY_MS = 30_000;

/**
 * What an engine that is gone has locked is free after this time, even where its connection seems to stand. And nothing is
 * answered before it is on disk, whatever the server's own setting says.
 */
const SESSION = '-c idle_in_transaction_session_timeout=10s -c lock_timeout=20s -c synchronous_commit=on';

/** Where the server is and how to reach it, as its own clients know it: URL, environment, password file. */
export const configOf = (url: Secret<string>): pg.ClientConfig => {
  const parsed = new URL(url.reveal());
  // The modes of TLS mean what they mean to libpq.
  if (!parsed.searchParams.has('uselibpqcompat')) parsed.searchParams.set('uselibpqcompat', 'true');
  // What the URL says would take the place of what is said here.
  const options = [parsed.searchParams.get('options') ?? '', SESSION].join(' ').trim();
  parsed.searchParams.delete('options');
  return {
    connectionString: parsed.href,
    application_name: 'gasdesk',
    options,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
  };
};

/** For who only reads: the server gives up what nobody waits for any more. */
export const readingConfig = (config: pg.ClientConfig): pg.ClientConfig => ({
  ...config,
  options: `${config.options ?? ''} -c statement_timeout=${QUERY_MS}`,
});

/** A pool has one time for waiting until a connection is free and for making one: here each has its own. */
export const poolOf = (config: pg.ClientConfig, max: number): pg.Pool =>
  new pg.Pool({
    max,
    connectionTimeoutMillis: QUERY_MS,
    Client: class extends pg.Client {
      constructor() {
        super(config);
        // Whoever waits for its answers is told. A fault that nobody listens to would end this process.
        this.on('error', () => undefined);
      }
    },
  });

/**
 * Runs `use` with a connection of its own, on which a statement may take as long as big tables need.
 *
 * @throws EngineError `STORE_UNAVAILABLE`, or what `use` throws
 */
export const withConnection = async <T>(
  config: pg.ClientConfig,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({ ...config, query_timeout: undefined });
  const lost = new AbortController();
  client.on('error', () => lost.abort());
  try {
    await client.connect().catch((error: unknown) => {
      throw openingFault(error);
    });
    return await use(client);
  } catch (error) {
    // What else fails here, such as a full disk, is not the server's.
    throw lost.signal.aborted || error instanceof pg.DatabaseError ? openingFault(error) : error;
  } finally {
    await client.end().catch(() => undefined);
  }
};
