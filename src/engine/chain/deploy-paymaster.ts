import { Interface, JsonRpcProvider, Wallet, concat, isError } from 'ethers';
import { entryPointAddress } from '../../shared/entry-points.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
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

/** What creates a paymaster contract: its code and its constructor's arguments. @throws EngineError `NOT_DEPLOYABLE` */
export const creationCode = async (
  layout: AttachableLayout,
  wiring: { owner: Address; signer: Address },
): Promise<Hex> => {
  const { deployment, entryPointVersion, version } = layout;
  if (deployment === undefined) throw new EngineError('NOT_DEPLOYABLE', `Version ${version} can only be attached`);
  const { abi, bytecode } = await loadArtifact(deployment.artifact);
  const values = deployment.constructorArguments({ ...wiring, entryPoint: entryPointAddress[entryPointVersion] });
  return concat([bytecode, new Interface([...abi]).encodeDeploy(values)]) as Hex;
};

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
  const owner = new Wallet(privateKey);
  const data = await creationCode(layout, { owner: owner.address as Address, signer });
  // A node that cannot be reached or is of another chain is told as such, before anything is signed.
  await rpc.send('eth_chainId', []);
  const provider = new JsonRpcProvider(rpc.url, chainId, { staticNetwork: true, cacheTimeout: -1 });
  try {
    const sent = await owner.connect(provider).sendTransaction({ data });
    const receipt = await sent.wait();
    const address = receipt?.contractAddress;
    if (typeof address !== 'string') throw new Error('no contract came of it');
    return { address: address as Address, transactionHash: sent.hash };
  } catch (error) {
    throw new EngineError('CHAIN_UNREACHABLE', `The deployment failed: ${detailOf(error)}`, {}, { cause: error });
  } finally {
    provider.destroy();
  }
};
