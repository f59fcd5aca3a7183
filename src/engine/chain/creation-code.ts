import { Interface, concat } from 'ethers';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { AttachableLayout } from '../../core/paymaster-layouts/layout.ts';
import { loadArtifact } from './artifacts.ts';

/** Code and constructor arguments of a paymaster contract. @throws EngineError `NOT_DEPLOYABLE` */
export const creationCode = async (
  layout: AttachableLayout,
  wiring: { owner: Address; signer: Address },
): Promise<Hex> => {
  const { deployment, entryPointVersion, version } = layout;
  if (deployment === undefined)
    throw new EngineError(
      'NOT_DEPLOYABLE',
      `Gasdesk cannot deploy version ${version}. Attach a deployed contract instead`,
    );
  const { abi, bytecode } = await loadArtifact(deployment.artifact);
  const values = deployment.constructorArguments({ ...wiring, entryPoint: entryPoints[entryPointVersion].address });
  return concat([bytecode, new Interface([...abi]).encodeDeploy(values)]) as Hex;
};
