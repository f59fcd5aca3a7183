/** Layer 2 chains that charge a transaction for its data on layer 1, by how they say how much. */
export type Rollup = 'op-stack' | 'scroll' | 'arbitrum';

/** A chain Gasdesk knows without being told. */
export interface KnownChain {
  readonly name: string;
  readonly symbol: string;
  /** Absent where calldata costs its gas and nothing else, as on layer 1. */
  readonly rollup?: Rollup;
  /** Wei that one operation may cost where no node tells what the chain asks; absent: {@link UNCHECKED_COST_WEI}. */
  readonly uncheckedCostWei?: bigint;
}

const COIN = 10n ** 18n;

/** 0.1 of the native coin: what one operation may cost where no node tells what the chain asks. */
export const UNCHECKED_COST_WEI = COIN / 10n;
/** Gas is far cheaper there than on layer 1. */
const LAYER_2_WEI = COIN / 100n;

/** Chains in common ERC-4337 use, by chain id (EIP-155). Operators add others with `chain set`. */
export const knownChains: ReadonlyMap<number, KnownChain> = new Map([
  [1, { name: 'Ethereum', symbol: 'ETH' }],
  [10, { name: 'OP Mainnet', symbol: 'ETH', rollup: 'op-stack', uncheckedCostWei: LAYER_2_WEI }],
  [56, { name: 'BNB Smart Chain', symbol: 'BNB' }],
  [97, { name: 'BNB Smart Chain Testnet', symbol: 'tBNB' }],
  [100, { name: 'Gnosis', symbol: 'xDAI', uncheckedCostWei: 2n * COIN }],
  [137, { name: 'Polygon', symbol: 'POL', uncheckedCostWei: 5n * COIN }],
  [1101, { name: 'Polygon zkEVM', symbol: 'ETH', uncheckedCostWei: LAYER_2_WEI }],
  [8453, { name: 'Base', symbol: 'ETH', rollup: 'op-stack', uncheckedCostWei: LAYER_2_WEI }],
  [31337, { name: 'Local chain', symbol: 'ETH' }],
  [42161, { name: 'Arbitrum One', symbol: 'ETH', rollup: 'arbitrum', uncheckedCostWei: LAYER_2_WEI }],
  [42170, { name: 'Arbitrum Nova', symbol: 'ETH', rollup: 'arbitrum', uncheckedCostWei: LAYER_2_WEI }],
  [42220, { name: 'Celo', symbol: 'CELO', rollup: 'op-stack', uncheckedCostWei: 2n * COIN }],
  [43113, { name: 'Avalanche Fuji', symbol: 'AVAX', uncheckedCostWei: COIN / 2n }],
  [43114, { name: 'Avalanche', symbol: 'AVAX', uncheckedCostWei: COIN / 2n }],
  [59144, { name: 'Linea', symbol: 'ETH', uncheckedCostWei: LAYER_2_WEI }],
  [80002, { name: 'Polygon Amoy', symbol: 'POL', uncheckedCostWei: 5n * COIN }],
  [81457, { name: 'Blast', symbol: 'ETH', rollup: 'op-stack', uncheckedCostWei: LAYER_2_WEI }],
  [84532, { name: 'Base Sepolia', symbol: 'ETH', rollup: 'op-stack', uncheckedCostWei: LAYER_2_WEI }],
  [421614, { name: 'Arbitrum Sepolia', symbol: 'ETH', rollup: 'arbitrum', uncheckedCostWei: LAYER_2_WEI }],
  [534352, { name: 'Scroll', symbol: 'ETH', rollup: 'scroll', uncheckedCostWei: LAYER_2_WEI }],
  [11155111, { name: 'Sepolia', symbol: 'ETH' }],
  [11155420, { name: 'OP Sepolia', symbol: 'ETH', rollup: 'op-stack', uncheckedCostWei: LAYER_2_WEI }],
]);

/** What the coin of a chain is called. */
export const chainSymbol = (chainId: number, settings: { readonly symbol: string | null } | null | undefined): string =>
  settings?.symbol ?? knownChains.get(chainId)?.symbol ?? 'ETH';
