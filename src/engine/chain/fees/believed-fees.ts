import {
  type BaseFeeSighting,
  type HourlyTip,
  TIP_HOURS,
  believeBaseFee,
  believedTip,
  withTip,
} from '../../../core/user-operation/believed-fees.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { ChainFeeStore, ChainFees } from '../../store/tables/chain-fees.ts';
import type { FeeReading } from './read-fees.ts';

/** Believed fees of a chain, wei per gas. */
export interface BelievedPrice {
  readonly baseFeeWei: bigint;
  /** Undefined if the node suggests none. */
  readonly tipWei: bigint | undefined;
}

/** The fees that Gasdesk has observed, and the part of nodes' suggestions that it believes. */
export interface BelievedFees {
  /** Adds a reading. @throws EngineError if the database cannot be read */
  believe(chainId: number, reading: FeeReading): Promise<BelievedPrice>;
  /** Undefined before this engine's first reading. */
  lastBelieved(chainId: number): BelievedPrice | undefined;
  /** Forgets a removed chain. */
  forget(chainId: number): void;
  /** Waits for pending writes. */
  stop(): Promise<void>;
}

/** Interval for reading other engines' observations, and for storing the base fee. */
const STEP_MS = 60_000;

interface ChainMemory {
  baseFee: BaseFeeSighting | undefined;
  tips: readonly HourlyTip[];
  believed: BelievedPrice | undefined;
  /** Monotonic ms. */
  loadedAt: number;
  savedAt: number;
}

const later = (one: BaseFeeSighting | undefined, other: BaseFeeSighting | undefined): BaseFeeSighting | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  return other.at > one.at ? other : one;
};

const HOUR_MS = 3_600_000;

const merged = (one: readonly HourlyTip[], other: readonly HourlyTip[]): readonly HourlyTip[] =>
  other.reduce((tips, { hour, lowestWei }) => withTip(tips, lowestWei, hour * HOUR_MS), one).slice(-TIP_HOURS);

/** Keeps observations in the database and caches them in memory, so that decisions do not wait for the database. */
export const createBelievedFees = ({
  store,
  clock,
  log,
}: {
  readonly store: ChainFeeStore;
  readonly clock: Clock;
  readonly log: Log;
}): BelievedFees => {
  const chains = new Map<number, ChainMemory>();
  const loads = new Map<number, Promise<void>>();
  const writes = new Set<Promise<void>>();

  const takeOver = (chainId: number, stored: ChainFees): void => {
    const known = chains.get(chainId);
    const loadedAt = clock.monotonic();
    // The chain was removed meanwhile, or has no observations yet.
    if (known === undefined || stored.baseFee === undefined) {
      chains.set(chainId, { ...stored, believed: undefined, loadedAt, savedAt: -Infinity });
      return;
    }
    known.baseFee = later(known.baseFee, stored.baseFee);
    known.tips = merged(known.tips, stored.tips);
    known.loadedAt = loadedAt;
  };

  const load = async (chainId: number): Promise<ChainMemory> => {
    const known = chains.get(chainId);
    if (known !== undefined && clock.monotonic() - known.loadedAt < STEP_MS) return known;
    const loading = loads.get(chainId) ?? store.chainFees(chainId).then((stored) => takeOver(chainId, stored));
    loads.set(chainId, loading);
    try {
      await loading;
    } finally {
      loads.delete(chainId);
    }
    return load(chainId);
  };

  const save = (chainId: number, memory: ChainMemory, baseFee: BaseFeeSighting, tip: HourlyTip | undefined): void => {
    memory.savedAt = clock.monotonic();
    const write = store
      .saveChainFees(chainId, { baseFee, tip })
      .catch((err: unknown) => log.warn('fees.not-kept', { chainId, err }))
      .finally(() => writes.delete(write));
    writes.add(write);
  };

  return {
    async believe(chainId, { block, suggestedTipWei }) {
      const memory = await load(chainId);
      const at = clock.now();
      const reading = { block: block.number, baseFeeWei: block.baseFeePerGas, at };
      const baseFee = believeBaseFee(memory.baseFee, reading);
      const before = memory.tips;
      const tips = suggestedTipWei === undefined ? before : withTip(before, suggestedTipWei, at);
      Object.assign(memory, { baseFee, tips });
      const isLowest = tips !== before;
      const hour = Math.floor(at / HOUR_MS);
      const tip = isLowest && suggestedTipWei !== undefined ? { hour, lowestWei: suggestedTipWei } : undefined;
      if (isLowest || clock.monotonic() - memory.savedAt >= STEP_MS) save(chainId, memory, baseFee, tip);
      memory.believed = {
        baseFeeWei: baseFee.baseFeeWei,
        tipWei: suggestedTipWei && believedTip(suggestedTipWei, tips),
      };
      return memory.believed;
    },
    lastBelieved: (chainId) => chains.get(chainId)?.believed,
    forget: (chainId) => void chains.delete(chainId),
    async stop() {
      await Promise.all(writes);
    },
  };
};
