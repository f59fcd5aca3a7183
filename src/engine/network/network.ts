import { Agent as HttpAgent, type Server } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { type Clock, systemClock } from '../base/clock.ts';

/** Agents of requests, by the protocol of their URL. */
export interface Agents {
  readonly of: (url: URL) => HttpAgent;
  /** Closes all connections. */
  readonly destroy: () => void;
}

/** Where a server accepts connections: a TCP address, or the path of a Unix socket or named pipe. */
export type ServerPlace = { readonly host: string; readonly port: number } | { readonly path: string };

/** Every connection of an engine, in and out. Injected, so that a simulation can carry the bytes itself. */
export interface Network {
  readonly agents: (options?: AgentOptions) => Agents;
  /** Lets a server accept connections. The server emits `listening` or `error`, as in Node.js. */
  readonly listen: (server: Server, place: ServerPlace) => void;
  /** Measures how long a node takes to answer: in the time of the network, whatever the engine's clock says. */
  readonly timers: Pick<Clock, 'setTimer'>;
}

/** Number of connections that the operating system accepts while this process is busy. The system may allow fewer. */
const BACKLOG = 4_096;

/** The network of the machine. */
export const systemNetwork: Network = {
  agents(options = {}) {
    const http = new HttpAgent(options);
    const https = new HttpsAgent(options);
    return {
      of: ({ protocol }) => (protocol === 'https:' ? https : http),
      destroy() {
        http.destroy();
        https.destroy();
      },
    };
  },
  listen: (server, place) => void server.listen({ ...place, backlog: BACKLOG }),
  timers: systemClock,
};
