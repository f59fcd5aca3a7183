import type { Store } from '../store/store.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import { type RpcClient, RpcError, isUnreachable } from '../chain/rpc.ts';
import { type Tank, requireTank } from '../paymaster/readiness.ts';
import { readTank } from './read-tank.ts';
import { accountOfTank } from './tank-account.ts';

export interface Deposits {
  /**
   * Sum of the balances of the chain's other tanks, in wei, at most a minute old. A tank that cannot be read counts as
   * 0.
   */
  ofOthers(rpc: RpcClient, own: Tank): Promise<bigint>;
  saw(tank: Tank, balanceWei: bigint): void;
  /** Sum of the balances of all tanks at the last read, in wei; undefined before the first read. */
  lastKnown(chainId: number): bigint | undefined;
}

/** After this time, the tanks are read again. Meanwhile, the previous sum is used. */
const RENEWED_MS = 30_000;
/** After this time, the result of a read is no longer used. */
const CACHED_MS = 60_000;
/** Number of tanks that are read at the same time. */
const AT_ONCE = 20;

interface OfChain {
  /** Wei, by tank. */
  readonly balances: Map<string, bigint>;
  readAt: number;
  reading: Promise<void> | undefined;
}

const idOf = (tank: Tank): string => accountOfTank(tank).id;

const isExpected = (error: unknown): boolean => error instanceof EngineError || error instanceof RpcError;

/** Caches balances, so that a decision reads only its own tank. */
export const createDeposits = (
  store: Pick<Store, 'listDapps' | 'findPaymasterContract'>,
  clock: Pick<Clock, 'monotonic'>,
): Deposits => {
  const chains = new Map<number, OfChain>();
  const chainOf = (chainId: number): OfChain => {
    const known = chains.get(chainId) ?? { balances: new Map(), readAt: -Infinity, reading: undefined };
    chains.set(chainId, known);
    return known;
  };

  const tanksOf = async (chainId: number): Promise<Map<string, Tank>> => {
    const tanks = new Map<string, Tank>();
    for (const dapp of await store.listDapps()) {
      if (dapp.chainId !== chainId) continue;
      const tank = await requireTank(store, dapp).catch((error: unknown) => {
        if (isExpected(error)) return undefined;
        throw error;
      });
      if (tank !== undefined) tanks.set(idOf(tank), tank);
    }
    return tanks;
  };

  const renew = async (rpc: RpcClient, own: Tank): Promise<void> => {
    const { chainId } = own;
    const chain = chainOf(chainId);
    const tanks = await tanksOf(chainId);
    for (const id of chain.balances.keys()) if (!tanks.has(id)) chain.balances.delete(id);
    tanks.delete(idOf(own));
    const left = [...tanks];
    // The type assertion is necessary because callbacks change the value, which TypeScript does not consider.
    let wasReached = true as boolean;
    while (left.length > 0) {
      await Promise.all(
        left.splice(0, AT_ONCE).map(async ([id, tank]) => {
          try {
            chain.balances.set(id, await readTank(rpc, tank));
          } catch (error) {
            if (!isExpected(error)) throw error;
            // An error in the configuration is permanent, but a node may answer the next request.
            wasReached &&= !isUnreachable(error);
          }
        }),
      );
    }
    if (wasReached) chain.readAt = clock.monotonic();
  };

  const reading = (rpc: RpcClient, own: Tank): Promise<void> => {
    const chain = chainOf(own.chainId);
    chain.reading ??= renew(rpc, own).finally(() => {
      chain.reading = undefined;
    });
    return chain.reading;
  };

  return {
    async ofOthers(rpc, own) {
      const chain = chainOf(own.chainId);
      const age = clock.monotonic() - chain.readAt;
      if (age >= CACHED_MS) await reading(rpc, own);
      // An error is reported to the next caller that waits for the result.
      else if (age >= RENEWED_MS) reading(rpc, own).catch(() => undefined);
      const ownId = idOf(own);
      return [...chain.balances].reduce((sum, [id, wei]) => (id === ownId ? sum : sum + wei), 0n);
    },
    saw(tank, balanceWei) {
      chainOf(tank.chainId).balances.set(idOf(tank), balanceWei);
    },
    lastKnown(chainId) {
      const balances = [...(chains.get(chainId)?.balances.values() ?? [])];
      return balances.length === 0 ? undefined : balances.reduce((sum, wei) => sum + wei, 0n);
    },
  };
};
