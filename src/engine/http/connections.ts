import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** True while nothing is done about a connection: its client has sent nothing, or not all of a request. */
const waitsForClient = (response: ServerResponse | undefined): boolean => response?.req.complete !== true;

/**
 * Knows the connections of a server, and bounds how many there are: descriptors are needed for nodes and webhooks, too.
 * Beyond `most` the connection is ended that has waited for its client for longest, one that never brought a request
 * before any other: a client that opens connections and says nothing keeps nobody out.
 *
 * The function it answers ends all of them, each as soon as no request is under way on it: left to itself a server waits
 * for those that never sent one, and for the next request on the others.
 */
export const keepConnections = (server: Server, most: number): (() => void) => {
  /** Each with its last response while that is under way, in the order in which something last happened on them. */
  const connections = new Map<Socket, ServerResponse | undefined>();
  const served = new WeakSet<Socket>();
  let ending = false;

  const note = (socket: Socket, response: ServerResponse | undefined): void => {
    connections.delete(socket);
    connections.set(socket, response);
  };
  const oldestWaiting = (): Socket | undefined => {
    let oldest: Socket | undefined;
    for (const [socket, response] of connections) {
      if (!waitsForClient(response)) continue;
      if (!served.has(socket)) return socket;
      oldest ??= socket;
    }
    return oldest;
  };
  const endUnused = (): void => {
    for (const [socket, response] of connections) {
      if (response !== undefined) continue;
      connections.delete(socket);
      socket.destroySoon();
    }
  };

  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
    if (connections.size > most) oldestWaiting()?.destroy();
  });
  server.on('request', (_request, response: ServerResponse) => {
    const { socket } = response.req;
    note(socket, response);
    response.once('close', () => {
      // A request that came behind it may be under way already.
      if (connections.get(socket) === response) note(socket, undefined);
      served.add(socket);
      if (ending) endUnused();
    });
  });
  return () => {
    ending = true;
    endUnused();
  };
};
