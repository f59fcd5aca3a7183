// Before the sources.
import { holdEnds, releaseEnds } from './other-threads.ts';
import { verifyDesk } from '../../src/engine/log/verify-log.ts';
import type { Caller } from '../../src/api/index.ts';
import { mineBlock, reorganise } from './bundler.ts';
import type { Draw } from '../support/draw.ts';
import { askTogether } from './clients.ts';
import { storedDecision } from './stored-decision.ts';
import {
  isWithoutRoom,
  keepAlive,
  operate,
  pauseOrResume,
  readPolicyAgain,
  setBreaker,
  switchTokenMode,
} from './operator.ts';
import { openIssuer } from './people.ts';
import { checkReleased } from './promises.ts';
import { openReceivers } from './receivers.ts';
import { settle } from './time.ts';
import { movePrices, moveTokens } from './token-holders.ts';
import { Violation } from './violation.ts';
import { HOUR_MS, type Kind, World, driving } from './world.ts';
import { setUp } from './set-up.ts';
import { attack } from './attackers.ts';
import { audit } from './audit.ts';

export interface PlayOptions {
  readonly seed: string;
  /** An empty folder for the desk's files. */
  readonly dir: string;
  readonly kinds: ReadonlySet<Kind>;
  /** How long it takes until the world calms down, ms in which the machine is awake. */
  readonly lengthMs: number;
}

/** What came of a seed. */
export interface Played {
  /** Root of the desk's log at the end, base64; undefined after a failure. */
  readonly root: string | undefined;
  readonly failure: Error | undefined;
  /** Hash of everything that happened, hex: the same whenever the seed is played. */
  readonly trace: string;
  /** World time, ms. */
  readonly passedMs: number;
  /** The part of it in which the machine was awake, ms. */
  readonly playedMs: number;
  readonly tally: World['tally'];
  readonly story: readonly string[];
  readonly log: readonly string[];
}

/**
 * The most by which the machine's clock is wrong, ms. A desk that starts with a clock that is half an hour ahead takes a
 * chain for one without new blocks.
 */
const CLOCK_STEP_MS = 25 * 60_000;

/** Clients who ask right before a block is mined, and how long before, ms. */
const EARLY_CLIENTS = 6;
const EARLY_MS = 30;

type Act = (world: World, draw: Draw) => Promise<void>;

/** The operator does something while the desk decides. */
const meanwhile = async (world: World, draw: Draw, act: Act): Promise<void> => {
  if (draw.chance(80))
    world.run('clients', askTogether(world, draw.part(`asked at ${world.time.now}`), draw.between(1, 4)));
  await world.time.pass(draw.between(1, 60));
  await act(world, draw).catch((error: unknown) => {
    if (world.disk.unreadable === 0 || !isWithoutRoom(error)) throw error;
    world.count('operator: cannot read');
  });
};

const scheduleActors = (world: World): void => {
  const { chain, node, time } = world;
  const draw = world.draw.part('pace');
  // What is seldom in one seed is frequent in another: some things fail only next to others that last.
  const often = (kind: Kind, ms: number, act: Parameters<typeof world.every>[2]): void =>
    world.every(kind, ms / (world.haste * draw.part(kind).pick([0.4, 1, 2])), act);
  const pace = draw.pick([1_000, 2_000, 4_000]);
  world.every('clients', pace, (part) => askTogether(world, part));
  often('attackers', 15_000, (part) => attack(world, part));
  const blocks = world.draw.part('blocks');
  const seconds = draw.pick([2, 12]);
  const sleep = (ms: number): void => {
    time.sleep(ms);
    world.disturb();
    world.count('sleeps');
    world.tell(`the machine sleeps ${ms / 1_000} s`);
  };
  /** What comes right after the next block, of which the desk then knows nothing. */
  let afterBlock: (() => void) | undefined;
  const mineNext = (): void => {
    // Several decisions then read a balance before the block, and end after it.
    const isAwaited = !world.isCalm && blocks.chance(2 * seconds);
    const askEarly = (): void => world.run('clients', askTogether(world, blocks, EARLY_CLIENTS));
    if (isAwaited) time.after(seconds * 1_000 - EARLY_MS, askEarly);
    time.after(seconds * 1_000, () => {
      mineBlock(world, blocks);
      afterBlock?.();
      afterBlock = undefined;
      mineNext();
    });
  };
  mineNext();
  world.every('clients', 5_000, (part) => keepAlive(world, part));
  world.every('bundler', 5_000, () => checkReleased(world));
  often('re-orgs', 120_000, (part) => chain.head.number > 40 && reorganise(world, part));
  often('operator', 60_000, (part) => meanwhile(world, part, operate));
  often('pauses', 60_000, (part) => meanwhile(world, part, pauseOrResume));
  often('breaker', 300_000, (part) => meanwhile(world, part, setBreaker));
  often('node faults', 60_000, (part) => {
    world.troubledAt = time.now;
    world.misledAt = Math.min(world.misledAt, time.now);
    node.heal();
    if (part.chance(30)) return;
    world.troubledAt = Infinity;
    const values = { behind: 6, logsBehind: 10, silent: 60, failing: 80, garbled: 60, stateless: 100, slowMs: 7_000 };
    const names = Object.keys(values) as (keyof typeof values)[];
    const fault = part.chance(30) ? 'logsBehind' : part.pick(names);
    // What a node leaves out, a desk asks for in another way, which fails as well.
    const also = part.pick(['stateless', 'stateless', 'failing'] as const);
    for (const one of fault === 'logsBehind' && part.chance(70) ? [fault, also] : [fault]) {
      node.faults[one] = part.between(one === also ? 30 : 1, values[one]);
      if (one === 'behind' || one === 'logsBehind') world.misledAt = Infinity;
      world.count(`node: ${one}`);
      world.tell(`node: ${one} ${node.faults[one]}`);
    }
  });
  often('crashes', 200_000, (part) => {
    if (!world.desk.isUp) return;
    const ending = part.pick(['kill', 'power'] as const);
    const moment = part.pick(['now', 'before commit', 'in commit', 'after commit'] as const);
    world.desk.crash(ending, moment);
    world.count(`crashes: ${ending} ${moment}`);
    world.tell(`crash: ${ending} ${moment}`);
  });
  often('restarts', 1_200_000, () => {
    if (!world.desk.isUp) return;
    world.isRestartDue = true;
  });
  often('full disk', 120_000, (part) => {
    world.disk.full = part.pick([0, 50, 100]);
    world.diskChangedAt = time.awake;
    world.disturb();
    world.count(`disk: ${world.disk.full} % of writes fail`);
    world.tell(`the disk refuses ${world.disk.full} % of what is written`);
  });
  often('bad disk', 100_000, (part) => {
    world.disk.unreadable = part.pick([0, 1, 10]);
    world.diskChangedAt = time.awake;
    world.disturb();
    world.count(`disk: ${world.disk.unreadable} % of reads fail`);
    world.tell(`the disk fails ${world.disk.unreadable} % of reads`);
  });
  world.every('tokens', 4_000, (part) => moveTokens(world, part));
  world.every('tokens', 15_000, (part) => movePrices(world, part));
  often('tokens', 100_000, (part) => meanwhile(world, part, switchTokenMode));
  world.every('full disk', 20_000, () => checkReadiness(world));
  often('slow disk', 200_000, (part) => {
    world.disk.slowMs = part.pick([0, 100, 3_000]);
    world.disturb();
    world.count(`disk: ${world.disk.slowMs} ms`);
    world.tell(`a commit takes up to ${world.disk.slowMs} ms`);
  });
  often('sleeps', 120_000, (part) => {
    const ms = part.pick([10_000, HOUR_MS / 6, HOUR_MS / 2, HOUR_MS / 2, HOUR_MS / 2, HOUR_MS, 8 * HOUR_MS]);
    if (part.chance(50)) sleep(ms);
    else afterBlock = () => sleep(ms);
  });
  often('clock steps', 200_000, (part) => {
    time.aheadMs = part.pick([-CLOCK_STEP_MS, -5_000, 0, 5_000, CLOCK_STEP_MS]);
    world.count(`clock steps: ${time.aheadMs / 1_000} s`);
    world.tell(`the machine's clock is set to ${time.aheadMs / 1_000} s ahead`);
  });
};

/** Signatures that clients have received stay stored, whatever happened to the engine. */
const checkNothingLost = (world: World): void => {
  for (const userOpHash of [...world.tickets.map((ticket) => ticket.userOpHash), ...world.lastWords]) {
    if (storedDecision(world.desk.database, userOpHash) === undefined) {
      throw new Violation('ANSWERED_AND_LOST', `The signature of ${userOpHash} is gone after a crash`);
    }
  }
};

/** Verifies the whole log, with everything that is stored with it. */
const verifyLog = async (world: World): Promise<void> => {
  const call = ((name: string, input: unknown) => world.desk.call(name as never, input as never)) as Caller;
  const { faults } = await driving(world, verifyDesk(call, { withSignatures: false }));
  const [first] = faults;
  if (first !== undefined)
    throw new Violation('LOG_FAULT', `${faults.length} faults, such as ${JSON.stringify(first)}`);
};

/** Time in which the desk notices that a disk is full, or has room again, ms. */
const READINESS_MS = 5_000;

/** While the disk is full, the desk says so; otherwise it does not. */
const checkReadiness = async (world: World): Promise<void> => {
  const { desk, disk, time, starts, diskChangedAt } = world;
  if (disk.unreadable > 0 || time.awake - diskChangedAt < READINESS_MS) return;
  const answer = await desk.request('GET', '/readyz');
  if (answer === undefined || world.starts !== starts || world.diskChangedAt !== diskChangedAt) return;
  const saysFull = /disk of the data folder/.test(answer.body);
  if (saysFull !== disk.full > 0) world.blame('READINESS_WRONG', `${disk.full} % of writes fail: ${answer.body}`);
};

/** Starts the desk again after it died or was stopped; without room, it is tried again later. */
const startAgain = async (world: World): Promise<void> => {
  // Someone has mended it.
  world.disk.unreadable = 0;
  try {
    await world.desk.start();
  } catch (error) {
    if (world.disk.full === 0 || !isWithoutRoom(error)) throw error;
    world.count('starts without room');
    return;
  }
  world.starts += 1;
  world.disturb();
  checkNothingLost(world);
  world.isPolicyUncertain = true;
  await driving(world, readPolicyAgain(world));
  await verifyLog(world);
};

/** Plays for a time, in which the machine is awake. @throws the first failure */
const playFor = async (world: World, ms: number): Promise<void> => {
  const { desk, time } = world;
  const end = time.awake + ms;
  let upAt = 0;
  const draw = world.draw.part('outages');
  while (time.step(time.now + end - time.awake)) {
    await settle();
    world.check();
    if (!desk.isUp) {
      if (upAt === 0) upAt = time.now + (world.isCalm ? 0 : draw.pick([0, 1_000, 60_000, 600_000]));
      else if (time.now >= upAt) {
        upAt = 0;
        await desk.bury();
        await startAgain(world);
      }
    } else if (world.isRestartDue) {
      world.count('restarts');
      world.tell('the desk is restarted');
      await desk.stop();
      await startAgain(world);
    }
    world.isRestartDue = false;
  }
};

/** Plays a seed. Whatever happens follows from the options alone. */
export const play = async ({ seed, dir, kinds, lengthMs }: PlayOptions): Promise<Played> => {
  const world = new World(seed, dir, kinds);
  const start = world.time.now;
  const outcome = (failure: Error | undefined, root?: string): Played => ({
    root,
    failure,
    trace: world.trace.digest(),
    passedMs: world.time.now - start,
    playedMs: world.time.awake - start,
    tally: world.tally,
    story: world.story,
    log: world.desk.log,
  });
  const blame = (error: unknown): void => world.blame('UNHANDLED_REJECTION', String((error as Error)?.stack ?? error));
  process.on('unhandledRejection', blame);
  holdEnds();
  try {
    openReceivers(world);
    openIssuer(world);
    await setUp(world);
    scheduleActors(world);
    await playFor(world, lengthMs);
    const root = await audit(world, (ms) => playFor(world, ms), verifyLog);
    return outcome(undefined, root);
  } catch (error) {
    return outcome(error as Error);
  } finally {
    await world.desk.abandon();
    await releaseEnds();
    process.off('unhandledRejection', blame);
  }
};
