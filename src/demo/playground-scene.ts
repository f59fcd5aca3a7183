import type { Address } from '../shared/schema/hex.ts';

/** What the playground's page loads when it opens. */
export interface PlaygroundScene {
  readonly chainId: number;
  readonly chainUrl: string;
  readonly deskUrl: string;
  readonly consoleUrl: string;
  /** Opens the console of the demo's desk, which holds nothing of value. */
  readonly operatorToken: string;
  readonly contracts: { readonly entryPoint: Address; readonly accountFactory: Address; readonly gameItems: Address };
  /** Of the DApp that pays for its users. */
  readonly apiKey: string;
  /** The DApp whose users pay in a token. */
  readonly shop: { readonly apiKey: string; readonly paymaster: Address; readonly token: Address };
}

/** What the operator, or the DApp's backend, can do in the playground to have operations denied. */
export const switchNames = ['pause', 'tank', 'breaker', 'newAccounts', 'webhook', 'node'] as const;

export type SwitchName = (typeof switchNames)[number];

export interface PlaygroundState {
  /** Identifies the scene of this state: a reset of the playground makes a new one. */
  readonly deskUrl: string;
  /** The desk's time, epoch ms. */
  readonly now: number;
  readonly traffic: boolean;
  readonly on: readonly SwitchName[];
}
