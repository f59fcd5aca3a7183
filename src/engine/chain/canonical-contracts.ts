import { Interface, ZeroHash, concat } from 'ethers';
import { entryPointAddress } from '../../shared/entry-points.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { loadArtifact } from './artifacts.ts';

/** The deterministic deployment proxy (https://github.com/Arachnid/deterministic-deployment-proxy). */
const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/**
 * Contracts that operations of EntryPoint v0.6 need on a chain. Public chains have both; a new development chain has
 * neither.
 */
export const canonicalContracts = {
  entryPoint: {
    title: 'EntryPoint v0.6',
    address: entryPointAddress['0.6'],
    artifact: 'EntryPoint',
    arguments: [],
  },
  accountFactory: {
    title: 'SimpleAccountFactory v0.6',
    address: '0x9406Cc6185a346906296840746125a0E44976454',
    artifact: 'SimpleAccountFactory',
    arguments: [entryPointAddress['0.6']],
  },
} as const;

export type CanonicalContract = keyof typeof canonicalContracts;

/** The call that creates a contract at its canonical address: by the deterministic deployer, with a salt of 0. */
export const canonicalCreation = async (name: CanonicalContract): Promise<{ to: Address; data: Hex }> => {
  const { artifact, arguments: values } = canonicalContracts[name];
  const { abi, bytecode } = await loadArtifact(artifact);
  return { to: CREATE2_DEPLOYER, data: concat([ZeroHash, bytecode, new Interface(abi).encodeDeploy(values)]) as Hex };
};
