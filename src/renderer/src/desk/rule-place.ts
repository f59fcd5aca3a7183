import type { RouteLocationRaw } from 'vue-router';
import { dappPlace } from './dapp-place.ts';

export interface RulePlace {
  readonly to: RouteLocationRaw;
  /** The link's text. */
  readonly verb: string;
}

const inPolicy =
  (verb: string) =>
  (paymasterId: string, rule: string): RulePlace => ({ to: dappPlace(paymasterId, 'policy', { at: rule }), verb });
const elsewhere = (to: string, verb: string) => (): RulePlace => ({ to, verb });

const PLACES: Readonly<Record<string, (paymasterId: string, rule: string) => RulePlace>> = {
  pause: inPolicy('Open the switch'),
  tokenMode: (paymasterId) => ({ to: dappPlace(paymasterId, 'connect'), verb: 'Open token mode' }),
  contracts: inPolicy('Edit contracts'),
  walletDeployment: inPolicy('Edit rules'),
  spendingLimit: inPolicy('Edit limits'),
  webhook: (paymasterId) => ({ to: dappPlace(paymasterId, 'webhooks'), verb: 'Open webhooks' }),
  gasTank: (paymasterId) => ({ to: dappPlace(paymasterId, 'tank'), verb: 'Open gas tank' }),
  tokenPayment: elsewhere('/tokens', 'Edit tokens'),
  fees: elsewhere('/settings', 'Open chain settings'),
  unreachable: elsewhere('/settings', 'Open chain settings'),
  burnRate: elsewhere('/settings', 'Open chain settings'),
};

/** Where the operator changes the settings of a kind of rule; undefined if it has none. */
export const rulePlace = (rule: string | null, paymasterId: string): RulePlace | undefined =>
  rule === null ? undefined : PLACES[rule]?.(paymasterId, rule);
