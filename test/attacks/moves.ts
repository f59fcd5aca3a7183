import fc from 'fast-check';
import { REORG_BLOCKS } from '../../src/engine/chain/reorg-depth.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { FUNDING_WALLETS } from './chain.ts';
import { layoutOf } from './versions.ts';
import { ask, askAll, askAndWait, release } from './asking.ts';
import { bundle } from './bundle.ts';
import { MANNERS, type Manner } from './crowd.ts';
import { askForDraft } from './draft.ts';
import { mine, withdraw } from './mining.ts';
import { LINE_FAULTS } from './node-line.ts';
import { nth } from './nth.ts';
import { MILLI } from './policy.ts';
import { baseFeeMove, moveBaseFee, push, pushPrice, settlePrices } from './pushing.ts';
import { BEHAVIOURS, NAME_STATES } from './receiver.ts';
import { type Run, fund, letPass, mineAtOnce, mineBlock, poll } from './run.ts';
import { bundleForItself, selfBundling } from './self-bundling.ts';
import { Violation } from './violation.ts';
import { type Wish, wish } from './wish.ts';

/** One move of a script. */
export interface Step {
  readonly words: string;
  /** Plays it, and answers in words what came of it. */
  play(run: Run): Promise<string>;
  readonly [fc.toStringMethod]: () => string;
}

/** A kind of move: how often it is drawn, and what. */
interface Move {
  readonly weight: number;
  readonly steps: (name: string) => fc.Arbitrary<Step>;
}

/** A step as its reader sees it. */
const stepWords = (name: string, values: unknown): string => {
  if (values === undefined) return name;
  return `${name} ${JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`;
};

/** To add a move, add a line to {@link moves}: its weight, what is drawn at random for it, and what it does. */
const move = <T>(weight: number, drawn: fc.Arbitrary<T>, play: (run: Run, values: T) => Promise<string>): Move => ({
  weight,
  steps: (name) =>
    drawn.map((values) => {
      const words = stepWords(name, values);
      const plays = (run: Run): Promise<string> => {
        run.tally.moves.set(name, (run.tally.moves.get(name) ?? 0) + 1);
        return play(run, values);
      };
      return { words, play: plays, [fc.toStringMethod]: () => words };
    }),
});

const nothing = fc.constant(undefined);
const seconds = fc.oneof(fc.integer({ min: 1, max: 120 }), fc.constantFrom(320, 700, 1_000, 3_700, 7_300, 90_000));
const which = fc.nat(20);
const depth = fc.integer({ min: 1, max: 4 });

/** So many come after a crowd. */
const HONEST_CLIENTS = 3;

const dappOf = ({ desk: { dapps } }: Run, index: number) => nth(dapps, index);

/** Connections of strangers; an honest client that comes after them must be served all the same. */
const crowdComes = async (run: Run, [at, count, manner]: [number, number, Manner]): Promise<string> => {
  const { chainId } = run.chain;
  const path = `/api/v1/${chainId}/${manner === 'begins a body' ? dappOf(run, at).apiKey : 'guessed'}`;
  await run.crowd.come(count, manner, path);
  for (let client = 0; client < HONEST_CLIENTS; client += 1) {
    const { text } = await run.desk.postAnew(dappOf(run, at), 'pm_supportedEntryPoints', []);
    if (!text.includes('"result"')) throw new Violation('HONEST_UNANSWERED', text.slice(0, 200));
  }
  return `${run.crowd.size()} connections`;
};

/** Everything that attackers, the operator, machines and chains do. */
const moves: Readonly<Record<string, Move>> = {
  ask: move(10, wish, ask),
  'ask twice': move(2, wish, async (run, wanted) => (await askAll(run, [wanted, wanted])).join(', ')),
  'ask of two DApps': move(3, fc.tuple(wish, wish), async (run, [first, second]) => {
    const { sender, nonceKey, nonce } = first;
    const same = { ...second, sender, nonceKey, nonce, dapp: first.dapp + 1 };
    return (await askAll(run, [first, same])).join(', ');
  }),
  'ask for many at once': move(3, fc.tuple(wish, fc.integer({ min: 3, max: 40 })), async (run, [wanted, count]) => {
    const wishes = Array.from({ length: count }, (_, index) => ({ ...wanted, nonceKey: index }));
    const answers = await askAll(run, wishes);
    const counts = Map.groupBy(answers, (words) => words.replace(/[#\d]+/g, '…'));
    return [...counts].map(([words, { length }]) => `${length} × ${words}`).join(', ');
  }),
  // Signatures are gathered, whatever becomes of their reservations meanwhile, and mined together.
  'collect, wait, collect and mine': move(2, fc.tuple(wish, seconds), async (run, [wanted, passing]) => {
    const from = (key: number): Wish[] =>
      Array.from({ length: 6 }, (_, index) => ({ ...wanted, nonce: 'next', nonceKey: key + index }));
    const first = await askAll(run, from(100));
    await letPass(run, passing * 1_000);
    const second = await askAll(run, from(200));
    const which = [...Array(12).keys()];
    const mined = await mine(run, { which, alteration: 'none', via: 'bundler', gasPrice: 'least', burns: 0n });
    return [...first, ...second, mined].join(', ');
  }),
  'ask, the webhook takes its time': move(2, wish, askAndWait),
  'the webhook answers': move(2, nothing, release),
  'ask for a draft': move(1, wish, askForDraft),
  mine: move(12, bundle, mine),
  'bundle for themselves': move(6, selfBundling['nothing else'], bundleForItself),
  'bundle for themselves at pushed prices': move(3, selfBundling['prices pushed'], bundleForItself),
  'bundle for themselves when the base fee has fallen': move(1, selfBundling['base fee falls'], bundleForItself),
  'bundle for themselves by accounts with another face': move(
    1,
    selfBundling['accounts with another face'],
    bundleForItself,
  ),
  'a price is pushed': move(2, push, pushPrice),
  'prices settle': move(3, nothing, async (run) => {
    settlePrices(run);
    return 'done';
  }),
  'the base fee moves': move(2, baseFeeMove, moveBaseFee),
  'logs come from a node behind': move(2, fc.constantFrom(1, 13, 16, 40), async (run, blocks) => {
    run.line.lies.logsBehind = blocks;
    run.wereLogsBehind = true;
    return `by ${blocks} blocks`;
  }),
  'logs are up to date': move(2, nothing, async (run) => {
    run.line.lies.logsBehind = 0;
    return 'done';
  }),
  // A chain of a quarter of a second, or a desk whose poll is late.
  'blocks come in a burst': move(2, fc.integer({ min: 5, max: 40 }), async (run, blocks) => {
    for (let mined = 0; mined < blocks; mined += 1) await mineAtOnce(run);
    await poll(run);
    return `${blocks} blocks`;
  }),
  'a name changes': move(
    2,
    fc.tuple(which, fc.constantFrom(...NAME_STATES, 'right' as const)),
    async (run, [at, state]) => {
      const dapp = dappOf(run, at);
      run.receivers.names.set(dapp.index, state);
      return `of DApp ${dapp.index}: ${state}`;
    },
  ),
  'a crowd comes': move(1, fc.tuple(which, fc.constantFrom(20, 120, 250), fc.constantFrom(...MANNERS)), crowdComes),
  'the crowd leaves': move(1, nothing, async (run) => {
    run.crowd.leave();
    return 'done';
  }),
  'time passes': move(6, seconds, async (run, passing) => {
    await letPass(run, passing * 1_000);
    return `${passing} s`;
  }),
  'the desk polls': move(3, nothing, async (run) => {
    await poll(run);
    return 'done';
  }),
  'the machine’s clock steps': move(
    2,
    fc.constantFrom(-86_400, -7_200, -600, 600, 3_700, 7_300, 86_400),
    async (run, step) => {
      run.time.step(step * 1_000);
      await run.desk.quiet();
      return `by ${step} s`;
    },
  ),
  'the machine’s clock is put right': move(2, nothing, async (run) => {
    run.time.step(-run.time.ahead());
    return 'done';
  }),
  'the node fails': move(2, fc.constantFrom(...LINE_FAULTS), async (run, fault) => {
    run.line.fault = fault;
    return fault;
  }),
  'the node is back': move(3, nothing, async (run) => {
    run.line.fault = undefined;
    return 'done';
  }),
  'the chain is re-organised': move(2, fc.tuple(depth, fc.boolean()), async (run, [blocks, replaced]) => {
    const { number } = await run.chain.head();
    if (number - blocks <= run.firstBlock) return 'nothing: the chain is too young';
    run.highestBlock = Math.max(run.highestBlock, number);
    // Several between two polls add up, while the node fails.
    if (number - blocks < run.highestBlock - REORG_BLOCKS) return 'nothing: deeper than the desk notices';
    // Blocks that were taken back are counted again.
    run.believed = { ...run.believed, block: run.believed.block - blocks };
    await run.chain.rpc.send(replaced ? 'anvil_reorg' : 'anvil_rollback', replaced ? [blocks, []] : [blocks]);
    run.seenMined.clear();
    await mineBlock(run);
    return `${blocks} blocks ${replaced ? 'replaced' : 'gone'}`;
  }),
  'the desk restarts': move(1, nothing, async (run) => {
    await release(run);
    const before = run.time.deskNow();
    // A desk that ends waits ten seconds for what was begun, and time stands still here.
    run.crowd.leave();
    // A desk takes its machine's time for right when it starts.
    run.time.step(-run.time.ahead());
    await run.desk.restart();
    run.leaptMs += Math.max(0, run.time.deskNow() - before);
    return 'done';
  }),
  'the operator changes a limit': move(2, fc.tuple(which, fc.integer({ min: 1, max: 4 })), async (run, [at, to]) => {
    const dapp = dappOf(run, at);
    const limit = dapp.limits[at % Math.max(1, dapp.limits.length)];
    if (limit === undefined) return 'nothing: there is none';
    await run.desk.updateLimit(dapp, limit, to);
    return `${limit.name} of DApp ${dapp.index} to ${to}`;
  }),
  'the operator pauses a limit': move(1, which, async (run, at) => {
    const dapp = dappOf(run, at);
    const [limit] = dapp.limits;
    if (limit === undefined) return 'nothing: there is none';
    await run.desk.setActive(dapp, limit, false);
    return `${limit.name} of DApp ${dapp.index}`;
  }),
  'the operator resumes a limit': move(1, which, async (run, at) => {
    const dapp = dappOf(run, at);
    const [limit] = dapp.pausedLimits;
    if (limit === undefined) return 'nothing: there is none';
    await run.desk.setActive(dapp, limit, true);
    return `${limit.name} of DApp ${dapp.index}`;
  }),
  'the operator pauses everything': move(1, nothing, async (run) => {
    await run.desk.call('system.pause', {});
    run.paused = true;
    return 'done';
  }),
  'the operator resumes everything': move(6, nothing, async (run) => {
    await run.desk.resume();
    run.paused = false;
    run.breakerFrom = run.tickets.length;
    return 'done';
  }),
  'the operator changes the funding wallet': move(1, fc.tuple(which, fc.nat(2)), async (run, [at, wallet]) => {
    const dapp = dappOf(run, at);
    if (!layoutOf(dapp.policy.version).hasTanks) return 'nothing: there is none';
    await run.desk.useWallet(dapp, wallet);
    return `of DApp ${dapp.index} to ${dapp.wallet}`;
  }),
  'the operator pays in': move(1, fc.tuple(which, fc.constantFrom(1, 50)), async (run, [at, milli]) => {
    const dapp = dappOf(run, at);
    await fund(run, dapp, BigInt(milli) * MILLI, nth(FUNDING_WALLETS, 0).address as Address);
    return `${milli} milli for DApp ${dapp.index}`;
  }),
  'the operator withdraws': move(1, fc.tuple(which, fc.constantFrom(1n, 5n, 100n)), async (run, [at, milli]) =>
    withdraw(run, dappOf(run, at), milli * MILLI),
  ),
  'a receiver changes its mind': move(
    2,
    fc.tuple(which, fc.constantFrom(...BEHAVIOURS, 'true' as const, 'true' as const)),
    async (run, [at, mind]) => {
      const dapp = dappOf(run, at);
      run.receivers.behaviours.set(dapp.index, mind);
      return `DApp ${dapp.index}: ${mind}`;
    },
  ),
};

/** A script of moves, without those that are named. */
export const script = (without: readonly string[] = []): fc.Arbitrary<Step[]> => {
  const unknown = without.find((name) => moves[name] === undefined);
  if (unknown !== undefined) throw new Error(`There is no move "${unknown}"`);
  const drawn = Object.entries(moves).filter(([name]) => !without.includes(name));
  const step = fc.oneof(...drawn.map(([name, { weight, steps }]) => ({ weight, arbitrary: steps(name) })));
  return fc.array(step, { minLength: 5, maxLength: 60, size: 'max' });
};
