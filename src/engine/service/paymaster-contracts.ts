import { entryPoints } from '../../core/entry-points/registry.ts';
import { attachContract } from '../paymaster/attach.ts';
import { replacedWords } from '../paymaster/replaced-contract.ts';
import { layouts, requireAttachable } from '../../core/paymaster-layouts/registry.ts';
import { requireChain } from './chains.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

export const paymasterContractHandlers = (context: ServiceContext): Handlers<NamesOf<'paymasterContracts'>> => {
  const { store } = context;

  return {
    'paymasterContracts.use': async ({ chainId, version, address }) => {
      await requireChain(context, chainId);
      const layout = requireAttachable(version);
      const replaced = await replacedWords(context, chainId, layout, address);
      return { ...(await attachContract(context, chainId, layout, address)), replaced };
    },
    'paymasterContracts.versions': async () =>
      layouts.map(({ version, title, entryPointVersion, hasTanks, token, deployment }) => ({
        version,
        title,
        entryPointVersion,
        entryPoint: entryPoints[entryPointVersion].address,
        hasTanks,
        takesTokens: token !== undefined,
        deployable: deployment !== undefined,
      })),
    'paymasterContracts.list': () => store.listPaymasterContracts(),
  };
};
