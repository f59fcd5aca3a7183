import { EngineError } from '../../shared/errors.ts';
import { tankLevel } from '../../shared/tank-level.ts';
import { readTank } from '../decision/chain-reads.ts';
import { readFree } from '../decision/free-balance.ts';
import { RpcError } from '../chain/rpc.ts';
import { type Tank, requireTank } from '../paymaster/readiness.ts';
import type { Paymaster } from '../store/store.ts';
import type { ServiceContext } from './service.ts';

/** What tanks are read from. */
export type TankContext = Pick<ServiceContext, 'store' | 'chains'>;

/** A tank's balance in wei, or why it is not known. */
export type TankBalance = { readonly wei: bigint } | { readonly fault: string };

/** The tank that pays for a DApp. All wei. */
export interface TankState {
  readonly balanceWei: bigint | null;
  /** Of this tank, for all DApps that share it; undefined where there is no tank. */
  readonly promisedWei?: bigint;
  /** What withdrawals under way take out of it. */
  readonly leavingWei?: bigint;
  readonly freeWei: bigint | null;
  /** The most that the newest operation sponsored for the DApp could cost. */
  readonly operationWei?: bigint | undefined;
  readonly level: 'good' | 'low' | 'empty' | 'unknown';
  /** Why the balance cannot be read, or why there is no tank. */
  readonly fault: string | null;
}

/** An expected failure in its own words. */
export const faultOf = (error: unknown): { fault: string } => {
  if (error instanceof EngineError || error instanceof RpcError) return { fault: error.message };
  throw error;
};

/** The tank of a DApp, or why it has none. */
export const findTank = ({ store }: TankContext, paymaster: Paymaster): Promise<Tank | { fault: string }> =>
  requireTank(store, paymaster).catch(faultOf);

/** Asks the chain what a tank holds. */
export const readTankBalance = async ({ chains }: TankContext, tank: Tank): Promise<TankBalance> => {
  try {
    const rpc = await chains.rpc(tank.chainId);
    if (rpc === undefined) return { fault: `Chain ${tank.chainId} has no RPC URL.` };
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

/** What is in the tank, what is promised, and whether that is enough. */
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
  const { promisedWei, leavingWei, freeWei } = await readFree(context.store, tank, balanceWei);
  if ('fault' in balance) return { ...unknown, promisedWei, leavingWei, fault: balance.fault };
  const operationWei = await newestCost(context, paymasterId);
  const { lowTankWei: lowWei } = await context.store.dappPolicy(paymasterId);
  const level = tankLevel(freeWei, { operationWei, lowWei });
  return { balanceWei: balance.wei, promisedWei, leavingWei, freeWei, operationWei, level, fault: null };
};
