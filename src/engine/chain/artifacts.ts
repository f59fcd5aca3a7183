import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EntryPointArtifact } from '../../core/entry-points/entry-point.ts';
import type { DeployableContract } from '../../core/paymaster-layouts/layout.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { resourcesFolder } from '../base/resources-folder.ts';

/** The contracts whose artifacts the build creates (`scripts/build-contracts.ts`). */
export type ArtifactName =
  | DeployableContract
  | EntryPointArtifact
  | 'ERC20PresetFixedSupply'
  | 'ERC721PresetMinterPauserAutoId'
  | 'ERC1155PresetMinterPauser'
  | 'TankPaymasterV100'
  | 'ScrambledBundler'
  | 'GameItems'
  | 'Create2Deployer'
  | 'TellingAccount'
  | 'CallGasProbe'
  | 'PaymentProbe'
  | 'ValidationProbe'
  | 'HoldingsProbe'
  | 'LayerOneFees'
  | 'GasBurner'
  | 'TestToken'
  | 'DearToken'
  | 'TaxedToken'
  | 'HostileToken'
  | 'AttackerAccount'
  | 'AccountOfForm'
  | 'SmartAccount'
  | 'SoladyAccount'
  | 'SoladyExecutor'
  | 'OpenZeppelinExecutor'
  | 'OpenZeppelinAccount7579'
  | 'TestFeed';

export type AbiEntry = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Artifact {
  readonly name: ArtifactName;
  readonly abi: readonly AbiEntry[];
  /** Creation code without constructor arguments. */
  readonly bytecode: Hex;
  /** Code at the contract's address, with immutables still zero; `0x` if the package contains only creation code. */
  readonly deployedBytecode: Hex;
  /** Where the code comes from, as `npm package@version`. */
  readonly source: string;
}

/**
 * Reads an artifact. `folder` overrides its location, because the packaged app keeps its resources elsewhere.
 * @throws Error that names the build command, if the artifact is missing
 */
export const loadArtifact = async (
  name: ArtifactName,
  folder: string = join(resourcesFolder(), 'contracts'),
): Promise<Artifact> => {
  const file = join(folder, `${name}.json`);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`The contract artifact ${file} is missing: run npm run build:contracts`, { cause });
  });
  return JSON.parse(text) as Artifact;
};
