import { EngineError } from '../../shared/errors.ts';
import { readTank } from '../sponsorship/read-tank.ts';
import { readFree } from '../sponsorship/free-balance.ts';
import { RpcError } from '../chain/rpc.ts';
import { type Tank, requireTank } from '../paymaster/readiness.ts';
import type { Dapp } from '../store/registry-store.ts';
import type { ServiceContext } from './service.ts';

/** If the operator has set no threshold, a tank is low when it covers fewer operations than this. */
const LOW_OPERATIONS = 20n;

interface LowTank {
  /** Highest cost of one of the DApp's operations, in wei; undefined before its first operation. */
  readonly operationWei?: bigint | undefined;
  /** The threshold that the operator has set, in wei. */
  readonly lowBalanceThresholdWei?: bigint | undefined;
}

/** The balance below which a tank counts as low, in wei. */
const enoughWei = ({ operationWei, lowBalanceThresholdWei }: LowTank): bigint =>
  lowBalanceThresholdWei ?? (operationWei === undefined ? 0n : LOW_OPERATIONS * operationWei);

const tankLevel = (freeWei: bigint, enough: bigint): 'good' | 'low' | 'empty' => {
  if (freeWei <= 0n) return 'empty';
  return freeWei < enough ? 'low' : 'good';
};

export type TankContext = Pick<ServiceContext, 'store' | 'chains'>;

/** A tank's balance in wei, or why it is unknown. */
export type TankBalance = { readonly wei: bigint } | { readonly error: string };

/** The tank that pays for a DApp. All amounts are in wei. */
export interface TankState {
  readonly balanceWei: bigint | null;
  /** Reserved from this tank by all DApps that share it; undefined without a tank. */
  readonly reservedWei?: bigint;
  readonly pendingWithdrawalsWei?: bigint;
  readonly freeWei: bigint | null;
  /** Maximum cost of the DApp's latest sponsored operation. */
  readonly operationWei?: bigint | undefined;
  /** The tank counts as low below this; undefined if the balance is unknown. */
  readonly lowBelowWei?: bigint;
  readonly level: 'good' | 'low' | 'empty' | 'unknown';
  readonly error: string | null;
}

/** The message of an expected error. Throws any other error. */
export const errorOf = (error: unknown): { error: string } => {
  if (error instanceof EngineError || error instanceof RpcError) return { error: error.message };
  throw error;
};

/** The tank of a DApp, or what the DApp lacks to have one. How to fix this depends on the caller. */
export const findTank = ({ store }: TankContext, dapp: Dapp): Promise<Tank | { error: string }> =>
  requireTank(store, dapp).catch((cause: unknown) => {
    const { error } = errorOf(cause);
    const fix = cause instanceof EngineError ? cause.data['fix'] : undefined;
    return { error: typeof fix === 'string' ? error.replace(` ${fix}`, '') : error };
  });

export const readTankBalance = async ({ chains }: TankContext, tank: Tank): Promise<TankBalance> => {
  try {
    const rpc = await chains.rpc(tank.chainId);
    if (rpc === undefined) return { error: `Unchecked: chain ${tank.chainId} has no RPC URL.` };
    return { wei: await readTank(rpc, tank) };
  } catch (error) {
    return errorOf(error);
  }
};

const newestCost = async ({ store }: TankContext, paymasterId: string): Promise<bigint | undefined> => {
  const [newest] = await store.listDecisions({ paymasterId, outcome: 'sponsored', limit: 1 });
  const cost = newest?.maxCostWei ?? null;
  return cost === null ? undefined : BigInt(cost);
};

export const tankState = async (
  context: TankContext,
  { paymasterId }: Dapp,
  tank: Tank | { error: string },
  balanceOf: (tank: Tank) => Promise<TankBalance>,
): Promise<TankState> => {
  const unknown = { balanceWei: null, freeWei: null, level: 'unknown' } as const;
  if ('error' in tank) return { ...unknown, error: tank.error };
  const balance = await balanceOf(tank);
  const balanceWei = 'error' in balance ? 0n : balance.wei;
  const { reservedWei, pendingWithdrawalsWei, freeWei } = await readFree(context.store, tank, balanceWei);
  if ('error' in balance) return { ...unknown, reservedWei, pendingWithdrawalsWei, error: balance.error };
  const operationWei = await newestCost(context, paymasterId);
  const { lowBalanceThresholdWei } = await context.store.dappPolicy(paymasterId);
  const lowBelowWei = enoughWei({ operationWei, lowBalanceThresholdWei });
  return {
    balanceWei: balance.wei,
    reservedWei,
    pendingWithdrawalsWei,
    freeWei,
    operationWei,
    lowBelowWei,
    level: tankLevel(freeWei, lowBelowWei),
    error: null,
  };
};
