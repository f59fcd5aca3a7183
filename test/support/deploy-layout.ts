import type { Signer } from 'ethers';
import { deployContract } from '../../src/demo/world-contracts.ts';
import type { PaymasterLayout } from '../../src/core/paymaster-layouts/layout.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address } from '../../src/shared/schema/hex.ts';

/** Deploys the paymaster contract of a layout, which accepts the signatures of `signer`; `owner` pays and owns it. */
export const deployLayout = async (
  { version, entryPointVersion, deployment }: PaymasterLayout,
  signer: string,
  owner: Signer,
): Promise<Address> => {
  if (deployment === undefined) throw new Error(`no package brings the contract of ${version}`);
  const wiring = {
    owner: (await owner.getAddress()) as Address,
    entryPoint: entryPoints[entryPointVersion].address,
    signer: signer as Address,
  };
  return deployContract(deployment.artifact, [...deployment.constructorArguments(wiring)], owner);
};
