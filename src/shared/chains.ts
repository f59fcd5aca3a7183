/** Layer 2 chains that charge a transaction for its data on layer 1, by how they say how much. */
export type Rollup = 'op-stack' | 'arbitrum';

/** A chain Gasdesk knows without being told. */
export interface KnownChain {
  readonly name: string;
  readonly symbol: string;
  readonly rollup?: Rollup;
  /** True where calldata costs its gas and nothing else, as on layer 1. */
  readonly dataIsGas?: true;
}

/** Chains in common ERC-4337 use, by chain id (EIP-155). Operators add others with `chain set`. */
export const knownChains: ReadonlyMap<number, KnownChain> = new Map([
  [1, { name: 'Ethereum', symbol: 'ETH', dataIsGas: true }],
  [10, { name: 'OP Mainnet', symbol: 'ETH', rollup: 'op-stack' }],
  [56, { name: 'BNB Smart Chain', symbol: 'BNB', dataIsGas: true }],
  [97, { name: 'BNB Smart Chain Testnet', symbol: 'tBNB', dataIsGas: true }],
  [100, { name: 'Gnosis', symbol: 'xDAI', dataIsGas: true }],
  [137, { name: 'Polygon', symbol: 'POL', dataIsGas: true }],
  [1101, { name: 'Polygon zkEVM', symbol: 'ETH' }],
  [8453, { name: 'Base', symbol: 'ETH', rollup: 'op-stack' }],
  [31337, { name: 'Local chain', symbol: 'ETH', dataIsGas: true }],
  [42161, { name: 'Arbitrum One', symbol: 'ETH', rollup: 'arbitrum' }],
  [42170, { name: 'Arbitrum Nova', symbol: 'ETH', rollup: 'arbitrum' }],
  [42220, { name: 'Celo', symbol: 'CELO', rollup: 'op-stack' }],
  [43113, { name: 'Avalanche Fuji', symbol: 'AVAX', dataIsGas: true }],
  [43114, { name: 'Avalanche', symbol: 'AVAX', dataIsGas: true }],
  [59144, { name: 'Linea', symbol: 'ETH' }],
  [80002, { name: 'Polygon Amoy', symbol: 'POL', dataIsGas: true }],
  [81457, { name: 'Blast', symbol: 'ETH', rollup: 'op-stack' }],
  [84532, { name: 'Base Sepolia', symbol: 'ETH', rollup: 'op-stack' }],
  [421614, { name: 'Arbitrum Sepolia', symbol: 'ETH', rollup: 'arbitrum' }],
  [534352, { name: 'Scroll', symbol: 'ETH' }],
  [11155111, { name: 'Sepolia', symbol: 'ETH', dataIsGas: true }],
  [11155420, { name: 'OP Sepolia', symbol: 'ETH', rollup: 'op-stack' }],
]);
