import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { peerName } from '../rate-limit/peer.ts';
import { waitsForTurn } from './turns.ts';

/** What clients may have of a server. */
export interface ConnectionBounds {
  /** Connections at once. Descriptors are needed for nodes and webhooks, too. */
  readonly most: number;
  /** Those of one address; the addresses of this machine are bound by `most` only. */
  readonly mostOfOne: number;
  /** How long a client may take nothing of an answer that is there. */
  readonly answerTimeoutMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface Connection {
  readonly socket: Socket;
  readonly peer: Peer;
  /** Requests that are not answered yet. The first is in progress, the others wait. */
  readonly requests: ServerResponse[];
  /** When something last happened on it: by the number of events so far, and in monotonic ms. */
  at: number;
  atMs: number;
  /** Requests that were answered on it. */
  answered: number;
}

interface Peer {
  readonly name: string;
  readonly isHere: boolean;
  /** In the order in which something last happened on them. */
  readonly connections: Set<Connection>;
}

/** Requests that may wait on a connection for the one before. Programs that ask for sponsorship send none ahead. */
const MOST_AHEAD = 8;

/** True while nothing is done about a connection: its client has not sent all of a request, or does not take an answer. */
const isIdle = ({ requests: [current] }: Connection): boolean =>
  current?.req.complete !== true || current.writableEnded || waitsForTurn(current);

/** A connection that has brought no request yet counts as idle for so many times as long: it may never bring one. */
const SILENT_WEIGHT = 4;

/** One is new until as much has happened as if this share of all connections had done something. */
const NEW_SHARE = 1 / 4;

/** A connection with this many answers is in use for as long as the next request may take to arrive: it would be lost. */
const MANY_ANSWERS = 16;
const NEXT_REQUEST_MS = 1_000;

/**
 * Ends the parsing of what has been read already: a thousand requests may stand in it, each of which would be made an
 * object although its connection is gone. Node.js has no public way; without this one they are parsed and ignored.
 */
const stopParsing = (socket: Socket): void => {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  // The answer that stands for an upgrade: what follows is no HTTP.
  if (parser) parser.onIncoming = () => 2;
};

/**
 * Keeps the connections of a server within bounds, and gives each its turn: one request of a connection is in progress at
 * a time. At a bound an idle connection ends; the newest ends only if no other is idle. Holding connections therefore keeps nobody out.
 *
 * The function it answers ends all connections, each as soon as no request is under way on it: left to itself a server
 * waits for those that never sent one, and for the next request on the others.
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
  /** Notes that something has happened on a connection. */
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
  /** True for a connection whose client has asked for much, and may have sent the next request. */
  const isInUse = ({ answered, atMs }: Connection): boolean =>
    answered >= MANY_ANSWERS && clock.monotonic() - atMs < NEXT_REQUEST_MS;
  /**
   * How little a connection would be missed: how much has happened on others since it became idle, times how many its
   * address has. So an address has the less time for each, the more it holds. One that has just come is missed more than
   * any that has not: its request may be here, and not have been read. So is one in use.
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
  /** The idle connection of an address that would be missed least: the longest idle one of a sort. */
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
        // A round of the event loop for each: in between, everybody else has a turn.
        setImmediate(() => start(connection));
      } else if (ending) {
        socket.destroySoon();
      }
    });
    void answer(response).then(() => {
      // The server sets a time-out of its own once the answer is taken.
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
    if (connection.requests.length > MOST_AHEAD) {
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
