import { Contract, Interface, type Provider } from 'ethers';
import type { PlaygroundScene } from '../demo/playground-scene.ts';

const paymaster = new Interface(['function getBalance(address owner) view returns (uint256)']);

/** The balance of a gas tank in wei, from the chain. */
export const tankBalance = async (
  { paymaster: address, owner }: PlaygroundScene['tank'],
  provider: Provider,
): Promise<bigint> => (await new Contract(address, paymaster, provider).getFunction('getBalance')(owner)) as bigint;
