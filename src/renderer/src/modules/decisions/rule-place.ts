/** Where an operator changes what a rule looks at. */
interface RulePlace {
  readonly path: string;
  /** What the link says. */
  readonly verb: string;
}

const PLACES: Readonly<Record<string, RulePlace>> = {
  contracts: { path: '/contracts', verb: 'Edit contracts' },
  walletDeployment: { path: '/rules', verb: 'Edit rules' },
  spendingLimit: { path: '/rules', verb: 'Edit rules' },
  webhook: { path: '/webhooks', verb: 'Open webhooks' },
  gasTank: { path: '/gas-tank', verb: 'Open gas tank' },
  tokenPayment: { path: '/tokens', verb: 'Edit tokens' },
  fees: { path: '/settings', verb: 'Open chain settings' },
  unreachable: { path: '/settings', verb: 'Open chain settings' },
  burnRate: { path: '/settings', verb: 'Open chain settings' },
};

/** The page where the operator changes what a kind of rule decides by; undefined where there is nothing to change. */
export const rulePlace = (rule: string | null): RulePlace | undefined => (rule === null ? undefined : PLACES[rule]);
