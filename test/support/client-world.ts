import { parseEther } from 'ethers';
import { type ToSimpleSmartAccountReturnType, toSimpleSmartAccount } from 'permissionless/accounts';
import { type HttpTransport, type PublicClient, createPublicClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { ENTRY_POINT_V06, contractAt, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type SponsoredDapp, type SponsoredWorld, gameCall } from './sponsored-world.ts';

/** A DApp as its clients and its operator see it. */
export interface ClientDapp extends SponsoredDapp {
  /** Where clients reach the desk. */
  readonly url: string;
  readonly paymaster: Address;
  /** What there is on chain to pay with: the tank, or the contract's deposit. Wei. */
  purse(): Promise<bigint>;
}

const PURSE_WEI = parseEther('1');

/** Registers DApps of the paymaster versions whose contracts the desk deploys, with 1 ether to pay with. */
export const clientDapps: Readonly<Record<string, (world: SponsoredWorld) => Promise<ClientDapp>>> = {
  '1.1.0': async (world) => {
    const { chain, engine, paymaster } = world;
    const made = await world.dapp(PURSE_WEI);
    const tanks = await contractAt('VerifyingSingletonPaymaster', paymaster, chain.provider);
    const purse = async (): Promise<bigint> => (await tanks.getFunction('getBalance')(made.fundingWallet)) as bigint;
    return { ...made, url: `${engine.url}/api/v2/${chain.chainId}/${made.apiKey}`, paymaster, purse };
  },
  'verifying-0.6': async ({ chain, engine, operator }) => {
    const { chainId, provider } = chain;
    const version = 'verifying-0.6';
    const deployment = { chainId, version, privateKey: operator.privateKey };
    const { address } = await engine.service.call('paymasterContracts.deploy', deployment);
    const paymaster = address;
    await fundDeposit(ENTRY_POINT_V06, paymaster, PURSE_WEI, operator);
    const entryPoint = await contractAt('EntryPoint', ENTRY_POINT_V06, provider);
    const made = await engine.dapp({ version });
    const purse = async (): Promise<bigint> => (await entryPoint.getFunction('balanceOf')(paymaster)) as bigint;
    return { ...made, url: `${engine.url}/api/v1/${chainId}/${made.apiKey}`, paymaster, purse };
  },
};

let salts = 1000n;

/** viem's client of the world's node, and a smart account that is not deployed yet and has no money. */
export interface ClientAccount {
  readonly client: PublicClient<HttpTransport, typeof foundry>;
  readonly account: ToSimpleSmartAccountReturnType<'0.6'>;
}

/** An account of its own for each test. */
export const newAccount = async ({ chain, contracts }: SponsoredWorld): Promise<ClientAccount> => {
  const client = createPublicClient({ chain: foundry, transport: http(chain.url) });
  const account = await toSimpleSmartAccount({
    client,
    owner: privateKeyToAccount(devWallet(3, chain.provider).privateKey as Hex),
    factoryAddress: contracts.accountFactory,
    entryPoint: { address: ENTRY_POINT_V06, version: '0.6' },
    index: (salts += 1n),
  });
  return { client, account };
};

/** What users of the sample DApp do. */
export const mintCall = ({ contracts }: SponsoredWorld): { to: Address; data: Hex } => ({
  to: contracts.gameItems,
  data: gameCall('mint'),
});
