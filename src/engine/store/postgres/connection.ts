import { Socket } from 'node:net';
import pg from 'pg';
import type { Secret } from '../../base/secret.ts';
import { openingError } from './errors.ts';

const CONNECT_MS = 5_000;
/** Maximum time for a query. Also the maximum wait for a connection: a database that is busy is not unreachable. */
const QUERY_MS = 30_000;

/**
 * Settings of each session. The server releases the locks of a dead engine after this time, even if its connection
 * seems to be open. Results are returned only after they are on disk, whatever the server's own setting.
 */
const SESSION = '-c idle_in_transaction_session_timeout=10s -c lock_timeout=20s -c synchronous_commit=on';

/** The server's address and credentials, from the sources that its own clients use: URL, environment, password file. */
export const configOf = (url: Secret<string>): pg.ClientConfig => {
  const parsed = new URL(url.reveal());
  // TLS modes have the same meaning as in libpq.
  if (!parsed.searchParams.has('uselibpqcompat')) parsed.searchParams.set('uselibpqcompat', 'true');
  // Options in the URL would replace the options given here, so both are combined.
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

/** Lets `closeAll` close the connections that are opened with this configuration, even if the server does not answer. */
export const closable = (
  config: pg.ClientConfig,
): { readonly config: pg.ClientConfig; readonly closeAll: () => void } => {
  const sockets = new Set<Socket>();
  const stream = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  };
  return {
    config: { ...config, stream },
    closeAll() {
      // A socket that connects would send what it has to send first.
      for (const socket of sockets) {
        if (socket.connecting) socket.destroy();
        else socket.destroySoon();
      }
    },
  };
};

/** Configuration for read-only connections: the server cancels statements whose client no longer waits. */
export const readingConfig = (config: pg.ClientConfig): pg.ClientConfig => ({
  ...config,
  options: `${config.options ?? ''} -c statement_timeout=${QUERY_MS}`,
});

/**
 * A pool has a single timeout for waiting for a free connection and for opening one. This pool has separate timeouts.
 */
export const poolOf = (config: pg.ClientConfig, max: number): pg.Pool =>
  new pg.Pool({
    max,
    connectionTimeoutMillis: QUERY_MS,
    Client: class extends pg.Client {
      constructor() {
        super(config);
        // Callers get the error with their results. An error without a listener would end this process.
        this.on('error', () => undefined);
      }
    },
  });

/**
 * Runs `use` with a separate connection, on which a statement may take as long as large tables need.
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
      throw openingError(error);
    });
    return await use(client);
  } catch (error) {
    // Other errors here, such as a full disk, do not come from the server.
    throw lost.signal.aborted || error instanceof pg.DatabaseError ? openingError(error) : error;
  } finally {
    await client.end().catch(() => undefined);
  }
};
