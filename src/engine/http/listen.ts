import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';
import type Koa from 'koa';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** A server that is listening. */
export interface Listening {
  /** Address by which it is reached; empty for a socket or pipe. */
  readonly url: string;
  /** Stops accepting, lets requests in flight finish for at most 10 s, and ends. */
  close(): Promise<void>;
}

/** What an application is told (as an event of its own) when its server is about to end: time to end long answers. */
export const CLOSING = 'closing';

const DRAIN_MS = 10_000;

/**
 * How long a connection may be idle. Longer than proxies and clients keep one, most for a minute: a request that they
 * send on a connection that is just being ended is lost.
 */
const KEEP_ALIVE_MS = 65_000;

const urlOf = (server: Server): string => {
  const address = server.address();
  if (address === null || typeof address === 'string') return '';
  const { address: host, port, family } = address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
};

/**
 * Knows the connections of a server. The function it answers ends them, each as soon as no request is under way on it:
 * left to itself a server waits for those that never sent one, and for the next request on the others.
 */
const endingConnections = (server: Server): (() => void) => {
  const connections = new Set<Socket>();
  const responses = new Set<ServerResponse>();
  let ending = false;
  const endUnused = (): void => {
    const used = new Set([...responses].map(({ req }) => req.socket));
    for (const socket of connections) {
      if (used.has(socket)) continue;
      connections.delete(socket);
      socket.destroySoon();
    }
  };
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (_request, response: ServerResponse) => {
    responses.add(response);
    response.once('close', () => {
      responses.delete(response);
      if (ending) endUnused();
    });
  });
  return () => {
    ending = true;
    endUnused();
  };
};

/**
 * Serves an application on a TCP address, or on the path of a Unix socket or named pipe.
 *
 * `requestTimeoutMs` is how long a client may take to send a request.
 *
 * @throws EngineError `ADDRESS_IN_USE`, with the address as its data; `CONFIG_INVALID` if it is not this machine's
 */
export const listen = async (
  app: Koa,
  where: { host: string; port: number } | { path: string },
  { requestTimeoutMs, clock, log }: { requestTimeoutMs: number; clock: Clock; log: Log },
): Promise<Listening> => {
  const handle = app.callback();
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      // No less: where a thousand come at once, one may wait for its turn to be read.
      headersTimeout: requestTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      handle(request, response).catch((error: unknown) => log.error('http.unanswered', { err: error }));
    },
  );
  const endConnections = endingConnections(server);
  const name = 'path' in where ? where.path : `${where.host}:${where.port}`;
  server.listen(where);
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const code = isTaken ? 'ADDRESS_IN_USE' : 'CONFIG_INVALID';
    throw new EngineError(code, `Cannot listen on ${name}: ${reason}`, { ...where }, { cause: error });
  }
  // Such as too many open files: without a listener it would end the process.
  server.on('error', (error) => log.error('http.server', { err: error }));
  return {
    url: urlOf(server),
    async close() {
      const closed = once(server, 'close');
      server.close();
      app.emit(CLOSING);
      endConnections();
      const cancel = clock.setTimer(DRAIN_MS, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
};
