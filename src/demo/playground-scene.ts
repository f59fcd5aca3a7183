import type { DecisionRecord } from '../shared/schema/decision.ts';
import type { Address } from '../shared/schema/hex.ts';

/** The data that the playground's page loads when it is opened. */
export interface PlaygroundScene {
  readonly chainId: number;
  readonly chainUrl: string;
  readonly deskUrl: string;
  readonly consoleUrl: string;
  /** Gives access to the console of the demo, which contains nothing of value. */
  readonly operatorToken: string;
  readonly contracts: { readonly entryPoint: Address; readonly accountFactory: Address; readonly gameItems: Address };
  /** API key of the DApp that pays for its users. */
  readonly apiKey: string;
  /** Where the gas tank of that DApp is: in this contract, under this wallet's address. */
  readonly tank: { readonly paymaster: Address; readonly owner: Address };
  /** The DApp whose users pay in a token. */
  readonly shop: { readonly apiKey: string; readonly paymaster: Address; readonly token: Address };
}

/** A voucher as the client sends it to Gasdesk. */
export interface SentVoucher {
  readonly subject: string;
  readonly expiresAt: number;
  readonly signature: string;
}

/** The policy id of operations that the DApp sends for a person who is signed in. */
export const PEOPLE = 'people';

/** Switches for the operator or the DApp's backend in the playground. Each of them causes operations to be denied. */
export const switchNames = ['pause', 'tank', 'breaker', 'newAccounts', 'webhook', 'node'] as const;

export type SwitchName = (typeof switchNames)[number];

export interface PlaygroundState {
  /** Identifies the scene that this state belongs to. Resetting the playground creates a new scene. */
  readonly deskUrl: string;
  /** Gasdesk's time, epoch ms. */
  readonly now: number;
  readonly traffic: boolean;
  readonly on: readonly SwitchName[];
}

/** A decision as the playground shows it. */
export interface DecisionWithFix {
  readonly decision: DecisionRecord;
  /** What the operation does, such as `mint(1) on GameItems`. */
  readonly calls: string;
  /** The text of the button with which the operator makes the same operation pass; null if no change of theirs does. */
  readonly fix: string | null;
}
