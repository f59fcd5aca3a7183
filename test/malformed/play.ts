import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Draw, drawOf } from '../support/draw.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';
import { answerWays, ordinaryRequest, startOddServers } from './answer-ways.ts';
import { commandWay } from './command-way.ts';
import { fileWays, writeFiles } from './file-ways.ts';
import { networkWays } from './network-ways.ts';
import { operatorWays } from './operator-ways.ts';
import { rawWay } from './raw-ways.ts';
import { type ReadAgain, readAgain } from './read-again.ts';
import type { HttpInput } from './requests.ts';
import { Finding, type Way } from './way.ts';
import { Connections } from './wire.ts';
import { type DeskProcess, makeConsole, prepare, startDeskProcess } from './world.ts';

export interface Plan {
  readonly seed: string;
  readonly requests: number;
  /** Names of ways; all if it is empty. */
  readonly only: readonly string[];
  /** Epoch ms at which it ends, even if requests are left. */
  readonly until: number;
  /** Share of the requests, in percent, in which requests that run new code are kept to be changed further. */
  readonly guidedPercent: number;
}

export interface FoundFault {
  readonly way: string;
  readonly what: string;
  /** The request as text, if one is known. */
  readonly request: string;
}

export interface Played {
  /** Requests, by the name of their way. */
  readonly counts: ReadonlyMap<string, number>;
  readonly found: FoundFault[];
  readonly again: Pick<ReadAgain, 'decisions' | 'entries'>;
  /** Places of the desk's code that ran for the first time after the requests had begun, while it was guided. */
  readonly newPlaces: number;
  /** In use after a collection, at a fifth of the requests and at the end. */
  readonly heapBytes: readonly [number, number];
  /** The longest time that one request kept its process busy, where that was measured: ms of processor time, by way. */
  readonly busiestMs: ReadonlyMap<string, number>;
}

/** The names of all ways. */
export const WAYS = [
  ...[
    'JSON-RPC',
    'vouchers and ID tokens',
    'management interface',
    'calls of the console',
    'pages and streams',
    'broken HTTP',
  ],
  ...['answers of webhooks', 'answers of nodes and bundlers', 'logs to verify', 'exports to replay', 'receipts'],
  ...['backups to restore', 'policy files', 'inspected values', 'arguments of commands'],
];

const MAX_CORPUS = 400;
const MAX_SHOWN = 6_000;
/** ms of processor time for which one request may keep the event loop busy. */
const MOST_BUSY_MS = 250;
/** The same for a file that a command reads. */
const MOST_BUSY_HERE_MS = 2_000;

/** How much more memory a desk may use after the last four fifths of the requests: what caches hold. */
const MOST_GROWTH_BYTES = 32 * 2 ** 20;

interface State {
  readonly corpus: Map<string, unknown[]>;
  readonly counts: Map<string, number>;
  readonly found: FoundFault[];
  readonly busiestMs: Map<string, number>;
  newPlaces: number;
  turn: number;
  sent: number;
}

const note = (state: State, { name }: Way, ms: number): void => {
  state.busiestMs.set(name, Math.max(state.busiestMs.get(name) ?? 0, ms));
};

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Plays requests of one way, several at once. */
const playTurn = async (one: Way, inputs: readonly unknown[], state: State): Promise<void> => {
  const waiting = [...inputs];
  const report = (input: unknown, what: string): void => {
    state.found.push({ way: one.name, what, request: one.show(input).slice(0, MAX_SHOWN) });
  };
  const playNext = async (): Promise<void> => {
    for (let input = waiting.pop(); input !== undefined; input = waiting.pop()) {
      const before = cpuMs();
      await one
        .play(input)
        .catch((error: Error) => report(input, error instanceof Finding ? error.message : String(error.stack)));
      const ms = cpuMs() - before;
      if (one.isHere === true) note(state, one, ms);
      if (one.isHere === true && ms > MOST_BUSY_HERE_MS) report(input, `It takes ${Math.round(ms)} ms to read`);
    }
  };
  await Promise.all(Array.from({ length: one.atOnce }, playNext));
  state.counts.set(one.name, (state.counts.get(one.name) ?? 0) + inputs.length);
};

/** Finds the request that kept the event loop busy for too long, by playing each again by itself. */
const findBusy = async (one: Way, inputs: readonly unknown[], desk: DeskProcess, state: State): Promise<void> => {
  for (const input of inputs) {
    await one.play(input).catch(() => undefined);
    const { busyMs } = await desk.health();
    note(state, one, busyMs);
    if (busyMs < MOST_BUSY_MS) continue;
    await one.play(input).catch(() => undefined);
    const again = (await desk.health()).busyMs;
    if (again < MOST_BUSY_MS) continue;
    const what = `One request keeps the desk busy for ${Math.round(Math.min(busyMs, again))} ms`;
    state.found.push({ way: one.name, what, request: one.show(input).slice(0, MAX_SHOWN) });
  }
};

const keep = (corpus: unknown[], inputs: readonly unknown[], one: Way, draw: Draw): void => {
  for (const input of inputs) {
    if (one.show(input).length > MAX_SHOWN) continue;
    if (corpus.length < MAX_CORPUS) corpus.push(input);
    else corpus[draw.below(MAX_CORPUS)] = input;
  }
};

interface Ready {
  readonly ways: readonly Way[];
  readonly desk: DeskProcess;
}

/** Gives each way its turn until so many requests have been sent in all. */
const playUntil = async (requests: number, { ways, desk }: Ready, plan: Plan, state: State): Promise<void> => {
  for (; state.sent < requests && Date.now() < plan.until; state.turn += 1) {
    const one = ways[state.turn % ways.length] as Way;
    const own = state.corpus.get(one.name) ?? [];
    const draw = drawOf(`${plan.seed}/${state.turn}`);
    const next = (): unknown => one.mutate(draw.pick(own.length > 0 && draw.chance(50) ? own : one.seeds), draw);
    const inputs = Array.from({ length: one.atATime }, next);
    await playTurn(one, inputs, state);
    state.sent += inputs.length;
    const { busyMs, faults, newPlaces } = await desk.health();
    for (const what of faults) state.found.push({ way: one.name, what, request: '' });
    if (newPlaces > 0) keep(own, inputs, one, draw);
    state.newPlaces += newPlaces;
    if (busyMs > MOST_BUSY_MS) await findBusy(one, inputs, desk, state);
  }
};

const playAll = async (ready: Ready, plan: Plan): Promise<Omit<Played, 'again'>> => {
  const { ways, desk } = ready;
  const corpus = new Map(ways.map((one): [string, unknown[]] => [one.name, []]));
  const state: State = { corpus, counts: new Map(), found: [], busiestMs: new Map(), newPlaces: 0, turn: 0, sent: 0 };
  if (plan.guidedPercent > 0) {
    await desk.health({ guide: true });
    await playUntil((plan.requests * plan.guidedPercent) / 100, ready, plan, state);
    await desk.health({ unguide: true });
  }
  await playUntil(plan.requests / 5, ready, plan, state);
  const first = (await desk.health({ heap: true })).heapBytes;
  await playUntil(plan.requests, ready, plan, state);
  const last = (await desk.health({ heap: true })).heapBytes;
  const { counts, found, newPlaces, busiestMs } = state;
  if (last - first > MOST_GROWTH_BYTES)
    found.push({ way: 'memory', what: `The heap of the desk grew from ${first} to ${last} bytes`, request: '' });
  return { counts, found, newPlaces, busiestMs, heapBytes: [first, last] };
};

/** Plays a plan on a new desk. */
export const play = async (plan: Plan): Promise<Played> => {
  const dir = makeTempFolder();
  const [data, console] = [join(dir, 'desk'), join(dir, 'console')];
  mkdirSync(data);
  makeConsole(console);
  const servers = await startOddServers();
  const desk = await startDeskProcess(data, console);
  const connections = new Connections(desk.url);
  try {
    const prepared = await prepare(desk.call, { webhook: servers.webhook.url, node: servers.node.url });
    const network = await networkWays({ prepared, connections });
    const operator = await operatorWays({ prepared, connections, operatorToken: desk.operatorToken });
    // Sound requests first, so that there is something to read again; each must be answered.
    for (const one of [...network, ...operator]) for (const input of one.seeds) await one.play(input);
    const written = await writeFiles(desk.call, prepared, dir);
    const requests = [...network, ...operator.filter(({ name }) => name !== 'calls of the console')].flatMap(
      (one) => one.seeds as readonly HttpInput[],
    );
    const all = [
      ...network,
      ...operator,
      rawWay(desk.url, requests, prepared.secrets),
      ...answerWays({ prepared, connections, servers }),
      ...fileWays(written, dir),
      commandWay(data),
    ];
    const ways = plan.only.length === 0 ? all : all.filter(({ name }) => plan.only.includes(name));
    const played = await playAll({ ways, desk }, plan);
    const again = await readAgain({
      desk,
      data,
      dir,
      consoleFolder: console,
      plain: prepared.plain,
      request: ordinaryRequest,
    });
    for (const what of again.faults) played.found.push({ way: 'reading again', what, request: '' });
    return { ...played, again };
  } finally {
    connections.close();
    servers.webhook.stop();
    servers.node.stop();
    desk.kill();
    removeTempFolder(dir);
  }
};
