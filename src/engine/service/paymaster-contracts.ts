import { entryPointAddress } from '../../shared/entry-points.ts';
import { deployPaymaster } from '../chain/deploy-paymaster.ts';
import { requireNode } from '../chain/require-node.ts';
import { attachContract } from '../paymaster/attach.ts';
import { layouts, requireAttachable } from '../paymaster/registry.ts';
import { addressOf, requireSigner } from '../signer/chain-signer.ts';
import { requireChain } from './chains.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Paymaster contracts on the operator's chains: deployed from here, or attached. */
export const paymasterContractHandlers = (context: ServiceContext): Handlers<NamesOf<'paymasterContracts'>> => {
  const { store, chains } = context;

  return {
    'paymasterContracts.deploy': async ({ chainId, version, privateKey }) => {
      await requireChain(context, chainId);
      const layout = requireAttachable(version);
      addressOf(privateKey);
      const rpc = await requireNode(chains, chainId);
      const signer = await requireSigner(store, chainId);
      const { address, transactionHash } = await deployPaymaster(rpc, { layout, signer, privateKey, chainId });
      return { ...(await attachContract(context, chainId, layout, address)), transactionHash };
    },
    'paymasterContracts.use': async ({ chainId, version, address }) => {
      await requireChain(context, chainId);
      return attachContract(context, chainId, requireAttachable(version), address);
    },
    'paymasterContracts.versions': async () =>
      layouts.map(({ version, title, entryPointVersion, hasTanks, token, deployment }) => ({
        version,
        title,
        entryPointVersion,
        entryPoint: entryPointAddress[entryPointVersion],
        hasTanks,
        takesTokens: token !== undefined,
        deployable: deployment !== undefined,
      })),
    'paymasterContracts.list': () => store.listPaymasterContracts(),
  };
};
