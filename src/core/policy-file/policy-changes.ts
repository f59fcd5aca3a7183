import canonicalize from 'canonicalize';
import { chainSymbol } from '../../shared/chains.ts';
import { weiToDecimal } from '../../shared/schema/decimal.ts';
import { spanWords } from '../../shared/words/span.ts';
import type { Policy, PolicyContract, PolicyRule, PolicyWebhook } from '../policy/policy.ts';
import { bindingSentences } from '../rules/binding.ts';
import { isRuleType, ruleTypeOf } from '../decision/rule-words.ts';
import { sentData } from './rule-data.ts';

/** A difference between two policies of a DApp, described in words. */
export interface PolicyChange {
  readonly change: 'added' | 'changed' | 'removed';
  /** For display, with names instead of ids: `contract Items: methods mint → mint, burn`. */
  readonly text: string;
}

const isSame = (one: unknown, other: unknown): boolean => canonicalize(one) === canonicalize(other);

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

const coinOf = ({ dapp, chain }: Policy): string => chainSymbol(dapp.chainId, chain);

const changed = (one: unknown, other: unknown, what: string): string[] =>
  isSame(one, other) ? [] : [`${what} ${String(one)} → ${String(other)}`.trimStart()];

const switched = (one: { active: boolean }, other: { active: boolean }): string[] => {
  if (one.active === other.active) return [];
  return [other.active ? 'no longer paused' : 'paused'];
};

/** The differences of an item in one line: a semicolon between them, but none after a sentence. */
const inOneLine = (differences: readonly string[]): string =>
  differences.reduce((line, one) => `${line}${line.endsWith('.') ? '' : ';'} ${one}`);

/** How to describe an item in one of a policy's lists: its name, its effect, and its changes. */
interface Words<Item> {
  readonly id: (item: Item) => string;
  readonly title: (item: Item) => string;
  readonly does: (item: Item, coin: string) => string;
  readonly differences: (one: Item, other: Item, coin: string) => readonly string[];
}

const contractWords: Words<PolicyContract> = {
  id: ({ ruleId }) => ruleId,
  title: ({ name }) => `contract ${name}`,
  does: ({ address, whitelistedMethods }) => `methods ${listed(whitelistedMethods)} on ${address}`,
  differences: (one, other) => [
    ...changed(one.name, other.name, 'name'),
    ...changed(one.address, other.address, 'address'),
    ...changed(listed(one.whitelistedMethods), listed(other.whitelistedMethods), 'methods'),
    ...(one.abi === other.abi && isSame(one.methods, other.methods) ? [] : ['another ABI']),
    ...switched(one, other),
  ],
};

const sentenceOf = ({ policyType, policyData }: PolicyRule, coin: string): string =>
  isRuleType(policyType)
    ? ruleTypeOf(policyType).setup.sentence(policyData as object, coin)
    : 'a type that this Gasdesk does not know.';

const bindingText = (rule: PolicyRule): string => bindingSentences(rule).join(' ') || 'Applies always.';

/** Changed settings that the sentence about the rule does not mention. Omits its windows, which restart anyway. */
const changedSettings = (one: PolicyRule, other: PolicyRule): string => {
  const [before, after] = [one, other].map((rule): Readonly<Record<string, unknown>> =>
    isRuleType(rule.policyType) ? { ...sentData(rule) } : {},
  );
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const differing = fields.filter((field) => !isSame(before?.[field] ?? null, after?.[field] ?? null));
  return differing.length === 0 ? 'restarted' : `${differing.join(' and ')} changed`;
};

const withPause = (text: string, { active }: { active: boolean }): string => (active ? text : `${text} Paused.`);

const ruleWords: Words<PolicyRule> = {
  id: ({ ruleId }) => ruleId,
  title: ({ name, policyType }) => {
    const title = isRuleType(policyType) ? ruleTypeOf(policyType).title.toLowerCase() : policyType;
    return `${title} "${name}"`;
  },
  does: (rule, coin) => withPause([sentenceOf(rule, coin), ...bindingSentences(rule)].join(' '), rule),
  differences: (one, other, coin) => {
    const [before, after] = [sentenceOf(one, coin), sentenceOf(other, coin)];
    const isAnew = !isSame([one.cycle, one.policyData], [other.cycle, other.policyData]);
    return [
      ...changed(one.name, other.name, 'name'),
      ...switched(one, other),
      ...(before === after && isAnew ? [changedSettings(one, other)] : []),
      ...(before === after ? [] : [`${after} Before: ${before}`]),
      ...changed(bindingText(one), bindingText(other), ''),
    ];
  },
};

const webhookWords: Words<PolicyWebhook> = {
  id: ({ webhookId }) => webhookId,
  title: ({ requestType, webhookUrl }) => `webhook ${requestType} ${webhookUrl}`,
  does: (webhook) => withPause('It must verify each operation.', webhook),
  differences: (one, other) => [
    ...changed(one.requestType, other.requestType, 'method'),
    ...changed(one.webhookUrl, other.webhookUrl, 'URL'),
    ...switched(one, other),
  ],
};

const listChanges = <Item>(
  words: Words<Item>,
  before: readonly Item[],
  after: readonly Item[],
  [list, coin]: readonly [list: string, coin: string],
): PolicyChange[] => {
  const earlier = new Map(before.map((item) => [words.id(item), item]));
  const later = new Map(after.map((item) => [words.id(item), item]));
  const removed = before.filter((item) => !later.has(words.id(item)));
  const remaining = before.filter((item) => later.has(words.id(item)));
  const remainingAfter = after.filter((item) => earlier.has(words.id(item)));
  const isReordered = !isSame(remaining.map(words.id), remainingAfter.map(words.id));
  return [
    ...after.flatMap((item): PolicyChange[] => {
      const one = earlier.get(words.id(item));
      const title = words.title(item);
      if (one === undefined) return [{ change: 'added', text: `${title}: ${words.does(item, coin)}` }];
      const differences = words.differences(one, item, coin);
      return differences.length === 0 ? [] : [{ change: 'changed', text: `${title}: ${inOneLine(differences)}` }];
    }),
    ...removed.map((item): PolicyChange => ({
      change: 'removed',
      text: `${words.title(item)}: ${words.does(item, coin)}`,
    })),
    ...(isReordered
      ? [{ change: 'changed', text: `order of ${list}: ${remainingAfter.map(words.title).join(', ')}` } as const]
      : []),
  ];
};

const amount = (wei: string | null | undefined, policy: Policy, otherwise: string): string =>
  wei === null || wei === undefined ? otherwise : `${weiToDecimal(BigInt(wei))} ${coinOf(policy)}`;

const pauseText = ({ pause }: Policy): string => {
  if (pause === null) return 'none';
  const what = pause.dapp === undefined ? 'all sponsorship' : 'this DApp';
  return pause.reason === null ? what : `${what} (${pause.reason})`;
};

const priceText = ({ chain }: Policy): string => {
  const { price } = chain ?? {};
  if (price === undefined) return 'none';
  return price.source === 'static'
    ? `${price.usd} US dollars`
    : `feed ${price.nativeFeed}, at most ${price.maxAge} s old`;
};

const breakerText = (policy: Policy): string => {
  const breaker = policy.chain?.breaker;
  if (breaker === 'default') return 'default';
  return breaker ? `${amount(breaker.amountWei, policy, '')} per ${spanWords(breaker.seconds)}` : 'none';
};

/** A setting of a policy: its title, and a function that returns its value as text. */
type Setting = readonly [title: string, say: (policy: Policy) => string];

const settingsInFile: readonly Setting[] = [
  ['low balance', (policy) => amount(policy.lowBalanceThresholdWei, policy, 'the cost of twenty operations')],
  ['allowed origins', ({ dapp }) => listed(dapp.allowedOrigins)],
  ['token mode', ({ dapp }) => (dapp.tokenMode ? 'on' : 'off')],
  ['longest expiry', ({ dapp }) => `${dapp.maxExpirySeconds} s`],
];

/** Settings that a file cannot contain: those of the chain and those of the DApp itself. */
const settingsBesides: readonly Setting[] = [
  ['name of the DApp', ({ dapp }) => dapp.name],
  ['chain', ({ dapp }) => String(dapp.chainId)],
  ['version', ({ dapp }) => dapp.version],
  ['funding wallet', ({ dapp }) => dapp.fundingWallet ?? 'none'],
  ['name of the chain', ({ chain }) => chain?.name ?? 'none'],
  ['coin', coinOf],
  ['burn-rate breaker', breakerText],
  ['unreachable budget', (policy) => amount(policy.chain?.unreachableBudgetWei, policy, 'none')],
  ['maximum operation cost', (policy) => amount(policy.chain?.maxOperationCostWei, policy, "by the chain's prices")],
  ['price of the coin', priceText],
  ['paymaster contract', (policy) => listed(policy.paymasterContracts.map((one) => `${one.version} ${one.address}`))],
  ['signer', ({ signer }) => signer ?? 'none'],
  ['treasury', ({ treasury }) => treasury ?? "the signer's address"],
  ['pause', pauseText],
  ['times sponsorship was resumed', ({ resumes }) => String(resumes.desk)],
  ['times this DApp was resumed', ({ resumes }) => String(resumes.dapp)],
  ['share of a gas tank', (policy) => `${policy.outstandingSharePercent} %`],
];

/** The differences between two policies of a DApp, in the order contracts, rules, webhooks, settings. */
export const policyChanges = (before: Policy, after: Policy): PolicyChange[] => {
  const coin = coinOf(after);
  const differing = [...settingsInFile, ...settingsBesides].flatMap(([title, say]): PolicyChange[] => {
    const [one, other] = [say(before), say(after)];
    return one === other ? [] : [{ change: 'changed', text: `${title}: ${one} → ${other}` }];
  });
  return [
    ...listChanges(contractWords, before.contracts, after.contracts, ['contracts', coin]),
    ...listChanges(ruleWords, before.rules, after.rules, ['rules', coin]),
    ...listChanges(webhookWords, before.webhooks, after.webhooks, ['webhooks', coin]),
    ...differing,
  ];
};

/**
 * The settings of a policy that a file cannot contain, for display: those of the chain and those of the DApp itself.
 */
export const settingsOutsideFile = (policy: Policy): (readonly [title: string, value: string])[] =>
  settingsBesides.map(([title, say]) => [title, say(policy)]);
