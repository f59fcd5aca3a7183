import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a DApp's webhook receiver answers. */
export const BEHAVIOURS = ['true', 'false', 'twice', 'down', 'silent'] as const;
/** How a DApp's webhook receiver answers. */
export type Behaviour = (typeof BEHAVIOURS)[number];

/** The webhook receivers of all DApps. */
export interface Receivers {
  /** The address of a DApp's webhook. */
  url(dapp: number): string;
  /** How each DApp's receiver answers; `true` where nothing is set. */
  readonly behaviours: Map<number, Behaviour>;
  /** The next call is not answered until `letGo`. */
  hold(): void;
  letGo(): void;
  isHolding(): boolean;
  /** How many other calls wait for an answer. */
  waiting(): number;
  /** Forgets everything: for the next run. */
  reset(): void;
  stop(): Promise<void>;
}

const send = (response: ServerResponse, body: string, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

const answers: Readonly<Record<Behaviour, (response: ServerResponse) => void>> = {
  true: (response) => send(response, '{"arePoliciesVerified":true}'),
  false: (response) => send(response, '{"arePoliciesVerified":false}'),
  twice: (response) => send(response, '{"arePoliciesVerified":false,"arePoliciesVerified":true}'),
  down: (response) => send(response, '{}', 503),
  silent: () => undefined,
};

/** Starts the receivers on 127.0.0.1. End them with `stop`. */
export const startReceivers = async (): Promise<Receivers> => {
  const behaviours = new Map<number, Behaviour>();
  const open = new Set<ServerResponse>();
  let next: 'answered' | 'held' = 'answered';
  let held: { readonly response: ServerResponse; readonly answer: () => void } | undefined;
  const server = createServer((incoming, response) => {
    incoming.resume();
    open.add(response);
    response.on('close', () => open.delete(response));
    const dapp = Number(incoming.url?.split('?')[0]?.slice(1));
    const answer = (): void => answers[behaviours.get(dapp) ?? 'true'](response);
    if (next === 'answered') answer();
    else held = { response, answer };
    next = 'answered';
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (dapp) => `http://127.0.0.1:${port}/${dapp}`,
    behaviours,
    hold() {
      next = 'held';
    },
    letGo() {
      next = 'answered';
      held?.answer();
      held = undefined;
    },
    isHolding: () => held !== undefined,
    waiting: () => [...open].filter((response) => response !== held?.response).length,
    reset() {
      behaviours.clear();
      held = undefined;
      next = 'answered';
      for (const response of open) response.destroy();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
