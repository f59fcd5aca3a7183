import { EngineError } from '../../shared/errors.ts';
import { readTank } from '../sponsorship/read-tank.ts';
import { readFree } from '../sponsorship/free-balance.ts';
import { RpcError } from '../chain/rpc.ts';
import { type Tank, requireTank } from '../paymaster/readiness.ts';
import type { Paymaster } from '../store/registry-store.ts';
import type { ServiceContext } from './service.ts';

/** A tank that covers fewer further operations is low, where the operator has not said at what amount it is. */
const LOW_OPERATIONS = 20n;

/** What makes a tank low. */
interface LowTank {
  /** The most that an operation of the DApp costs, wei; undefined where it had none yet. */
  readonly operationWei?: bigint | undefined;
  /** The operator's own threshold, wei. */
  readonly lowBalanceThresholdWei?: bigint | undefined;
}

/** Below what a tank is low. */
const enoughWei = ({ operationWei, lowBalanceThresholdWei }: LowTank): bigint =>
  lowBalanceThresholdWei ?? (operationWei === undefined ? 0n : LOW_OPERATIONS * operationWei);

/** What is left in a tank besides what is reserved, in a word. */
const tankLevel = (freeWei: bigint, enough: bigint): 'good' | 'low' | 'empty' => {
  if (freeWei <= 0n) return 'empty';
  return freeWei < enough ? 'low' : 'good';
};

/** What tanks are read from. */
export type TankContext = Pick<ServiceContext, 'store' | 'chains'>;

/** A tank's balance in wei, or why it is not known. */
export type TankBalance = { readonly wei: bigint } | { readonly fault: string };

/** The tank that pays for a DApp. All wei. */
export interface TankState {
  readonly balanceWei: bigint | null;
  /** Of this tank, for all DApps that share it; undefined where there is no tank. */
  readonly reservedWei?: bigint;
  /** What withdrawals under way take out of it. */
  readonly pendingWithdrawalsWei?: bigint;
  readonly freeWei: bigint | null;
  /** The most that the newest operation sponsored for the DApp could cost. */
  readonly operationWei?: bigint | undefined;
  /** Below this it is low; undefined where the balance is not known. */
  readonly lowBelowWei?: bigint;
  readonly level: 'good' | 'low' | 'empty' | 'unknown';
  /** Why the balance cannot be read, or why there is no tank. */
  readonly fault: string | null;
}

/** An expected failure in its own words. */
export const faultOf = (error: unknown): { fault: string } => {
  if (error instanceof EngineError || error instanceof RpcError) return { fault: error.message };
  throw error;
};

/** The tank of a DApp, or what is missing for one; how to mend that depends on where it is read. */
export const findTank = ({ store }: TankContext, paymaster: Paymaster): Promise<Tank | { fault: string }> =>
  requireTank(store, paymaster).catch((error: unknown) => {
    const { fault } = faultOf(error);
    const fix = error instanceof EngineError ? error.data['fix'] : undefined;
    return { fault: typeof fix === 'string' ? fault.replace(` ${fix}`, '') : fault };
  });

/** Asks the chain what a tank holds. */
export const readTankBalance = async ({ chains }: TankContext, tank: Tank): Promise<TankBalance> => {
  try {
    const rpc = await chains.rpc(tank.chainId);
    if (rpc === undefined) return { fault: `Unchecked: chain ${tank.chainId} has no RPC URL.` };
    return { wei: await readTank(rpc, tank) };
  } catch (error) {
    return faultOf(error);
  }
};

const newestCost = async ({ store }: TankContext, paymasterId: string): Promise<bigint | undefined> => {
  const [newest] = await store.listDecisions({ paymasterId, outcome: 'sponsored', limit: 1 });
  const cost = newest?.maxCostWei ?? null;
  return cost === null ? undefined : BigInt(cost);
};

/** What is in the tank, what is reserved, and whether that is enough. */
export const tankState = async (
  context: TankContext,
  { paymasterId }: Paymaster,
  tank: Tank | { fault: string },
  balanceOf: (tank: Tank) => Promise<TankBalance>,
): Promise<TankState> => {
  const unknown = { balanceWei: null, freeWei: null, level: 'unknown' } as const;
  if ('fault' in tank) return { ...unknown, fault: tank.fault };
  const balance = await balanceOf(tank);
  const balanceWei = 'fault' in balance ? 0n : balance.wei;
  const { reservedWei, pendingWithdrawalsWei, freeWei } = await readFree(context.store, tank, balanceWei);
  if ('fault' in balance) return { ...unknown, reservedWei, pendingWithdrawalsWei, fault: balance.fault };
  const operationWei = await newestCost(context, paymasterId);
  const { lowBalanceThresholdWei } = await context.store.dappPolicy(paymasterId);
  const lowBelowWei = enoughWei({ operationWei, lowBalanceThresholdWei });
  return {
    ...{ balanceWei: balance.wei, reservedWei, pendingWithdrawalsWei, freeWei, operationWei, lowBelowWei },
    ...{ level: tankLevel(freeWei, lowBelowWei), fault: null },
  };
};
