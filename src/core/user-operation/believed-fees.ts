import { max, min } from '../../shared/bigints.ts';

/** The base fee that Gasdesk believes, and the block and time of the reading from which it was computed. */
export interface BaseFeeSighting {
  readonly block: number;
  /** Wei per gas. */
  readonly baseFeeWei: bigint;
  /** When this block was first seen, epoch ms. */
  readonly at: number;
}

/**
 * No chain makes blocks faster than this. A base fee that rose over more blocks than fit into the time is not believed.
 */
const MS_PER_BLOCK = 100;

/** EIP-1559: after a full block the base fee rises by an eighth, but by at least 1 wei. */
const afterFullBlock = (baseFeeWei: bigint): bigint => baseFeeWei + max(baseFeeWei / 8n, 1n);

/**
 * Limits the base fee that a node reports to a believable value. It may rise only as far as EIP-1559 allows within a
 * number of blocks: the blocks since the last reading, or the blocks that fit into the time since then, whichever
 * number is smaller. It may fall by any amount. The first reading is believed. If the chain went back to lower block
 * numbers, the believed fee stays the same, and counting continues from the new block.
 */
export const believeBaseFee = (last: BaseFeeSighting | undefined, reading: BaseFeeSighting): BaseFeeSighting => {
  if (last === undefined) return reading;
  const inTime = Math.floor((reading.at - last.at) / MS_PER_BLOCK);
  let blocks = Math.min(reading.block - last.block, inTime);
  let baseFeeWei = last.baseFeeWei;
  // This loop is short: from 1 wei, some 1,500 blocks reach the largest number that a node can return.
  for (; blocks > 0 && baseFeeWei < reading.baseFeeWei; blocks -= 1) baseFeeWei = afterFullBlock(baseFeeWei);
  const at = reading.block === last.block ? last.at : reading.at;
  return { block: reading.block, baseFeeWei: min(baseFeeWei, reading.baseFeeWei), at };
};

/** The lowest tip that a node suggested within one hour. */
export interface HourlyTip {
  /** Whole hours since the epoch. */
  readonly hour: number;
  /** Wei per gas. */
  readonly lowestWei: bigint;
}

/** Number of hours that are stored. Only hours in which the chain was read count, however long ago they were. */
export const TIP_HOURS = 24;

const HOUR_MS = 3_600_000;

/**
 * Adds a reading to the history and keeps the newest hours, oldest first. Returns the same array if nothing changes.
 */
export const withTip = (history: readonly HourlyTip[], tipWei: bigint, at: number): readonly HourlyTip[] => {
  const hour = Math.floor(at / HOUR_MS);
  const known = history.find((one) => one.hour === hour);
  if (known !== undefined && known.lowestWei <= tipWei) return history;
  const others = history.filter((one) => one !== known);
  const added = [...others, { hour, lowestWei: tipWei }].sort((one, other) => one.hour - other.hour);
  return added.slice(-TIP_HOURS);
};

/**
 * A tip is usual if it lasted for at least this many hours. An attacker who raises the tip for one hour affects at most
 * two.
 */
const USUAL_HOURS = 3;

/**
 * The highest tip below which most hours (at least three) never fell. If the history has fewer hours, the lowest tip; 0
 * if the history is empty.
 */
const usualTip = (history: readonly HourlyTip[]): bigint => {
  const sorted = history.map(({ lowestWei }) => lowestWei).sort((one, other) => (one < other ? 1 : -1));
  const enough = Math.max(USUAL_HOURS, Math.floor(sorted.length / 2) + 1);
  return sorted[Math.min(enough, sorted.length) - 1] ?? 0n;
};

/**
 * Limits a node's suggested tip to the usual tip in the hours that Gasdesk itself recorded. Wei per gas.
 * @param history includes the current reading
 */
export const believedTip = (suggestedWei: bigint, history: readonly HourlyTip[]): bigint =>
  min(suggestedWei, usualTip(history));
