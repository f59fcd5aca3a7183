import type { Store } from '../../store/store.ts';
import { isDeepStrictEqual } from 'node:util';
import { EngineError } from '../../../shared/errors.ts';
import type { GasScheduleReading } from '../../../shared/schema/gas-schedule.ts';
import type { Log } from '../../base/log.ts';
import type { ChainAccess } from '../chain-access.ts';
import { RpcError } from '../rpc.ts';
import { readGasSchedule } from './read-schedule.ts';

interface ScheduleSampling {
  readonly store: Pick<Store, 'listChains' | 'findChain' | 'saveGasSchedule'>;
  readonly chains: Pick<ChainAccess, 'rpc'>;
  readonly log: Log;
}

/** Undefined if no node answers. */
const readNow = async (
  { chains }: Pick<ScheduleSampling, 'chains'>,
  chainId: number,
): Promise<GasScheduleReading | undefined> => {
  try {
    const rpc = await chains.rpc(chainId);
    return rpc && (await readGasSchedule(rpc));
  } catch (error) {
    if (error instanceof RpcError || error instanceof EngineError) return undefined;
    throw error;
  }
};

/**
 * Asks a chain's node for its gas schedule, and stores what has changed, which the log records. If the node does not
 * answer, the last reading stays.
 */
export const sampleGasSchedule = async (
  context: Omit<ScheduleSampling, 'store'> & { readonly store: Pick<Store, 'findChain' | 'saveGasSchedule'> },
  chainId: number,
): Promise<void> => {
  const reading = await readNow(context, chainId);
  const before = (await context.store.findChain(chainId))?.gasScheduleReading ?? null;
  if (reading === undefined || isDeepStrictEqual(reading, before)) return;
  await context.store.saveGasSchedule(chainId, reading);
  if (before === null || before.name === reading.name) return;
  context.log.warn('chain.gasSchedule', { chainId, from: before.name, to: reading.name });
};

/** Asks the node of every chain that has one. */
export const createScheduleSamples = (context: ScheduleSampling) => async (): Promise<void> => {
  const chains = (await context.store.listChains()).filter(({ rpc }) => rpc !== null);
  await Promise.all(chains.map(({ chainId }) => sampleGasSchedule(context, chainId)));
};
