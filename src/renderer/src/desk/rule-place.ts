import type { RouteLocationRaw } from 'vue-router';
import { ruleTypes } from '../../../core/decision/rule-words.ts';
import type { FixedKind } from '../../../core/rules/registry.ts';
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

type PlaceOf = (paymasterId: string, rule: string) => RulePlace;

/**
 * Checks to which operators cannot add rules. Undefined if a check depends only on the operation, so that it has no
 * settings.
 */
const FIXED: Readonly<Record<FixedKind, PlaceOf | undefined>> = {
  pause: inPolicy('Open the switch'),
  tokenMode: (paymasterId) => ({ to: dappPlace(paymasterId, 'connect'), verb: 'Open token mode' }),
  contracts: inPolicy('Edit contracts'),
  validity: undefined,
  fees: elsewhere('/settings', 'Open chain settings'),
  tokenPayment: elsewhere('/tokens', 'Edit tokens'),
  gasTank: (paymasterId) => ({ to: dappPlace(paymasterId, 'tank'), verb: 'Open gas tank' }),
  unreachable: elsewhere('/settings', 'Open chain settings'),
  burnRate: elsewhere('/settings', 'Open chain settings'),
};

/**
 * Kinds of rules whose settings are on a separate page, or whose link has its own text. All others are edited in the
 * list of rules.
 */
const RULES: Readonly<Record<string, PlaceOf>> = {
  spendingLimit: inPolicy('Edit limits'),
  webhook: (paymasterId) => ({ to: dappPlace(paymasterId, 'webhooks'), verb: 'Open webhooks' }),
};

const isFixed = (rule: string): rule is FixedKind => Object.hasOwn(FIXED, rule);
const isKind = (rule: string): boolean => ruleTypes.some(({ type }) => type === rule);

const placeOf = (rule: string): PlaceOf | undefined => {
  if (isFixed(rule)) return FIXED[rule];
  return isKind(rule) ? (RULES[rule] ?? inPolicy('Edit rules')) : undefined;
};

/** Where the operator changes the settings of a kind of rule; undefined if it has no settings. */
export const rulePlace = (rule: string | null, paymasterId: string): RulePlace | undefined =>
  rule === null ? undefined : placeOf(rule)?.(paymasterId, rule);
