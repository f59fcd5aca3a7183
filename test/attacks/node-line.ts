import { once } from 'node:events';
import { Agent, type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is wrong with the way to the node: nothing, or how every request ends. */
export const LINE_FAULTS = ['cut', 'busy', 'silent', 'nonsense', 'refusing'] as const;
/** What is wrong with the way to the node. */
export type LineFault = (typeof LINE_FAULTS)[number];

/** The desk's way to its node, on which every request can be made to fail. */
export interface NodeLine {
  readonly url: string;
  /** Undefined: requests reach the node. */
  fault: LineFault | undefined;
  /** How many requests wait for their answer. */
  inFlight(): number;
  stop(): Promise<void>;
}

type Answer = (response: ServerResponse) => void;
const failing: Readonly<Record<LineFault, Answer>> = {
  cut: (response) => response.destroy(),
  busy: (response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>503 Service Unavailable</h1>'),
  // Until the desk's patience ends.
  silent: () => undefined,
  nonsense: (response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x"}'),
  refusing: (response) => response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded"}}'),
};

/** Puts such a line on 127.0.0.1 in front of the node at `target`. End it with `stop`. */
export const startNodeLine = async (target: string): Promise<NodeLine> => {
  const agent = new Agent({ keepAlive: true });
  let inFlight = 0;
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { headers, method = 'POST' } = incoming;
    const outgoing = request(
      target,
      { method, agent, headers: { ...headers, host: new URL(target).host } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' });
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer((incoming, response) => {
    inFlight += 1;
    response.on('close', () => (inFlight -= 1));
    if (line.fault === undefined) {
      pass(incoming, response);
      return;
    }
    incoming.resume();
    failing[line.fault](response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line: NodeLine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: undefined,
    inFlight: () => inFlight,
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return line;
};
