import { ContractFactory, JsonRpcProvider, Wallet, isError } from 'ethers';
import { entryPointAddress } from '../../shared/entry-points.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { AttachableLayout } from '../paymaster/layout.ts';
import { loadArtifact } from './artifacts.ts';
import type { RpcClient } from './rpc.ts';

/** What is deployed, for whom, and who pays for it. */
export interface PaymasterDeployment {
  readonly chainId: number;
  readonly layout: AttachableLayout;
  /** Address whose signatures the contract is to accept. */
  readonly signer: Address;
  /** Key that pays for the transaction and owns the contract. */
  readonly privateKey: string;
}

/** Where ethers has no word of its own for what the node answered, it says only that it could not "coalesce" it. */
const detailOf = (error: unknown): string => {
  const answered = isError(error, 'UNKNOWN_ERROR') ? error.error?.message : undefined;
  if (answered !== undefined) return answered;
  return error instanceof Error && 'shortMessage' in error ? String(error.shortMessage) : String(error);
};

/**
 * Deploys a paymaster contract and waits until it is mined.
 *
 * @throws EngineError `NOT_DEPLOYABLE`, or `CHAIN_UNREACHABLE` with what the node said
 */
export const deployPaymaster = async (
  rpc: RpcClient,
  { chainId, layout, signer, privateKey }: PaymasterDeployment,
): Promise<{ address: Address; transactionHash: string }> => {
  const { deployment, entryPointVersion } = layout;
  if (deployment === undefined)
    throw new EngineError('NOT_DEPLOYABLE', `Version ${layout.version} can only be attached`);
  const { abi, bytecode } = await loadArtifact(deployment.artifact);
  // A node that cannot be reached or is of another chain is told as such, before anything is signed.
  await rpc.send('eth_chainId', []);
  const provider = new JsonRpcProvider(rpc.url, chainId, { staticNetwork: true, cacheTimeout: -1 });
  try {
    const owner = new Wallet(privateKey, provider);
    const wiring = {
      owner: owner.address as Address,
      entryPoint: entryPointAddress[entryPointVersion],
      signer,
    };
    const factory = new ContractFactory([...abi], bytecode, owner);
    const contract = await factory.deploy(...deployment.constructorArguments(wiring));
    await contract.waitForDeployment();
    const transactionHash = contract.deploymentTransaction()?.hash ?? '';
    return { address: (await contract.getAddress()) as Address, transactionHash };
  } catch (error) {
    throw new EngineError('CHAIN_UNREACHABLE', `The deployment failed: ${detailOf(error)}`, {}, { cause: error });
  } finally {
    provider.destroy();
  }
};
