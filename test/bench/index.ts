import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ConditionFigures, measureConditions } from './conditions.ts';
import { type ContinuousBackupFigures, measureContinuousBackup } from './continuous-backup.ts';
import { type BenchDesk, startDesk } from './desk.ts';
import { drive } from './drive.ts';
import { type KeptObjects, measureKeptObjects } from './kept-objects.ts';
import { type ListFigures, measureLists } from './lists.ts';
import { type Figures, measure, ratios } from './measure.ts';
import { sponsorTraffic } from './operations.ts';
import { type RequestPath, measureRequestPath } from './request-path.ts';
import { type ReplayFigures, measureReplay } from './replay.ts';
import { type Scenario, scenarios, typicalRules } from './scenarios.ts';
import { type SettlementFigures, measureSettlement } from './settlement.ts';
import { type TrialFigures, measureTrial } from './trial.ts';
import { type StartFigures, measureStart } from './start.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { type UndeliveredFigures, measureUndelivered } from './undelivered-events.ts';
import { type VerifyFigures, measureVerify } from './verify-log.ts';

/** `npm run bench`: the desk against the floor, each in a process of its own; prints one JSON document. Linux only. */

/** These two have no floor-server.ts: their floor is the parsing of the same lines. */
const REPLAY = 'replay';
const VERIFY = 'log-verify';
/** Its floors are the parsing of the same decisions, and the desk without a trial. */
const TRIAL = 'trial';
/** Its floor is a DApp of the same desk without them. */
const CONDITIONS = 'conditions';
/** Its floor is the same desk while event webhooks are paused. */
const UNDELIVERED = 'undelivered-events';
/** Its floor is the same desk without one. */
const COPY = 'continuous-backup';
/** These have no floor: their figures are milliseconds of one machine. */
const LISTS = 'lists';
const SETTLEMENT = 'settlement';
/** Without a floor: its times are compared on a quiet machine. */
const START = 'start';
/** Counts, which are the same on every machine. */
const PATH = 'request-path';
const KEPT = 'kept-objects';
const names = [
  ...scenarios.map(({ name }) => name),
  REPLAY,
  VERIFY,
  TRIAL,
  CONDITIONS,
  UNDELIVERED,
  COPY,
  START,
  LISTS,
  SETTLEMENT,
  PATH,
  KEPT,
];

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '1,8,32,128' },
    only: { type: 'string', default: names.join(',') },
    stored: { type: 'string', default: '1000000' },
    // Folder for CPU profiles of the desk; the figures are worth nothing then.
    profile: { type: 'string' },
  },
});
const seconds = Number(flags.seconds);
const only = flags.only.split(',');
const unknown = only.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}`);
const profiling = flags.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', flags.profile];

interface Pair {
  readonly connections: number;
  readonly desk: Figures;
  readonly floor: Figures;
  /** Desk divided by floor. */
  readonly ratio: ReturnType<typeof ratios>;
}

/** Not counted: code is compiled and caches are filled meanwhile. V8 is done with the desk after some 10,000 requests. */
const WARM_UP = { connections: 32, requests: 15_000, seconds: 20 };

/** Both servers are measured in turn, so that whatever else the machine does slows both. */
const comparePair = async (
  { desk, floor }: { desk: ServerProcess; floor: ServerProcess },
  path: string,
): Promise<Pair[]> => {
  const deskTraffic = sponsorTraffic(desk.url, path);
  const floorTraffic = sponsorTraffic(floor.url, path);
  await drive(floor.url, floorTraffic, WARM_UP);
  await drive(desk.url, deskTraffic, WARM_UP);
  const pairs: Pair[] = [];
  for (const connections of flags.connections.split(',').map(Number)) {
    const floorFigures = await measure(floor, floorTraffic, { connections, seconds });
    const deskFigures = await measure(desk, deskTraffic, { connections, seconds });
    pairs.push({ connections, desk: deskFigures, floor: floorFigures, ratio: ratios(deskFigures, floorFigures) });
  }
  return pairs;
};

/** A folder and a desk of its own, and what is to be done at the end. */
interface Bench {
  readonly dir: string;
  readonly desk: BenchDesk;
  readonly undo: (() => unknown)[];
}

const withBench = async <Result>(name: string, run: (bench: Bench) => Promise<Result>): Promise<Result> => {
  console.error(`bench: ${name}`);
  const dir = mkdtempSync(join(tmpdir(), 'gasdesk-bench-'));
  const undo: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })];
  try {
    const log = openSync(join(dir, 'desk.log'), 'a');
    undo.push(() => closeSync(log));
    const desk = await startDesk(join(dir, 'desk'), log, profiling);
    undo.push(() => desk.stop());
    return await run({ dir, desk, undo });
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const runScenario = (scenario: Scenario): Promise<Pair[]> =>
  withBench(scenario.name, async ({ dir, desk, undo }) => {
    const floor = await startServer([join(import.meta.dirname, 'floor-server.ts'), join(dir, 'floor.db')]);
    undo.push(() => floor.stop());
    const end = await scenario.prepare(desk, { storedDecisions: Number(flags.stored) });
    if (end !== undefined) undo.push(end);
    return comparePair({ desk, floor }, desk.path);
  });

const runReplay = (): Promise<ReplayFigures> =>
  withBench(REPLAY, async ({ dir, desk }) => {
    await typicalRules(desk);
    return measureReplay(desk, join(dir, 'decisions.jsonl'));
  });

const runVerify = (): Promise<VerifyFigures> =>
  withBench(VERIFY, async ({ dir, desk }) => {
    await typicalRules(desk);
    return measureVerify(desk, join(dir, 'log.jsonl'));
  });

const runTrial = (): Promise<TrialFigures> =>
  withBench(TRIAL, async ({ dir, desk }) => {
    await typicalRules(desk);
    return measureTrial(desk, join(dir, 'decisions.jsonl'));
  });

const runLists = (): Promise<ListFigures> => withBench(LISTS, ({ desk }) => measureLists(desk, Number(flags.stored)));

const runSettlement = (): Promise<SettlementFigures> =>
  withBench(SETTLEMENT, async ({ desk }) => {
    await typicalRules(desk);
    return measureSettlement(desk);
  });

const runConditions = (): Promise<ConditionFigures> => withBench(CONDITIONS, ({ desk }) => measureConditions(desk));

const runUndelivered = (): Promise<UndeliveredFigures> =>
  withBench(UNDELIVERED, ({ desk }) => measureUndelivered(desk));

/** With as many connections as the last of those that are asked for. */
const runCopy = (): Promise<ContinuousBackupFigures> =>
  withBench(COPY, ({ desk }) =>
    measureContinuousBackup(desk, { connections: Number(flags.connections.split(',').at(-1)), seconds }),
  );

type Result =
  | ContinuousBackupFigures
  | UndeliveredFigures
  | Pair[]
  | ReplayFigures
  | VerifyFigures
  | TrialFigures
  | ConditionFigures
  | ListFigures
  | SettlementFigures
  | StartFigures
  | RequestPath
  | KeptObjects;

const results: Record<string, Result> = {};
for (const scenario of scenarios) {
  if (only.includes(scenario.name)) results[scenario.name] = await runScenario(scenario);
}
if (only.includes(REPLAY)) results[REPLAY] = await runReplay();
if (only.includes(VERIFY)) results[VERIFY] = await runVerify();
if (only.includes(TRIAL)) results[TRIAL] = await runTrial();
if (only.includes(LISTS)) results[LISTS] = await runLists();
if (only.includes(SETTLEMENT)) results[SETTLEMENT] = await runSettlement();
if (only.includes(CONDITIONS)) results[CONDITIONS] = await runConditions();
if (only.includes(UNDELIVERED)) results[UNDELIVERED] = await runUndelivered();
if (only.includes(COPY)) results[COPY] = await runCopy();
if (only.includes(START)) results[START] = await measureStart();
if (only.includes(PATH)) results[PATH] = await measureRequestPath();
if (only.includes(KEPT)) results[KEPT] = await measureKeptObjects();
const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
console.log(JSON.stringify({ machine, seconds, storedDecisions: Number(flags.stored), scenarios: results }, null, 2));
