import { Contract, ContractFactory, HDNodeWallet, JsonRpcProvider, ZeroHash, concat } from 'ethers';
import type { Provider, Signer } from 'ethers';
import { loadArtifact } from '../engine/chain/artifacts.ts';
import type { ArtifactName } from '../engine/chain/artifacts.ts';
import { entryPointAddress } from '../shared/entry-points.ts';
import type { Address } from '../shared/schema/hex.ts';
import type { EntryPointVersion } from '../shared/schema/user-operation.ts';

/** The deterministic deployment proxy (https://github.com/Arachnid/deterministic-deployment-proxy); anvil has it. */
const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** Mnemonic of the public test keys that anvil funds. Everyone knows them: never send them real money. */
const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

/** The public test key number `index` (0 to 9 are funded with 10,000 ether), connected to `provider`. */
export const devWallet = (index: number, provider: Provider): HDNodeWallet =>
  HDNodeWallet.fromPhrase(DEV_MNEMONIC, undefined, `m/44'/60'/0'/0/${index}`).connect(provider);

/** A provider for a local chain. It caches nothing, since a transaction is mined the moment it arrives. */
export const localProvider = (url: string, chainId: number): JsonRpcProvider =>
  new JsonRpcProvider(url, chainId, { staticNetwork: true, cacheTimeout: -1, pollingInterval: 100 });

export const contractAt = async (name: ArtifactName, address: Address, runner: Signer | Provider): Promise<Contract> =>
  new Contract(address, (await loadArtifact(name)).abi, runner);

/** Deploys a contract of the build and waits until it is mined. @returns its address */
export const deployContract = async (name: ArtifactName, args: unknown[], deployer: Signer): Promise<Address> => {
  const { abi, bytecode } = await loadArtifact(name);
  const contract = await new ContractFactory(abi, bytecode, deployer).deploy(...args);
  await contract.waitForDeployment();
  return (await contract.getAddress()) as Address;
};

/** Artifacts and salts that put the npm packages' creation code at the canonical addresses. */
const ENTRY_POINTS = {
  '0.6': { artifact: 'EntryPoint', salt: ZeroHash },
  '0.7': {
    artifact: 'EntryPoint-0.7',
    salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
  },
  '0.8': {
    artifact: 'EntryPoint-0.8',
    salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
  },
} as const;

/**
 * Puts an EntryPoint at its canonical address, unless it is there, with the deterministic deployer, as on every chain.
 * Throws an Error if it lands elsewhere, or if `deployer` has no provider.
 */
export const deployEntryPoint = async (deployer: Signer, version: EntryPointVersion = '0.6'): Promise<Address> => {
  const { provider } = deployer;
  if (provider === null) throw new Error('The deployer is not connected to a chain');
  const address = entryPointAddress[version];
  const hasCode = async (): Promise<boolean> => (await provider.getCode(address)) !== '0x';
  if (await hasCode()) return address;
  const { artifact, salt } = ENTRY_POINTS[version];
  const { bytecode } = await loadArtifact(artifact);
  const sent = await deployer.sendTransaction({ to: CREATE2_DEPLOYER, data: concat([salt, bytecode]) });
  await sent.wait();
  if (!(await hasCode())) throw new Error(`EntryPoint v${version} did not land at ${address}`);
  return address;
};

export interface WorldContracts {
  readonly entryPoint: Address;
  /** SimpleAccountFactory of EntryPoint v0.6. */
  readonly accountFactory: Address;
  readonly gameItems: Address;
}

/** Deploys the EntryPoint, the account factory and the sample DApp on a fresh local chain. */
export const deployWorld = async (deployer: Signer): Promise<WorldContracts> => {
  const entryPoint = await deployEntryPoint(deployer);
  const accountFactory = await deployContract('SimpleAccountFactory', [entryPoint], deployer);
  const gameItems = await deployContract('GameItems', [], deployer);
  return { entryPoint, accountFactory, gameItems };
};

const sendTo = async (
  name: ArtifactName,
  at: Address,
  method: string,
  beneficiary: Address,
  value: bigint,
  from: Signer,
): Promise<void> => {
  const contract = await contractAt(name, at, from);
  const sent = await contract.getFunction(method).send(beneficiary, { value });
  await sent.wait();
};

/** Pays `wei` into the gas tank of `fundingWallet` in a VerifyingSingletonPaymaster; waits until mined. */
export const fundGasTank = (paymaster: Address, fundingWallet: Address, wei: bigint, from: Signer): Promise<void> =>
  sendTo('VerifyingSingletonPaymaster', paymaster, 'depositFor', fundingWallet, wei, from);

/** Pays `wei` into the deposit of `paymaster` in the EntryPoint; waits until mined. */
export const fundDeposit = (entryPoint: Address, paymaster: Address, wei: bigint, from: Signer): Promise<void> =>
  sendTo('EntryPoint', entryPoint, 'depositTo', paymaster, wei, from);
