import { Contract, Interface, type Provider } from 'ethers';
import type { Address, Hex } from '../shared/schema/hex.ts';
import type { AccountCall } from './simple-account.ts';

export const gameItems = new Interface([
  'function mint(uint256 amount)',
  'function burn(uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
]);

interface GameWorld {
  readonly contracts: { readonly gameItems: Address };
}

export const gameCall = ({ contracts }: GameWorld, method: 'mint' | 'burn', amount: bigint): AccountCall => ({
  to: contracts.gameItems,
  data: gameItems.encodeFunctionData(method, [amount]) as Hex,
});

/** Number of items that an account owns on chain. */
export const itemsOf = async (
  { provider, contracts }: GameWorld & { readonly provider: Provider },
  owner: Address,
): Promise<bigint> => {
  const contract = new Contract(contracts.gameItems, gameItems, provider);
  return (await contract.getFunction('balanceOf')(owner)) as bigint;
};
