import type { Store } from '../../store/store.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { ChainAccess } from '../chain-access.ts';
import { RpcError } from '../rpc.ts';
import type { BelievedFees } from './believed-fees.ts';
import { readFees } from './read-fees.ts';

export interface FeeSampling {
  readonly store: Pick<Store, 'listChains'>;
  readonly chains: Pick<ChainAccess, 'rpc'>;
  readonly fees: Pick<BelievedFees, 'believe'>;
}

/** Records the fees that a chain's node currently reports. An unreachable node adds nothing. */
export const sampleFees = async ({ chains, fees }: Omit<FeeSampling, 'store'>, chainId: number): Promise<void> => {
  try {
    const rpc = await chains.rpc(chainId);
    if (rpc !== undefined) await fees.believe(chainId, await readFees(rpc));
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof EngineError)) throw error;
  }
};

/** Interval of regular readings, so that those who send requests cannot choose the time of every reading. */
export const SAMPLE_MS = 600_000;

/** Reads the fees of every chain that has a node. */
export const createFeeSamples = (context: FeeSampling) => async (): Promise<void> => {
  const chains = (await context.store.listChains()).filter(({ rpc }) => rpc !== null);
  await Promise.all(chains.map(({ chainId }) => sampleFees(context, chainId)));
};
