import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A line to a server of PostgreSQL, with the faults that lines have. */
export interface DatabaseProxy {
  /** The URL of a database by way of this line. */
  readonly url: string;
  /**
   * Cuts the next connection that commits: before the server has heard of it, or when it has committed and answers.
   * Resolves once it is cut.
   */
  cutAtCommit(when: 'before' | 'after'): Promise<void>;
  /** Swallows what engines tell each other, from now on: those on this line do not hear it. */
  deafen(): void;
  /** Swallows whatever is sent from now on, over old and new connections, which all seem to stand. */
  swallow(): void;
  /** Ends the connections that were swallowed, and lets new ones pass. */
  mend(): void;
  stop(): Promise<void>;
}

const COMMIT = Buffer.from('COMMIT\0');
/** How a message of NotificationResponse begins: PostgreSQL's documentation, 54.7. */
const NOTIFICATION = 'A'.charCodeAt(0);

/** Puts a line in front of a database. */
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
