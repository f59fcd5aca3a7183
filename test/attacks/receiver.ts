import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, startNameServer } from '../support/name-server.ts';

/** How a DApp's webhook receiver answers. */
export const BEHAVIOURS = ['true', 'false', 'twice', 'down', 'silent'] as const;
/** How a DApp's webhook receiver answers. */
export type Behaviour = (typeof BEHAVIOURS)[number];

/** What the DNS says of a receiver's name: the right address, at once or after a while, another one, or less. */
export const NAME_STATES = ['right', 'slow', 'elsewhere', 'metadata', 'silent', 'failing', 'unknown'] as const;
/** What the DNS says of a receiver's name. */
export type NameState = (typeof NAME_STATES)[number];

/** The webhook receivers of all DApps. */
export interface Receivers {
  /** The address of a DApp's webhook; by its name, which the name server knows, or by its IP address. */
  url(dapp: number, byName: boolean): string;
  /** Address and port of the DNS server that knows the names. */
  readonly nameServer: string;
  /** What it says of each DApp's name; `right` where nothing is set. */
  readonly names: Map<number, NameState>;
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

/** Each call is a connection of its own, for which the name is looked up. */
const send = (response: ServerResponse, body: string, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);

const SLOW_MS = 30;
const says: Readonly<Record<NameState, () => Answer | Promise<Answer>>> = {
  right: () => ['127.0.0.1'],
  slow: async () => {
    await sleep(SLOW_MS);
    return ['127.0.0.1'];
  },
  // No one listens there.
  elsewhere: () => ['127.0.0.99'],
  metadata: () => ['169.254.169.254'],
  silent: () => 'silent',
  failing: () => 'failing',
  unknown: () => 'unknown',
};

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
  const names = new Map<number, NameState>();
  const nameServer = await startNameServer((name) =>
    says[names.get(Number(/^dapp(\d+)\./.exec(name)?.[1])) ?? 'right'](),
  );
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
    url: (dapp, byName) => `http://${byName ? `dapp${dapp}.test` : '127.0.0.1'}:${port}/${dapp}`,
    nameServer: nameServer.address,
    names,
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
      names.clear();
      held = undefined;
      next = 'answered';
      for (const response of open) response.destroy();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await nameServer.stop();
    },
  };
};
