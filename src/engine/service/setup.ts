import { requireLayout } from '../../core/paymaster-layouts/registry.ts';
import { nodeRefusal, RpcError } from '../chain/rpc.ts';
import { requireNode } from '../chain/require-node.ts';
import { requireSigner } from '../signer/chain-signer.ts';
import { setupCosts } from '../transactions/setup-costs.ts';
import { requireDapp } from './dapps.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';
import { testOperation } from './test-operation.ts';

/** Procedures for the setup, from the first contract to the first sponsored operation. */
export const setupHandlers = (context: ServiceContext): Handlers<NamesOf<'setup'>> => {
  const asNode = async <T>(chainId: number, query: () => Promise<T>): Promise<T> => {
    try {
      return await query();
    } catch (error) {
      throw error instanceof RpcError ? nodeRefusal(chainId, error) : error;
    }
  };
  return {
    'setup.costs': async ({ paymasterId, from }) => {
      const { chainId, version } = await requireDapp(context, paymasterId);
      const signer = await requireSigner(context.store, chainId);
      const rpc = await requireNode(context.chains, chainId);
      return asNode(chainId, () => setupCosts(rpc, requireLayout(version), { owner: from, signer }));
    },
    'setup.testOperation': async ({ paymasterId }) => {
      const { chainId } = await requireDapp(context, paymasterId);
      return asNode(chainId, () => testOperation(context, paymasterId));
    },
  };
};
