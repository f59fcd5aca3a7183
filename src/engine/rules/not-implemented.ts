import { type Rule, deny, pass } from './rule.ts';

/** A rule that is stored and active but has no enforcement yet. */
export interface UnenforcedRule {
  readonly name: string;
  readonly type: string;
}

/** A rule that is not enforced must not look enforced: while one is active, nothing is sponsored. */
export const notImplementedRule: Rule<readonly UnenforcedRule[], null> = {
  type: 'notImplemented',
  check(active) {
    const [first] = active;
    return first === undefined
      ? pass('ALL_RULES_ENFORCED')
      : deny('RULE_NOT_IMPLEMENTED', { name: first.name, type: first.type, rules: active.length });
  },
};
