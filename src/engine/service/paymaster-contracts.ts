import { entryPointAddress } from '../../shared/entry-points.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { deployPaymaster } from '../chain/deploy-paymaster.ts';
import type { RpcClient } from '../chain/rpc.ts';
import { requireAgreement } from '../paymaster/agreement.ts';
import type { AttachableLayout } from '../paymaster/layout.ts';
import { findAttachable, layouts } from '../paymaster/registry.ts';
import { addressOf } from '../signer/chain-signer.ts';
import type { PaymasterContract } from '../store/store.ts';
import { requireChain } from './chains.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const requireLayout = (version: string): AttachableLayout => {
  const layout = findAttachable(version);
  if (layout === undefined) throw new EngineError('VERSION_NOT_SUPPORTED');
  return layout;
};

/** Paymaster contracts on the operator's chains: deployed from here, or attached. */
export const paymasterContractHandlers = (context: ServiceContext): Handlers<NamesOf<'paymasterContracts'>> => {
  const { store, chains } = context;

  const requireRpc = async (chainId: number): Promise<RpcClient> => {
    const rpc = await chains.rpc(chainId);
    if (rpc !== undefined) return rpc;
    throw new EngineError(
      'RPC_MISSING',
      `Chain ${chainId} has no RPC URL. Run "gasdesk chain set ${chainId} --rpc URL".`,
    );
  };

  const requireSigner = async (chainId: number): Promise<Address> => {
    const signer = await store.findSigner(chainId);
    if (signer !== undefined) return signer.address;
    throw new EngineError(
      'SIGNER_MISSING',
      `Chain ${chainId} has no signer. Run "gasdesk signer create --chain ${chainId}".`,
    );
  };

  const attach = async (chainId: number, layout: AttachableLayout, address: Address): Promise<PaymasterContract> => {
    const rpc = await chains.rpc(chainId);
    const signer = await store.findSigner(chainId);
    const checked = rpc !== undefined && signer !== undefined;
    if (checked) await requireAgreement(rpc, { chainId, layout, contract: address, signer: signer.address });
    const contract: PaymasterContract = { chainId, version: layout.version, address, checked };
    await store.savePaymasterContract(contract);
    return contract;
  };

  return {
    'paymasterContracts.deploy': async ({ chainId, version, privateKey }) => {
      await requireChain(context, chainId);
      const layout = requireLayout(version);
      addressOf(privateKey);
      const rpc = await requireRpc(chainId);
      const signer = await requireSigner(chainId);
      const { address, transactionHash } = await deployPaymaster(rpc, { layout, signer, privateKey, chainId });
      return { ...(await attach(chainId, layout, address)), transactionHash };
    },
    'paymasterContracts.use': async ({ chainId, version, address }) => {
      await requireChain(context, chainId);
      return attach(chainId, requireLayout(version), address);
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
