import { z } from 'zod';
import { type DenialRows, type Evidence, clockTime, duration, pastTime } from '../../shared/denials.ts';
import { type Address, addressKey, address } from '../../shared/schema/hex.ts';
import { decodeDeployment } from '../calls/decode-deployment.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import {
  type CheckResult,
  type RuleInput,
  type RuleType,
  type Setup,
  deny,
  pass,
  activeRulesOf,
  rulesOf,
  saidBy,
  skip,
} from './rule.ts';

/** Why a rule does not apply, and how to make it apply. */
const hindrances: Readonly<Record<string, (evidence: Evidence) => readonly [why: string, mended: string]>> = {
  PAUSED: ({ rule }) => [' while its rule is paused', `Resume the rule "${String(rule)}"`],
  SHADOW: ({ rule }) => [' while its rule is in shadow', `Enforce the rule "${String(rule)}" (enforcement: enforce)`],
  NOT_ACTIVE_YET: ({ rule, startsAt, now }) => [
    ' yet',
    `Wait until the rule "${String(rule)}" is active at ${clockTime(Number(startsAt))}, in ${duration(Number(startsAt) - Number(now))}`,
  ],
  NO_LONGER_ACTIVE: ({ rule, endedAt }) => [
    ' any more',
    `Give the rule "${String(rule)}" a later activeUntil than ${pastTime(Number(endedAt))}`,
  ],
  NOT_CONCERNED: ({ rule, when }) => [
    ' for this operation',
    `Send an operation that meets the condition of the rule "${String(rule)}": ${String(when)}`,
  ],
};

const denials = {
  WALLET_DEPLOYMENT_NOT_SPONSORED: (evidence) => {
    const hindrance = hindrances[String(evidence.because)];
    const [why, mended] = hindrance?.(evidence) ?? ['', 'Add a WALLET_DEPLOYMENT rule to the DApp'];
    return {
      message: `The operation deploys its account, which this DApp does not sponsor${why}.`,
      hint: `${mended}, or use an account that is already deployed.`,
    };
  },
  DEPLOYMENT_UNREADABLE: ({ factory, detail }) => ({
    message: `Gasdesk cannot read what else the deployment of the account by ${String(factory)} does. ${String(detail)}`,
    hint: `Deploy the account with the factory of an account type that Gasdesk knows, or add ${String(factory)} to the factories of the WALLET_DEPLOYMENT rule, which Gasdesk trusts without decoding their calls.`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

/** The part of a DApp's policy that concerns deployments. */
export interface DeploymentPolicy {
  /** Whether an active WALLET_DEPLOYMENT rule applies. */
  readonly allowed: boolean;
  /**
   * Why the first WALLET_DEPLOYMENT rule that could allow the deployment does not apply; undefined without such a rule.
   */
  readonly hindrance: Evidence | undefined;
  /**
   * Whether a WALLET_DEPLOYMENT rule is paused or does not apply to the operation. Even such a rule restricts
   * deployments.
   */
  readonly paused: boolean;
  /** Whether contracts are registered, so that the DApp restricts what it sponsors. */
  readonly restricted: boolean;
}

/**
 * A deployment is sponsored in two cases (behaviour 5.4): an active WALLET_DEPLOYMENT rule allows it, or the DApp
 * restricts nothing. A DApp restricts nothing if it has neither registered contracts nor any such rule. With registered
 * contracts, the deployment must also be decodable, so that the rule on contracts can check its calls.
 */
export const checkWalletDeployment = (
  { allowed, paused, restricted, hindrance }: DeploymentPolicy,
  deployment: RuleInput['deployment'],
): Result => {
  if (deployment === undefined) return skip('NO_DEPLOYMENT');
  if (!allowed && (restricted || paused)) return deny('WALLET_DEPLOYMENT_NOT_SPONSORED', { paused, ...hindrance });
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
  .describe('Factories and set-up contracts that Gasdesk trusts without decoding their calls');

interface DeploymentData {
  readonly factories?: readonly Address[] | undefined;
}

export const deploymentSetup: Setup<DeploymentData, DeploymentData & { operator: 'walletDeployment' }> = {
  policyType: 'WALLET_DEPLOYMENT',
  allows: 'operations that deploy their account are denied where contracts are registered',
  place: 3,
  sent: z.strictObject({ factories }),
  stored: z.strictObject({ operator: z.literal('walletDeployment'), factories }),
  keep: ({ factories: trusted }) => ({
    operator: 'walletDeployment',
    ...(trusted !== undefined && { factories: trusted.map(addressKey) }),
  }),
  sentence: ({ factories: trusted = [] }) =>
    `Operations that deploy their account are sponsored${trusted.length === 0 ? '' : `, also by ${trusted.join(', ')}, which Gasdesk trusts without reading`}.`,
  withoutRules: (isRestricted) =>
    isRestricted
      ? 'Deployment of new accounts is not sponsored.'
      : 'Deployment of new accounts is sponsored, since no contract is registered.',
  form: {
    opens: 'Sponsor deployments',
    title: 'Sponsor deployments',
    noun: 'rule',
    begins: (factory) => ({
      name: factory === '' ? 'New accounts' : `Accounts of ${factory}`,
      typed: { factories: factory },
    }),
    fields: () => ({
      factories: { label: 'Trusted factories', kind: 'addresses', default: '', optional: true, example: '0x… 0x…' },
    }),
    note: () =>
      'With this rule, Gasdesk sponsors operations that deploy their account, if no other rule denies them. Without it, a ' +
      'DApp with registered contracts denies them. Gasdesk also denies a deployment that it cannot read, unless you trust ' +
      'its factory.',
  },
};

/** The factories and set-up contracts that rules trust without decoding, in lower case. */
const factoriesOf = (rules: readonly { readonly policyData: DeploymentData }[]): ReadonlySet<Address> =>
  new Set(rules.flatMap(({ policyData }) => (policyData.factories ?? []).map(addressKey)));

const isShadow = ({ enforcement }: PolicyRule): boolean => enforcement === 'shadow';

/** The same for rules that are active and enforced. */
export const trustedFactories = ({ rules }: Policy): ReadonlySet<Address> =>
  factoriesOf(activeRulesOf(deploymentSetup, rules).filter((rule) => !isShadow(rule)));

const hindranceOf = ({ policy, idle, facts: { at: now } }: RuleInput): Evidence | undefined => {
  const mayBind = idle.find(({ rule }) => rule.policyType === deploymentSetup.policyType && !isShadow(rule));
  if (mayBind !== undefined) return { ...mayBind.result.evidence, because: mayBind.result.code, now };
  const rules = policy.rules.filter(({ policyType }) => policyType === deploymentSetup.policyType);
  const paused = rules.find((rule) => !rule.active && !isShadow(rule));
  const first = paused ?? rules[0];
  return first && { rule: first.name, because: first === paused ? 'PAUSED' : 'SHADOW' };
};

const checkBinding = (input: RuleInput): Result => {
  const { policy, deployment } = input;
  const binding = rulesOf(deploymentSetup, policy.rules).filter((rule) => !isShadow(rule));
  return checkWalletDeployment(
    {
      allowed: binding.some(({ active }) => active),
      paused: binding.some(({ active }) => !active),
      restricted: policy.contracts.length > 0,
      hindrance: hindranceOf(input),
    },
    deployment,
  );
};

/** The result of each shadow rule, as if it were the only rule that allows deployments. */
const checkShadows = ({ policy: { rules, contracts }, op: { sender }, deployment }: RuleInput) =>
  activeRulesOf(deploymentSetup, rules)
    .filter(isShadow)
    .map((rule) => {
      const decoding = deployment && decodeDeployment(deployment, sender, factoriesOf([rule]));
      const allowing = { allowed: true, paused: false, restricted: contracts.length > 0, hindrance: undefined };
      return saidBy(rule, checkWalletDeployment(allowing, deployment && decoding && { ...deployment, decoding }));
    });

/** Which deployments a DApp sponsors. */
export const walletDeployment: RuleType<keyof typeof denials> = {
  type: 'walletDeployment',
  title: 'Wallet deployment',
  isOfCalls: true,
  denials,
  setup: deploymentSetup,
  check: (input) => (input.payment === undefined ? [checkBinding(input), ...checkShadows(input)] : []),
};
