/** Kinds of layer 2 chains that charge for layer 1 data. They differ in how they report the charge. */
export type Rollup = 'op-stack' | 'scroll' | 'arbitrum';

export interface KnownChain {
  readonly name: string;
  readonly symbol: string;
  /** Public block explorer (EIP-3091 addresses: `/tx/…`, `/block/…`). */
  readonly explorer?: string;
  /** Absent if the chain does not charge for layer 1 data. */
  readonly rollup?: Rollup;
  /**
   * Maximum cost of one operation unless the operator sets it, in wei. Default: {@link DEFAULT_MAX_OPERATION_COST_WEI}.
   */
  readonly defaultMaxOperationCostWei?: bigint;
}

const COIN = 10n ** 18n;

/** Default maximum cost of one operation: 0.1 of the native coin. Some chains have a different default. */
const DEFAULT_MAX_OPERATION_COST_WEI = COIN / 10n;
/** Default for layer 2 chains. It is lower, because gas is much cheaper there than on layer 1. */
const LAYER_2_WEI = COIN / 100n;

/** Chains in common ERC-4337 use, by chain id (EIP-155). Operators add others with `chain set`. */
export const knownChains: ReadonlyMap<number, KnownChain> = new Map([
  [1, { name: 'Ethereum', symbol: 'ETH', explorer: 'https://etherscan.io' }],
  [
    10,
    {
      name: 'OP Mainnet',
      symbol: 'ETH',
      explorer: 'https://optimistic.etherscan.io',
      rollup: 'op-stack',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [56, { name: 'BNB Smart Chain', symbol: 'BNB', explorer: 'https://bscscan.com' }],
  [97, { name: 'BNB Smart Chain Testnet', symbol: 'tBNB', explorer: 'https://testnet.bscscan.com' }],
  [100, { name: 'Gnosis', symbol: 'xDAI', explorer: 'https://gnosisscan.io', defaultMaxOperationCostWei: 2n * COIN }],
  [137, { name: 'Polygon', symbol: 'POL', explorer: 'https://polygonscan.com', defaultMaxOperationCostWei: 5n * COIN }],
  [
    1101,
    {
      name: 'Polygon zkEVM',
      symbol: 'ETH',
      explorer: 'https://zkevm.polygonscan.com',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [
    8453,
    {
      name: 'Base',
      symbol: 'ETH',
      explorer: 'https://basescan.org',
      rollup: 'op-stack',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [31337, { name: 'Local chain', symbol: 'ETH' }],
  [
    42161,
    {
      name: 'Arbitrum One',
      symbol: 'ETH',
      explorer: 'https://arbiscan.io',
      rollup: 'arbitrum',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [
    42170,
    {
      name: 'Arbitrum Nova',
      symbol: 'ETH',
      explorer: 'https://nova.arbiscan.io',
      rollup: 'arbitrum',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [
    42220,
    {
      name: 'Celo',
      symbol: 'CELO',
      explorer: 'https://celoscan.io',
      rollup: 'op-stack',
      defaultMaxOperationCostWei: 2n * COIN,
    },
  ],
  [
    43113,
    {
      name: 'Avalanche Fuji',
      symbol: 'AVAX',
      explorer: 'https://testnet.snowtrace.io',
      defaultMaxOperationCostWei: COIN / 2n,
    },
  ],
  [
    43114,
    { name: 'Avalanche', symbol: 'AVAX', explorer: 'https://snowtrace.io', defaultMaxOperationCostWei: COIN / 2n },
  ],
  [
    59144,
    { name: 'Linea', symbol: 'ETH', explorer: 'https://lineascan.build', defaultMaxOperationCostWei: LAYER_2_WEI },
  ],
  [
    80002,
    {
      name: 'Polygon Amoy',
      symbol: 'POL',
      explorer: 'https://amoy.polygonscan.com',
      defaultMaxOperationCostWei: 5n * COIN,
    },
  ],
  [
    81457,
    {
      name: 'Blast',
      symbol: 'ETH',
      explorer: 'https://blastscan.io',
      rollup: 'op-stack',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [
    84532,
    {
      name: 'Base Sepolia',
      symbol: 'ETH',
      explorer: 'https://sepolia.basescan.org',
      rollup: 'op-stack',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [
    421614,
    {
      name: 'Arbitrum Sepolia',
      symbol: 'ETH',
      explorer: 'https://sepolia.arbiscan.io',
      rollup: 'arbitrum',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [
    534352,
    {
      name: 'Scroll',
      symbol: 'ETH',
      explorer: 'https://scrollscan.com',
      rollup: 'scroll',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
  [11155111, { name: 'Sepolia', symbol: 'ETH', explorer: 'https://sepolia.etherscan.io' }],
  [
    11155420,
    {
      name: 'OP Sepolia',
      symbol: 'ETH',
      explorer: 'https://sepolia-optimism.etherscan.io',
      rollup: 'op-stack',
      defaultMaxOperationCostWei: LAYER_2_WEI,
    },
  ],
]);

export const chainSymbol = (chainId: number, settings: { readonly symbol: string | null } | null | undefined): string =>
  settings?.symbol ?? knownChains.get(chainId)?.symbol ?? 'ETH';

/** Maximum cost of one operation if the operator has not set one, in wei. No answer of a node can raise it. */
export const defaultMaxOperationCostWei = (chainId: number): bigint =>
  knownChains.get(chainId)?.defaultMaxOperationCostWei ?? DEFAULT_MAX_OPERATION_COST_WEI;
