import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { type ListEntry, type OrderedList, createOrderedList } from '../base/ordered-list.ts';
import { peerName } from '../rate-limit/peer.ts';
import { waitsForTurn } from './turns.ts';

export interface ConnectionBounds {
  /** Maximum number of simultaneous connections. Calls to nodes and webhooks need descriptors too. */
  readonly most: number;
  /** Maximum number of connections per address. For addresses of this machine, only `most` applies. */
  readonly mostOfOne: number;
  /** How long a client may leave a complete answer unread. */
  readonly answerTimeoutMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface Connection {
  readonly socket: Socket;
  readonly peer: Peer;
  /** Its entry in the list of the peer. */
  entry: ListEntry<Connection> | undefined;
  /** Unanswered requests. The first one is in progress, the others wait. */
  readonly requests: ServerResponse[];
  /** Last activity: the number of events so far, and monotonic ms. */
  at: number;
  atMs: number;
  answered: number;
}

interface Peer {
  readonly name: string;
  readonly isHere: boolean;
  /** The connections in the order of their last activity. */
  readonly connections: OrderedList<Connection>;
}

/** Maximum number of pipelined requests that may wait on a connection. Sponsorship clients do not use pipelining. */
const MAX_AHEAD = 8;

/**
 * True while the server does no work for the connection: its client has not sent a complete request, or does not read
 * an answer.
 */
const isIdle = ({ requests: [current] }: Connection): boolean =>
  current?.req.complete !== true || current.writableEnded || waitsForTurn(current);

/**
 * A connection that has not sent any request yet counts as idle for this many times longer, because it may never send
 * one.
 */
const SILENT_WEIGHT = 4;

/** A connection counts as new until this share of all connections has been active since it was opened. */
const NEW_SHARE = 1 / 4;

/**
 * After this many answers, a connection counts as in use until the next request could arrive, because closing it
 * earlier would lose that request.
 */
const MANY_ANSWERS = 16;
const NEXT_REQUEST_MS = 1_000;

/**
 * Stops the parsing of data that was already read. The data may contain a thousand requests, and each would become an
 * object although the connection is closed. Node.js has no public function for this. If this one fails, the requests
 * are parsed and ignored.
 */
const stopParsing = (socket: Socket): void => {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  // The parser's result for an upgrade: it does not treat the following data as HTTP.
  if (parser) parser.onIncoming = () => 2;
};

/**
 * Limits a server's connections, and shares time fairly: each connection has one request in progress at a time. When a
 * limit is reached, an idle connection is closed; the newest connection is closed only if no other is idle. So clients
 * that keep connections open cannot lock out others.
 *
 * The returned function closes each connection as soon as it has no request in flight. Without it, a server that is
 * closing would wait for connections that never sent a request, and for the next request on the others.
 *
 * @param answer answers a request; resolves when the answer is complete, or when it continues as a stream
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
    // A connection through a socket file or a pipe has no address.
    const name = remoteAddress === '' ? undefined : peerName(remoteAddress);
    const key = name ?? remoteAddress;
    const peer = peers.get(key) ?? {
      name: key,
      isHere: name === undefined,
      connections: createOrderedList<Connection>(),
    };
    peers.set(key, peer);
    return peer;
  };
  const leave = ({ peer, entry }: Connection): void => {
    if (entry !== undefined) peer.connections.remove(entry);
  };
  const note = (connection: Connection): void => {
    events += 1;
    connection.at = events;
    connection.atMs = clock.monotonic();
    leave(connection);
    connection.entry = connection.peer.connections.add(connection);
  };
  const forget = (connection: Connection): void => {
    const { socket, peer } = connection;
    if (!connections.delete(socket)) return;
    leave(connection);
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
   * Ranks idle connections; the one with the highest value is closed first. The value is the activity on other
   * connections since this one became idle, times the number of connections of its address. So the more connections an
   * address has, the less time each of them gets. A new connection and a connection in use rank after all others: an
   * unread request may have arrived on a new connection.
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
  /** The idle connection of an address that ranks first: the longest idle one of each kind. */
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
        // Starts one request per turn of the event loop, so that other connections get their turn.
        setImmediate(() => start(connection));
      } else if (ending) {
        socket.destroySoon();
      }
    });
    void answer(response).then(() => {
      // The server sets its own timeout once the answer has been read.
      if (response.writableEnded && !response.writableFinished) socket.setTimeout(answerTimeoutMs);
    });
  };

  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket.remoteAddress);
    const connection: Connection = { socket, peer, entry: undefined, requests: [], at: 0, atMs: 0, answered: 0 };
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
