import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** A TCP proxy whose line a test can cut and mend. */
export interface CuttableProxy {
  readonly url: string;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again. @param target the server's new address, if it has moved */
  mend(target?: string): Promise<void>;
}

/** Starts a proxy on 127.0.0.1 in front of the server at `target`. End it with `cut`. */
export const startCuttableProxy = async (target: string): Promise<CuttableProxy> => {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;

  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // A cut line is what the test is about.
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    return socket;
  };
  const mend = async (to = target): Promise<void> => {
    if (server !== undefined) return;
    server = createServer((client) => {
      const upstream = keep(connect(Number(new URL(to).port), '127.0.0.1'));
      keep(client).pipe(upstream).pipe(client);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const cut = async (): Promise<void> => {
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await mend();
  return { url: `http://127.0.0.1:${port}`, cut, mend };
};
