import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A proxy in front of a PostgreSQL server that can simulate errors of the line. */
export interface DatabaseProxy {
  /** The URL of the database through this proxy. */
  readonly url: string;
  /**
   * Cuts the next connection that commits: before the commit reaches the server, or before its answer reaches the
   * engine. Resolves when it is cut.
   */
  cutAtCommit(when: 'before' | 'after'): Promise<void>;
  /** Drops notifications of other engines from now on. */
  deafen(): void;
  /** Drops all data from now on, on old and new connections; all seem to be up. */
  swallow(): void;
  /** Ends the swallowed connections, and lets new ones pass. */
  mend(): void;
  stop(): Promise<void>;
}

const COMMIT = Buffer.from('COMMIT\0');
/** First byte of a NotificationResponse message: PostgreSQL's documentation, 54.7. */
const NOTIFICATION = 'A'.charCodeAt(0);

/** Starts a proxy in front of a database. */
export const startDatabaseProxy = async (database: string): Promise<DatabaseProxy> => {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  let isDeaf = false;
  let cut: { readonly when: 'before' | 'after'; readonly done: () => void } | undefined;

  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // A cut line is what the test is about.
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((accepted) => {
    const [client, upstream] = [keep(accepted), keep(connect(Number(target.port), target.hostname))];
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.on('close', end);
    upstream.on('close', end);
    client.on('data', (bytes) => {
      if (isSwallowing) return;
      const now = bytes.includes(COMMIT) ? cut : undefined;
      if (now === undefined) {
        upstream.write(bytes);
        return;
      }
      cut = undefined;
      upstream.removeAllListeners('data');
      if (now.when === 'after') upstream.write(bytes);
      const whenCut = (): void => {
        end();
        now.done();
      };
      if (now.when === 'after') upstream.once('data', whenCut);
      else whenCut();
    });
    upstream.on('data', (bytes) => {
      const isTold = isDeaf && bytes[0] === NOTIFICATION;
      if (!isSwallowing && !isTold) client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(database);
  url.port = String((server.address() as AddressInfo).port);
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cutAtCommit: (when) => new Promise((done) => (cut = { when, done })),
    deafen() {
      isDeaf = true;
    },
    swallow() {
      isSwallowing = true;
    },
    mend() {
      isSwallowing = false;
      endAll();
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      endAll();
      await closed;
    },
  };
};
