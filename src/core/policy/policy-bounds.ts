import { EngineError } from '../../shared/errors.ts';

/**
 * Items that are counted per DApp. The webhooks of rules count as webhooks too, because each costs a call and a
 * connection.
 */
export type Countable = 'rules' | 'contracts' | 'abiCharacters' | 'webhooks' | 'apiKeys';

export type DappCounts = Readonly<Record<Countable, number>>;

/**
 * The maximum number of each that a DApp may have. A decision checks all rules: with a thousand rules it costs a few
 * times as much as with two, which is acceptable. Conditions have a separate budget. Every revision of the policy
 * stores the ABI of each contract, and every decision calls each webhook.
 */
export const MAX_COUNTS: DappCounts = {
  rules: 1_000,
  contracts: 200,
  abiCharacters: 2_097_152,
  webhooks: 20,
  apiKeys: 20,
};

const WORDS: Readonly<Record<Countable, string>> = {
  rules: 'rules',
  contracts: 'smart contracts',
  abiCharacters: 'characters of contract ABIs (events and errors can be removed from them)',
  webhooks: 'webhooks, including those of rules',
  apiKeys: 'API keys that are not revoked',
};

/**
 * Refuses an addition if a bound would be exceeded. If a DApp already exceeds one bound, it can still add items of
 * other kinds.
 * @param counts the totals after the addition, only of the kinds that are added
 * @throws EngineError `TOO_MANY`
 */
export const requireRoom = (counts: Partial<DappCounts>): void => {
  for (const [kind, count] of Object.entries(counts) as [Countable, number][]) {
    const most = MAX_COUNTS[kind];
    if (count <= most) continue;
    const words = `A DApp may have at most ${most.toLocaleString('en-US')} ${WORDS[kind]}. Remove items that are no longer used`;
    throw new EngineError('TOO_MANY', words, { bound: kind, most });
  }
};

export const countedOf = ({ rules, webhooks }: DappCounts, policyType: string): Partial<DappCounts> => ({
  rules,
  ...(policyType === 'WEBHOOK' && { webhooks }),
});
