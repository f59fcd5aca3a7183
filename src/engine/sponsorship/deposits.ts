import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import { type RpcClient, RpcError, isUnreachable } from '../chain/rpc.ts';
import { type Tank, requireTank } from '../paymaster/readiness.ts';
import type { RegistryStore } from '../store/registry-store.ts';
import { readTank } from './read-tank.ts';
import { accountOfTank } from './tank-account.ts';

/** What the gas tanks of a chain hold together. */
export interface Deposits {
  /** What the others hold besides this one, wei; at most a minute old. A tank that cannot be read counts for nothing. */
  ofOthers(rpc: RpcClient, own: Tank): Promise<bigint>;
  /** Takes over what a tank holds, as it was just read. */
  saw(tank: Tank, balanceWei: bigint): void;
  /** What all tanks held when they were read last, wei; undefined where nothing was read yet. */
  lastKnown(chainId: number): bigint | undefined;
}

/** After this time tanks are read again, while the sum of before is used. */
const RENEWED_MS = 30_000;
/** After this time nothing is used that was read before. */
const KEPT_MS = 60_000;
/** So many are asked for at once. */
const AT_ONCE = 20;

interface OfChain {
  /** By tank: wei. */
  readonly balances: Map<string, bigint>;
  readAt: number;
  reading: Promise<void> | undefined;
}

const idOf = (tank: Tank): string => accountOfTank(tank).id;

const isExpected = (error: unknown): boolean => error instanceof EngineError || error instanceof RpcError;

/** Sums of deposits, which are kept so that a decision reads no tank but its own. */
export const createDeposits = (
  store: Pick<RegistryStore, 'listPaymasters' | 'findPaymasterContract'>,
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
    for (const dapp of await store.listPaymasters()) {
      if (dapp.chainId !== chainId) continue;
      const tank = await requireTank(store, dapp).catch((error: unknown) => {
        if (isExpected(error)) return undefined;
        throw error;
      });
      if (tank !== undefined) tanks.set(idOf(tank), tank);
    }
    return tanks;
  };

  /** Reads every tank but the one that is read anyway. */
  const renew = async (rpc: RpcClient, own: Tank): Promise<void> => {
    const { chainId } = own;
    const chain = chainOf(chainId);
    const tanks = await tanksOf(chainId);
    for (const id of chain.balances.keys()) if (!tanks.has(id)) chain.balances.delete(id);
    tanks.delete(idOf(own));
    const left = [...tanks];
    // Callbacks change it, which narrowing does not see.
    let wasReached = true as boolean;
    while (left.length > 0) {
      await Promise.all(
        left.splice(0, AT_ONCE).map(async ([id, tank]) => {
          try {
            chain.balances.set(id, await readTank(rpc, tank));
          } catch (error) {
            if (!isExpected(error)) throw error;
            // What is misconfigured stays so for a while; a node may be back with the next request.
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
      if (age >= KEPT_MS) await reading(rpc, own);
      // A failure shows where the next one waits for it.
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
