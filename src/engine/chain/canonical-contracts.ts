import { Interface, ZeroHash, concat } from 'ethers';
import { entryPoint06 } from '../../core/entry-points/0.6.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type ArtifactName, loadArtifact } from './artifacts.ts';

/** The deterministic deployment proxy (https://github.com/Arachnid/deterministic-deployment-proxy). */
export const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/**
 * Contracts that operations of EntryPoint v0.6 need on a chain. Public chains have both; a new development chain has
 * neither of them.
 */
export const canonicalContracts = {
  entryPoint: { title: 'EntryPoint v0.6', address: entryPoint06.address, artifact: 'EntryPoint', salt: ZeroHash },
  accountFactory: {
    title: 'SimpleAccountFactory v0.6',
    address: '0x9406Cc6185a346906296840746125a0E44976454',
    artifact: 'SimpleAccountFactory',
    salt: ZeroHash,
    arguments: [entryPoint06.address],
  },
} as const;

export type CanonicalContract = keyof typeof canonicalContracts;

/** A contract that the deterministic deployer creates. These values determine its address. */
interface Canonical {
  readonly artifact: ArtifactName;
  readonly salt: string;
  /** Arguments of the constructor. */
  readonly arguments?: readonly Address[];
}

/** The call to the deterministic deployer that creates a contract at its canonical address. */
export const canonicalCreation = async (contract: Canonical): Promise<{ to: Address; data: Hex }> => {
  const { artifact, salt, arguments: values = [] } = contract;
  const { abi, bytecode } = await loadArtifact(artifact);
  return { to: CREATE2_DEPLOYER, data: concat([salt, bytecode, new Interface(abi).encodeDeploy(values)]) as Hex };
};
