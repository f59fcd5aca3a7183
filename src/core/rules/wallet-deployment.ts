import { z } from 'zod';
import type { DenialRows } from '../../shared/denials.ts';
import { type Address, addressKey, address } from '../../shared/schema/hex.ts';
import { decodeDeployment } from '../calls/decode-deployment.ts';
import type { Policy, PolicyRule } from '../policy.ts';
import {
  type CheckResult,
  type RuleInput,
  type RuleKind,
  type Setup,
  deny,
  pass,
  rulesOf,
  saidBy,
  skip,
} from './rule.ts';

const denials = {
  WALLET_DEPLOYMENT_NOT_SPONSORED: ({ paused }) => ({
    message: `The operation deploys its account, which this DApp does not sponsor${paused === true ? ' while its rule is paused' : ''}.`,
    hint: `${paused === true ? 'Activate the WALLET_DEPLOYMENT rule of the DApp again' : 'Add a WALLET_DEPLOYMENT rule to the DApp'}, or use an account that is already deployed.`,
  }),
  DEPLOYMENT_UNREADABLE: ({ factory, detail }) => ({
    message: `Gasdesk cannot read what else the deployment of the account by ${String(factory)} does. ${String(detail)}`,
    hint: `Deploy the account with the factory of an account type that Gasdesk knows, or add ${String(factory)} to the factories of the WALLET_DEPLOYMENT rule, which Gasdesk trusts without reading them.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** What a DApp has set up about deployments. */
export interface DeploymentPolicy {
  /** An active WALLET_DEPLOYMENT rule. */
  readonly allowed: boolean;
  /** A WALLET_DEPLOYMENT rule that is paused. */
  readonly paused: boolean;
  /** Contracts are registered: the DApp says what it sponsors. */
  readonly restricted: boolean;
}

/**
 * An operation that deploys its account passes if an active WALLET_DEPLOYMENT rule says so, or if the DApp restricts
 * nothing: it has neither registered contracts nor any such rule (behaviour 5.4). Where contracts are registered, what the
 * deployment does besides has to be known: the rule on contracts looks at it.
 */
export const checkWalletDeployment = (
  { allowed, paused, restricted }: DeploymentPolicy,
  deployment: RuleInput['deployment'],
): Result => {
  if (deployment === undefined) return skip('NO_DEPLOYMENT');
  if (!allowed && (restricted || paused)) return deny('WALLET_DEPLOYMENT_NOT_SPONSORED', { paused });
  const { factory, decoding } = deployment;
  if (restricted && decoding.outcome === 'undecodable') {
    return deny('DEPLOYMENT_UNREADABLE', { factory, detail: decoding.detail });
  }
  return pass(allowed ? 'DEPLOYMENT_ALLOWED' : 'DEPLOYMENT_UNRESTRICTED');
};

const factories = z
  .array(address)
  .max(100)
  .optional()
  .describe('Factories and set-up contracts that Gasdesk trusts without reading what they do');

interface DeploymentData {
  readonly factories?: readonly Address[] | undefined;
}

/** What operators set up of deployments. */
export const deploymentSetup: Setup<DeploymentData, DeploymentData & { operator: 'walletDeployment' }> = {
  policyType: 'WALLET_DEPLOYMENT',
  allows: true,
  place: 3,
  sent: z.strictObject({ factories }),
  kept: z.strictObject({ operator: z.literal('walletDeployment'), factories }),
  keep: ({ factories: trusted }) => ({
    operator: 'walletDeployment',
    ...(trusted !== undefined && { factories: trusted.map(addressKey) }),
  }),
  sentence: ({ factories: trusted = [] }) =>
    `Operations that deploy their account are sponsored${trusted.length === 0 ? '' : `, also by ${trusted.join(', ')} unread`}.`,
};

/** The factories, and code of their set-ups, that rules trust unread, lower case. */
const factoriesOf = (rules: readonly { readonly policyData: DeploymentData }[]): ReadonlySet<Address> =>
  new Set(rules.flatMap(({ policyData }) => (policyData.factories ?? []).map(addressKey)));

const isShadow = ({ enforcement }: PolicyRule): boolean => enforcement === 'shadow';

/** The factories, and code of their set-ups, that binding rules trust unread, lower case. */
export const trustedFactories = ({ rules }: Policy): ReadonlySet<Address> =>
  factoriesOf(rulesOf(deploymentSetup, rules).filter((rule) => rule.active && !isShadow(rule)));

const checkBinding = ({ policy: { rules, contracts }, deployment }: RuleInput): Result => {
  const binding = rulesOf(deploymentSetup, rules).filter((rule) => !isShadow(rule));
  return checkWalletDeployment(
    {
      allowed: binding.some(({ active }) => active),
      paused: binding.some(({ active }) => !active),
      restricted: contracts.length > 0,
    },
    deployment,
  );
};

/** What each rule in shadow would say if it alone allowed deployments. */
const checkShadows = ({ policy: { rules, contracts }, op: { sender }, deployment }: RuleInput) =>
  rulesOf(deploymentSetup, rules)
    .filter((rule) => rule.active && isShadow(rule))
    .map((rule) => {
      const decoding = deployment && decodeDeployment(deployment, sender, factoriesOf([rule]));
      const allowing = { allowed: true, paused: false, restricted: contracts.length > 0 };
      return saidBy(rule, checkWalletDeployment(allowing, deployment && decoding && { ...deployment, decoding }));
    });

/** What a DApp sponsors of deployments. */
export const walletDeployment: RuleKind<keyof typeof denials> = {
  type: 'walletDeployment',
  title: 'Wallet deployment',
  denials,
  setup: deploymentSetup,
  check: (input) => (input.payment === undefined ? [checkBinding(input), ...checkShadows(input)] : []),
};
