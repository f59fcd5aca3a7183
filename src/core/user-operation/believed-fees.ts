import { max, min } from '../../shared/bigints.ts';

/** The believed base fee of a chain, with the block and the time at which it was seen. */
export interface BaseFeeSighting {
  readonly block: number;
  /** Wei per gas. */
  readonly baseFeeWei: bigint;
  /** When this block was first seen, epoch ms. */
  readonly at: number;
}

/** No chain makes blocks faster: a node whose block numbers jump is not believed. */
const MS_PER_BLOCK = 100;

/** EIP-1559: after a full block the base fee is an eighth higher, and at least 1 wei. */
const afterFullBlock = (baseFeeWei: bigint): bigint => baseFeeWei + max(baseFeeWei / 8n, 1n);

/**
 * The believed part of a node's base fee: no more than EIP-1559 allows for the blocks since the last sighting, nor for
 * those that fit into the time since. It may fall at once. The first reading is believed. If a chain was set back to
 * lower block numbers, believing continues from there.
 */
export const believeBaseFee = (last: BaseFeeSighting | undefined, reading: BaseFeeSighting): BaseFeeSighting => {
  if (last === undefined) return reading;
  const inTime = Math.floor((reading.at - last.at) / MS_PER_BLOCK);
  let blocks = Math.min(reading.block - last.block, inTime);
  let baseFeeWei = last.baseFeeWei;
  // Ends with the reading: from 1 wei it takes 1,500 blocks to the largest number a node can answer.
  for (; blocks > 0 && baseFeeWei < reading.baseFeeWei; blocks -= 1) baseFeeWei = afterFullBlock(baseFeeWei);
  const at = reading.block === last.block ? last.at : reading.at;
  return { block: reading.block, baseFeeWei: min(baseFeeWei, reading.baseFeeWei), at };
};

/** The lowest tip that a node suggested within an hour. */
export interface HourlyTip {
  /** Whole hours since the epoch. */
  readonly hour: number;
  /** Wei per gas. */
  readonly lowestWei: bigint;
}

/** Number of hours kept: those in which the chain was read, however long ago. */
export const TIP_HOURS = 24;

const HOUR_MS = 3_600_000;

/** The history with one more reading, its newest hours, oldest first. Returns the same array if nothing changes. */
export const withTip = (history: readonly HourlyTip[], tipWei: bigint, at: number): readonly HourlyTip[] => {
  const hour = Math.floor(at / HOUR_MS);
  const known = history.find((one) => one.hour === hour);
  if (known !== undefined && known.lowestWei <= tipWei) return history;
  const others = history.filter((one) => one !== known);
  const added = [...others, { hour, lowestWei: tipWei }].sort((one, other) => one.hour - other.hour);
  return added.slice(-TIP_HOURS);
};

/** A tip is usual after at least this many hours: a push of an hour spans two. */
const USUAL_HOURS = 3;

/**
 * The highest tip below which most hours, and at least three, never fell; the lowest if there are fewer hours, 0
 * without any.
 */
const usualTip = (history: readonly HourlyTip[]): bigint => {
  const sorted = history.map(({ lowestWei }) => lowestWei).sort((one, other) => (one < other ? 1 : -1));
  const enough = Math.max(USUAL_HOURS, Math.floor(sorted.length / 2) + 1);
  return sorted[Math.min(enough, sorted.length) - 1] ?? 0n;
};

/**
 * The believed part of a node's suggested tip: up to the usual one of the desk's own hours. Wei per gas.
 * @param history includes the reading
 */
export const believedTip = (suggestedWei: bigint, history: readonly HourlyTip[]): bigint =>
  min(suggestedWei, usualTip(history));
