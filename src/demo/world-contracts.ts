import { Contract, ContractFactory, HDNodeWallet, Interface, JsonRpcProvider, concat } from 'ethers';
import type { Provider, Signer } from 'ethers';
import { entryPoint06 } from '../core/entry-points/0.6.ts';
import { entryPoints } from '../core/entry-points/registry.ts';
import { loadArtifact } from '../engine/chain/artifacts.ts';
import type { ArtifactName } from '../engine/chain/artifacts.ts';
import { canonicalCreation } from '../engine/chain/canonical-contracts.ts';
import type { Address } from '../shared/schema/hex.ts';
import type { EntryPointVersion } from '../shared/schema/user-operation.ts';

/** Mnemonic of the public test keys that anvil funds. Everyone knows these keys, so never send them real money. */
const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

/** The public test key with this index, connected to `provider`. Keys 0 to 9 are funded with 10,000 ether. */
export const devWallet = (index: number, provider: Provider): HDNodeWallet =>
  HDNodeWallet.fromPhrase(DEV_MNEMONIC, undefined, `m/44'/60'/0'/0/${index}`).connect(provider);

/** A provider for a local chain. It caches nothing, because a transaction is mined as soon as it arrives. */
export const localProvider = (url: string, chainId: number): JsonRpcProvider =>
  new JsonRpcProvider(url, chainId, { staticNetwork: true, batchStallTime: 0, cacheTimeout: -1, pollingInterval: 100 });

export const contractAt = async (name: ArtifactName, address: Address, runner: Signer | Provider): Promise<Contract> =>
  new Contract(address, (await loadArtifact(name)).abi, runner);

/** Deploys a contract from the build, and waits until it is mined. @returns its address */
export const deployContract = async (name: ArtifactName, args: unknown[], deployer: Signer): Promise<Address> => {
  const { abi, bytecode } = await loadArtifact(name);
  const contract = await new ContractFactory(abi, bytecode, deployer).deploy(...args);
  await contract.waitForDeployment();
  return (await contract.getAddress()) as Address;
};

/**
 * Runs a contract's constructor at an address, unless the address has code. The chain must let accounts be given code, as
 * Hardhat does, and anvil, which knows its methods. Throws an Error if `deployer` has no such chain.
 */
export const constructAt = async (
  address: Address,
  { artifact, args = [] }: { readonly artifact: ArtifactName; readonly args?: readonly unknown[] },
  deployer: Signer,
): Promise<void> => {
  const { provider: node } = deployer;
  if (!(node instanceof JsonRpcProvider)) throw new Error('The deployer is not connected to a local chain');
  if ((await node.getCode(address)) !== '0x') return;
  const { abi, bytecode } = await loadArtifact(artifact);
  // The nonce of a contract that has created nothing yet: the addresses of contracts that it creates follow from it.
  await node.send('hardhat_setNonce', [address, '0x1']);
  await node.send('hardhat_setCode', [address, concat([bytecode, new Interface(abi).encodeDeploy(args)])]);
  const code: unknown = await node.send('eth_call', [{ to: address }, 'latest']);
  await (await deployer.sendTransaction({ to: address, gasLimit: 10_000_000n })).wait();
  await node.send('hardhat_setCode', [address, code]);
};

/**
 * Deploys an EntryPoint at its canonical address on a local chain, unless it is already there. Throws an Error if it is
 * deployed elsewhere, or if `deployer` has no provider.
 */
export const deployEntryPoint = async (
  deployer: Signer,
  version: EntryPointVersion = entryPoint06.version,
): Promise<Address> => {
  const { provider } = deployer;
  if (provider === null) throw new Error('The deployer is not connected to a chain');
  const { address, deployment } = entryPoints[version];
  const hasCode = async (): Promise<boolean> => (await provider.getCode(address)) !== '0x';
  if (await hasCode()) return address;
  const { artifact, salt } = deployment;
  if (salt === undefined) await constructAt(address, { artifact }, deployer);
  else await (await deployer.sendTransaction(await canonicalCreation({ artifact, salt }))).wait();
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

/**
 * Pays `wei` into the gas tank of `fundingWallet` in a VerifyingSingletonPaymaster, and waits until the payment is
 * mined.
 */
export const fundGasTank = (paymaster: Address, fundingWallet: Address, wei: bigint, from: Signer): Promise<void> =>
  sendTo('VerifyingSingletonPaymaster', paymaster, 'depositFor', fundingWallet, wei, from);

/** Pays `wei` into the deposit of `paymaster` at the EntryPoint, and waits until the payment is mined. */
export const fundDeposit = (entryPoint: Address, paymaster: Address, wei: bigint, from: Signer): Promise<void> =>
  sendTo('EntryPoint', entryPoint, 'depositTo', paymaster, wei, from);
