import { authorization } from './authorization.ts';
import { burnRate } from './burn-rate/index.ts';
import { condition } from './condition/index.ts';
import { contracts } from './contracts.ts';
import { fees } from './fees.ts';
import { gas } from './gas.ts';
import { gasTank } from './gas-tank.ts';
import { identity } from './identity/index.ts';
import { pause } from './pause.ts';
import type { RuleKind, RuleType } from './rule.ts';
import { senders } from './senders/index.ts';
import { spendingLimit } from './spending-limit/index.ts';
import { tokenHolding } from './token-holding.ts';
import { tokenMode } from './token-mode.ts';
import { tokenPayment } from './token-payment.ts';
import { unreachable } from './unreachable.ts';
import { validity } from './validity.ts';
import { walletDeployment } from './wallet-deployment.ts';
import { webhook } from './webhook.ts';

/**
 * The rule kinds by type, in the order in which they are checked (behaviour 5.2). To add a kind, write its file and add
 * a line here.
 */
const kinds = {
  pause,
  tokenMode,
  gas,
  authorization,
  contracts,
  walletDeployment,
  senders,
  identity,
  condition,
  tokenHolding,
  validity,
  fees,
  spendingLimit,
  tokenPayment,
  gasTank,
  unreachable,
  webhook,
  burnRate,
};
type Kinds = typeof kinds;

export const ruleKinds: readonly RuleKind[] = Object.values(kinds);

/** The kinds that can deny, but of which operators cannot add rules. */
export type FixedKind = {
  [Type in keyof Kinds]: Kinds[Type] extends RuleType | RuleKind<never> ? never : Type;
}[keyof Kinds];
