import { parseEther } from 'ethers';
import { toSimpleSmartAccount } from 'permissionless/accounts';
import { type HttpTransport, type PublicClient, createPublicClient, http } from 'viem';
import type { SmartAccount } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import {
  contractAt,
  deployContract,
  deployEntryPoint,
  devWallet,
  fundDeposit,
} from '../../src/demo/world-contracts.ts';
import { requireLayout } from '../../src/core/paymaster-layouts/registry.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';
import { accountFactories } from './entry-point-world.ts';
import { gameCall } from './operations.ts';
import type { SponsoredDapp } from './engine.ts';
import type { SponsoredWorld } from './sponsored-world.ts';

export interface ClientDapp extends SponsoredDapp {
  readonly url: string;
  readonly paymaster: Address;
  readonly entryPoint: { readonly address: Address; readonly version: EntryPointVersion };
  /** Balance on chain that pays for the DApp, in wei: the tank, or the contract's deposit. */
  tankBalance(): Promise<bigint>;
}

const PURSE_WEI = parseEther('1');

const tankDapp = async (world: SponsoredWorld): Promise<ClientDapp> => {
  const { chain, engine, paymaster } = world;
  const dapp = await world.dapp(PURSE_WEI);
  const tanks = await contractAt('VerifyingSingletonPaymaster', paymaster, chain.provider);
  return {
    ...dapp,
    url: `${engine.url}/api/v2/${chain.chainId}/${dapp.apiKey}`,
    paymaster,
    entryPoint: { address: entryPoints['0.6'].address, version: '0.6' },
    tankBalance: async () => (await tanks.getFunction('getBalance')(dapp.fundingWallet)) as bigint,
  };
};

/**
 * Registers a DApp of any version, with 1 ether to pay with. For other versions than 1.1.0 the desk deploys the
 * contract.
 */
export const clientDapp = async (world: SponsoredWorld, version: string): Promise<ClientDapp> => {
  if (version === '1.1.0') return tankDapp(world);
  const { chain, engine, operator } = world;
  const { chainId, provider } = chain;
  const { entryPointVersion } = requireLayout(version);
  const entryPoint = await deployEntryPoint(operator, entryPointVersion);
  const paymaster = await attachNewContract(engine.service, operator, { chainId, version });
  await fundDeposit(entryPoint, paymaster, PURSE_WEI, operator);
  const deposits = await contractAt('EntryPoint', entryPoint, provider);
  const dapp = await engine.dapp({ version, chainId });
  return {
    ...dapp,
    url: `${engine.url}/api/v1/${chainId}/${dapp.apiKey}`,
    paymaster,
    entryPoint: { address: entryPoint, version: entryPointVersion },
    tankBalance: async () => (await deposits.getFunction('balanceOf')(paymaster)) as bigint,
  };
};

/** viem's client of the world's node, and a smart account that is not deployed yet and has no money. */
export interface ClientAccount {
  readonly client: PublicClient<HttpTransport, typeof foundry>;
  readonly account: SmartAccount;
}

/** The first account of a factory of its own, which a test may take for the DApp's next user. */
export const newAccount = async (
  { chain, operator }: SponsoredWorld,
  { entryPoint }: Pick<ClientDapp, 'entryPoint'>,
): Promise<ClientAccount> => {
  const client = createPublicClient({ chain: foundry, transport: http(chain.url) });
  const factoryAddress = await deployContract(accountFactories[entryPoint.version], [entryPoint.address], operator);
  const owner = privateKeyToAccount(devWallet(3, chain.provider).privateKey as Hex);
  const account = await toSimpleSmartAccount({ client, owner, factoryAddress, entryPoint });
  return { client, account: account as SmartAccount };
};

export const mintCall = ({ contracts }: SponsoredWorld): { to: Address; data: Hex } => ({
  to: contracts.gameItems,
  data: gameCall('mint'),
});
