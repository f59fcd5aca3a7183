import fc from 'fast-check';
import { type Run, mineBlock } from './run.ts';
import type { Address } from '../../src/shared/schema/hex.ts';

/** Pays for what moves prices. */
const PUSHER: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
/** An hour is what a desk may take for usual: no one pushes for as long. */
const LONGEST_MS = 50 * 60_000;
/** So many times the usual base fee is the highest, and such a part of it the lowest. */
const BASE_FEE_RANGE = 4n;

const pushedTimes = fc.constantFrom<bigint[]>(3n, 100n, 10_000n);

/** How prices are pushed. */
export const push = fc.oneof(
  fc.record({
    kind: fc.constant('tip by transactions' as const),
    times: pushedTimes,
    transactions: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('tip told' as const), times: pushedTimes }),
  fc.record({ kind: fc.constant('base fee told' as const), times: pushedTimes }),
);
/** How prices are pushed. */
export type Push = typeof push extends fc.Arbitrary<infer T> ? T : never;

/** What happens to the base fee itself: a number of full or empty blocks, or a block that no EIP-1559 chain has. */
export const baseFeeMove = fc.oneof(
  fc.record({ kind: fc.constantFrom('rises', 'falls'), blocks: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('leaps' as const), times: fc.constantFrom<bigint[]>(2n, 10n, 100n) }),
);

/** Pushes a price, or has the node tell a pushed one, until it settles or most of an hour has passed. */
export const pushPrice = async (run: Run, wanted: Push): Promise<string> => {
  const until = run.time.now() + LONGEST_MS;
  const isLong = (): boolean => run.time.now() >= until;
  const { lies } = run.line;
  const tipWei = wanted.times * run.tipWei;
  if (wanted.kind === 'base fee told') {
    const toldWei = wanted.times * run.baseFeeWei;
    lies.baseFeeWei = () => (isLong() ? undefined : toldWei);
    return `${toldWei} wei`;
  }
  if (wanted.kind === 'tip told') {
    lies.tipWei = () => (isLong() ? run.tipWei : tipWei);
    return `${tipWei} wei`;
  }
  const gasPrice = run.baseFeeWei + tipWei;
  for (let sent = 0; sent < wanted.transactions; sent += 1) {
    await mineBlock(run, { from: PUSHER, to: PUSHER, data: '0x', gasPrice });
  }
  // The node answers by itself, which is all the transactions are for.
  lies.tipWei = () => (isLong() ? run.tipWei : undefined);
  return `${String(await run.chain.rpc.send('eth_maxPriorityFeePerGas', []))} is suggested`;
};

/** The prices that the node reports now, wei per gas. */
export const toldPrices = async ({ line: { lies }, chain, ...run }: Run) => {
  const suggested = lies.tipWei() ?? BigInt((await chain.rpc.send('eth_maxPriorityFeePerGas', [])) as string);
  return { baseFeeWei: lies.baseFeeWei() ?? run.baseFeeWei, tipWei: suggested };
};

/** The node says what is so again. */
export const settlePrices = (run: Run): void => {
  run.line.lies.tipWei = () => run.tipWei;
  run.line.lies.baseFeeWei = () => undefined;
};

/** Mines blocks by which the base fee moves. */
export const moveBaseFee = async (
  run: Run,
  wanted: typeof baseFeeMove extends fc.Arbitrary<infer T> ? T : never,
): Promise<string> => {
  if (wanted.kind === 'leaps') {
    const before = run.baseFeeWei;
    run.baseFeeWei = wanted.times * before;
    await mineBlock(run);
    run.baseFeeWei = before;
    return `to ${wanted.times * before} wei for one block`;
  }
  for (let block = 0; block < wanted.blocks; block += 1) {
    const moved = (run.baseFeeWei * (wanted.kind === 'rises' ? 9n : 7n)) / 8n;
    if (moved * BASE_FEE_RANGE < run.usualBaseFeeWei || moved > run.usualBaseFeeWei * BASE_FEE_RANGE) break;
    run.baseFeeWei = moved;
    await mineBlock(run);
  }
  return `to ${run.baseFeeWei} wei`;
};
