import { type Socket, connect } from 'node:net';

/** How a connection of a crowd keeps a server busy. */
export const MANNERS = ['says nothing', 'begins a head', 'begins a body', 'asks and stays', 'asks ahead'] as const;
/** How a connection of a crowd keeps a server busy. */
export type Manner = (typeof MANNERS)[number];

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

const FIRST: Readonly<Record<Manner, (key: string) => string>> = {
  'says nothing': () => '',
  'begins a head': (key) => `POST ${key} HTTP/1.1\r\nHost: localhost\r\nX-Slow: `,
  'begins a body': (key) =>
    `POST ${key} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  'asks and stays': () => GET('/healthz'),
  // Requests in one write, whose answers no one reads.
  'asks ahead': () => GET('/healthz').repeat(20) + GET('/openapi.json').repeat(2),
};

/** Connections of strangers to a desk on this machine. */
export interface Crowd {
  /** Opens `count`, from 127.0.0.2 and the addresses after it. Resolves when each is open and has said what it says first. */
  come(count: number, manner: Manner, path: string): Promise<void>;
  /** How many are open still. */
  size(): number;
  leave(): void;
}

/** Waits for an event, or until the connection is gone. */
const next = (socket: Socket, event: 'connect' | 'data'): Promise<void> =>
  new Promise((resolve) => {
    socket.once(event, () => resolve());
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });

/** Addresses that a crowd comes from. */
const ADDRESSES = 4;

/** A crowd of no one. @param url of the desk: 127.0.0.1 */
export const createCrowd = (url: string): Crowd => {
  const sockets = new Set<Socket>();
  const open = async (index: number, manner: Manner, path: string): Promise<void> => {
    const { hostname, port } = new URL(url);
    if (hostname !== '127.0.0.1') throw new Error('Only this machine is crowded');
    const localAddress = `127.0.0.${2 + (index % ADDRESSES)}`;
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    sockets.add(socket);
    // What becomes of it is seen by its end.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    await next(socket, 'connect');
    socket.write(FIRST[manner](path));
    if (manner === 'asks ahead') return;
    if (manner === 'asks and stays') await next(socket, 'data');
    socket.resume();
  };
  return {
    async come(count, manner, path) {
      await Promise.all(Array.from({ length: count }, (_, index) => open(index, manner, path)));
    },
    size: () => sockets.size,
    leave() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
  };
};
