import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { peerName } from '../rate-limit/peer.ts';
import { waitsForTurn } from './turns.ts';

export interface ConnectionBounds {
  /** Maximum at once. Nodes and webhooks need descriptors too. */
  readonly most: number;
  /** Maximum per address. Addresses of this machine are limited by `most` only. */
  readonly mostOfOne: number;
  /** How long a client may leave a ready answer unread. */
  readonly answerTimeoutMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface Connection {
  readonly socket: Socket;
  readonly peer: Peer;
  /** Unanswered requests. The first is in progress, the others wait. */
  readonly requests: ServerResponse[];
  /** Last activity: the number of events so far, and monotonic ms. */
  at: number;
  atMs: number;
  answered: number;
}

interface Peer {
  readonly name: string;
  readonly isHere: boolean;
  /** In order of last activity. */
  readonly connections: Set<Connection>;
}

/** Pipelined requests that may wait on a connection. Sponsorship clients do not pipeline. */
const MAX_AHEAD = 8;

/**
 * True while the server does no work for the connection: its client has not sent a complete request, or does not read
 * an answer.
 */
const isIdle = ({ requests: [current] }: Connection): boolean =>
  current?.req.complete !== true || current.writableEnded || waitsForTurn(current);

/** A connection without any request yet counts as idle this many times longer: it may never send one. */
const SILENT_WEIGHT = 4;

/** A connection is new until this share of all connections has been active since. */
const NEW_SHARE = 1 / 4;

/**
 * After this many answers a connection stays in use until the next request could arrive: ending it would lose that
 * request.
 */
const MANY_ANSWERS = 16;
const NEXT_REQUEST_MS = 1_000;

/**
 * Stops parsing data that was read already: it may contain a thousand requests, each made an object although the
 * connection is gone. Node.js has no public way. If this one fails, they are parsed and ignored.
 */
const stopParsing = (socket: Socket): void => {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  // The result for an upgrade: the parser treats what follows as not HTTP.
  if (parser) parser.onIncoming = () => 2;
};

/**
 * Limits a server's connections, and shares time fairly: each has one request in progress at a time. At a limit an idle
 * connection ends; the newest ends only if no other is idle. So holding connections does not lock others out.
 *
 * The returned function ends each connection as soon as it has no request in flight. Otherwise a closing server waits
 * for connections that never sent a request, and for the next request on the others.
 *
 * @param answer answers a request; resolves when the answer is complete, or streams on by itself
 */
export const keepConnections = (
  server: Server,
  { most, mostOfOne, answerTimeoutMs, clock }: ConnectionBounds,
  answer: (response: ServerResponse) => Promise<void>,
): (() => void) => {
  const connections = new Map<Socket, Connection>();
  const peers = new Map<string, Peer>();
  let events = 0;
  let ending = false;

  const peerOf = (remoteAddress = ''): Peer => {
    // A socket file or a pipe has no address.
    const name = remoteAddress === '' ? undefined : peerName(remoteAddress);
    const key = name ?? remoteAddress;
    const peer = peers.get(key) ?? { name: key, isHere: name === undefined, connections: new Set() };
    peers.set(key, peer);
    return peer;
  };
  const note = (connection: Connection): void => {
    events += 1;
    connection.at = events;
    connection.atMs = clock.monotonic();
    connection.peer.connections.delete(connection);
    connection.peer.connections.add(connection);
  };
  const forget = (connection: Connection): void => {
    const { socket, peer } = connection;
    if (!connections.delete(socket)) return;
    peer.connections.delete(connection);
    if (peer.connections.size === 0) peers.delete(peer.name);
  };
  const end = (connection: Connection): void => {
    forget(connection);
    connection.socket.destroy();
  };
  /** True if the client has sent many requests, and may have sent the next one. */
  const isInUse = ({ answered, atMs }: Connection): boolean =>
    answered >= MANY_ANSWERS && clock.monotonic() - atMs < NEXT_REQUEST_MS;
  /**
   * Which connection to end first: the activity on others since it became idle, times the connections of its address.
   * So the more connections an address holds, the less time each gets. A new connection ranks after all others: its
   * request may have arrived unread. So does a connection in use.
   */
  const dispensability = (connection: Connection): number => {
    const { at, answered, peer } = connection;
    const age = events - at;
    const isMissed = age < most * NEW_SHARE || isInUse(connection);
    return isMissed ? age / events : age * peer.connections.size * (answered > 0 ? 1 : SILENT_WEIGHT);
  };
  const leastOf = (idle: readonly Connection[]): Connection | undefined => {
    let [found, greatest]: [Connection | undefined, number] = [undefined, 0];
    for (const connection of idle) {
      const value = dispensability(connection);
      if (value > greatest) [found, greatest] = [connection, value];
    }
    return found;
  };
  /** The idle connection of an address that ranks first: the longest idle one of each sort. */
  const leastMissedOf = (peer: Peer, newest: Connection): Connection | undefined => {
    const found: Partial<Record<'silent' | 'asked' | 'inUse', Connection>> = {};
    for (const connection of peer.connections) {
      if (connection === newest || !isIdle(connection)) continue;
      found[connection.answered === 0 ? 'silent' : isInUse(connection) ? 'inUse' : 'asked'] ??= connection;
      if (found.silent && found.asked) break;
    }
    return leastOf(Object.values(found));
  };
  const leastMissed = (newest: Connection): Connection | undefined =>
    leastOf([...peers.values()].flatMap((peer) => leastMissedOf(peer, newest) ?? []));

  const isOpen = ({ socket }: Connection): boolean => !socket.destroyed;
  const start = (connection: Connection): void => {
    const { socket, requests } = connection;
    const [response] = requests;
    if (response === undefined || !isOpen(connection)) return;
    response.once('close', () => {
      requests.shift();
      connection.answered += 1;
      if (!isOpen(connection)) return;
      note(connection);
      if (requests.length > 0) {
        socket.setTimeout(0);
        // One round of the event loop each, so that others get their turn.
        setImmediate(() => start(connection));
      } else if (ending) {
        socket.destroySoon();
      }
    });
    void answer(response).then(() => {
      // The server sets its own time-out once the answer is read.
      if (response.writableEnded && !response.writableFinished) socket.setTimeout(answerTimeoutMs);
    });
  };

  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket.remoteAddress);
    const connection: Connection = { socket, peer, requests: [], at: 0, atMs: 0, answered: 0 };
    connections.set(socket, connection);
    note(connection);
    socket.once('close', () => forget(connection));
    if (!peer.isHere && peer.connections.size > mostOfOne) end(leastMissedOf(peer, connection) ?? connection);
    if (connections.size > most) end(leastMissed(connection) ?? connection);
  });
  server.on('request', (_request, response: ServerResponse) => {
    const { socket } = response.req;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    if (connection.requests.length > MAX_AHEAD) {
      stopParsing(socket);
      end(connection);
      return;
    }
    note(connection);
    if (connection.requests.push(response) === 1) start(connection);
  });
  return () => {
    ending = true;
    for (const { socket, requests } of connections.values()) if (requests.length === 0) socket.destroySoon();
  };
};
