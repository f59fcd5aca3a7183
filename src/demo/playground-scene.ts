import type { Address } from '../shared/schema/hex.ts';

/** What the playground's page is told when it opens. */
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

/** What the operator, or the DApp's backend, may do in the playground so that operations are denied. */
export const switchNames = ['pause', 'tank', 'breaker', 'newAccounts', 'webhook', 'node'] as const;

/** Name of a switch. */
export type SwitchName = (typeof switchNames)[number];

/** What visitors change. */
export interface PlaygroundState {
  /** Of the scene that this is the state of: another one begins when somebody resets the playground. */
  readonly deskUrl: string;
  /** The desk's time, epoch ms. */
  readonly now: number;
  readonly traffic: boolean;
  /** The switches that are on. */
  readonly on: readonly SwitchName[];
}
