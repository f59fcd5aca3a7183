import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { keepConnections } from './connections.ts';
import { mostDescriptors } from './descriptors.ts';
import { type Network, type ServerPlace, systemNetwork } from '../network/network.ts';

export interface HttpListener {
  /** URL of the server; empty for a socket or pipe. */
  readonly url: string;
  /**
   * Stops accepting connections, gives requests in flight up to 10 s to finish (even those of clients that
   * disconnected), and closes the server.
   */
  close(): Promise<void>;
}

/** Event that an application receives when its server is about to close, so that it can end long answers. */
export const CLOSING = 'closing';

/** What answers the requests of a server. */
export interface HttpApp {
  /** Returns the function that answers a request; it resolves when the answer is complete, or continues as a stream. */
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  emit(event: typeof CLOSING): unknown;
}

const DRAIN_MS = 10_000;

/**
 * How long a connection may be idle, in ms. Proxies and clients keep most connections for up to a minute. This time is
 * longer, because a request is lost if it is sent while the server closes the connection.
 */
const KEEP_ALIVE_MS = 65_000;

/** Interval between checks for requests that arrive too slowly, in ms. Node's default is 30 s. */
const CHECK_MS = 1_000;

/**
 * Share of the request timeout for the headers. A request may have to wait to be read if a thousand arrive at the same
 * time.
 */
const HEAD_SHARE = 1 / 3;

/** Share of the descriptors for connections. The others are for nodes, webhooks and files. */
const DESCRIPTOR_SHARE = 1 / 2;

const urlOf = (server: Server): string => {
  const address = server.address();
  if (address === null || typeof address === 'string') return '';
  const { address: host, port, family } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
};

export interface ListenOptions {
  /** How long a client may take to send a request, or leave its answer unread. After that, the connection is closed. */
  readonly requestTimeoutMs: number;
  /** Maximum number of simultaneous connections. Never more than half of the descriptors that this process may open. */
  readonly maxConnections: number;
  /** Maximum percentage of the connections for one address, unless the address belongs to this machine. */
  readonly connectionSharePercent: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: that of the machine. */
  readonly network?: Pick<Network, 'listen'>;
}

/**
 * Serves an application on a TCP address, or on the path of a Unix socket or named pipe.
 *
 * @throws EngineError `ADDRESS_IN_USE`, with the address as its data; `CONFIG_INVALID` if the address does not belong
 * to this
 * machine
 */
export const listen = async (app: HttpApp, where: ServerPlace, options: ListenOptions): Promise<HttpListener> => {
  const { requestTimeoutMs, maxConnections, connectionSharePercent, clock, log, network = systemNetwork } = options;
  const handle = app.callback();
  /** Requests in progress, including those whose client has disconnected. */
  let handling = 0;
  /** Resolves when none is left, once the server is closing. */
  const isDrained = Promise.withResolvers<undefined>();
  let isClosing = false;
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.floor(requestTimeoutMs * HEAD_SHARE),
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const done = (): void => {
    handling -= 1;
    if (isClosing && handling === 0) isDrained.resolve(undefined);
  };
  const answer = (response: ServerResponse): Promise<void> => {
    handling += 1;
    return handle(response.req, response).then(done, (error: unknown) => {
      log.error('http.unanswered', { err: error });
      done();
    });
  };
  const most = Math.min(maxConnections, Math.floor(mostDescriptors() * DESCRIPTOR_SHARE));
  const mostOfOne = Math.ceil((most * connectionSharePercent) / 100);
  const endConnections = keepConnections(server, { most, mostOfOne, answerTimeoutMs: requestTimeoutMs, clock }, answer);
  const name = 'path' in where ? where.path : `${where.host}:${where.port}`;
  network.listen(server, where);
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const code = isTaken ? 'ADDRESS_IN_USE' : 'CONFIG_INVALID';
    throw new EngineError(code, `Cannot listen on ${name}: ${reason}`, { ...where }, { cause: error });
  }
  // An error here is, for example, too many open files. Without a listener, it would end the process.
  server.on('error', (error) => log.error('http.server', { err: error }));
  return {
    url: urlOf(server),
    async close() {
      const closed = once(server, 'close');
      server.close();
      app.emit(CLOSING);
      endConnections();
      const isOver = Promise.withResolvers<undefined>();
      const cancel = clock.setTimer(DRAIN_MS, () => {
        server.closeAllConnections();
        isOver.resolve(undefined);
      });
      await closed;
      isClosing = true;
      if (handling > 0) await Promise.race([isDrained.promise, isOver.promise]);
      cancel();
    },
  };
};
