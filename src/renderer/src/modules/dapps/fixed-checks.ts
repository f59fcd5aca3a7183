import { ruleTypes } from '../../../../core/decision/rule-words.ts';
import type { FixedKind } from '../../../../core/rules/registry.ts';
import { shownAmount } from '../../../../shared/words/amount.ts';
import { spanWords } from '../../../../shared/words/span.ts';
import type { FeeToken } from '../../../../shared/schema/fee-token.ts';
import type { Chain, Exposure } from '../../desk/types.ts';
import { exactTime } from '../../ui/time.ts';

/** The data for describing the checks that every DApp has. */
export interface FixedFacts {
  readonly chain: Chain | undefined;
  /** Undefined until the tank is read. */
  readonly tank: Exposure['dapps'][number]['tank'] | undefined;
  /** The chain's fee tokens. */
  readonly tokens: readonly FeeToken[];
  /** Whether users may pay in tokens. */
  readonly tokenMode: boolean;
  /** Whether contracts are registered. */
  readonly isRestricted: boolean;
  /** Undefined if nothing is paused. */
  readonly pause:
    | {
        /** True if all sponsorship is paused, not just this DApp. */
        readonly isWhole: boolean;
        /** Epoch ms. */
        readonly since: number;
        readonly reason: string | null;
      }
    | undefined;
}

const amount = (wei: string, coin: string): string => `${shownAmount(BigInt(wei))} ${coin}`;

const SENTENCES: Readonly<Record<FixedKind, (facts: FixedFacts, coin: string) => string>> = {
  pause({ pause }) {
    if (pause === undefined) return 'Sponsorship is not paused.';
    const { isWhole, since, reason } = pause;
    const what = isWhole ? 'All sponsorship' : 'Sponsorship for this DApp';
    return `${what} has been paused since ${exactTime(since)}${reason === null ? '' : `: ${reason}`}.`;
  },
  tokenMode: ({ tokenMode }) =>
    tokenMode ? 'Users may ask to pay in a token instead of being sponsored.' : 'Users cannot pay in tokens.',
  contracts: () => 'No contract is registered: calls to every contract are sponsored.',
  validity: () => 'The account exists or is being deployed, and its nonce is unused.',
  fees: ({ chain }, coin) => {
    const most = chain?.maxOperationCostWei ?? null;
    const never = chain && `, and never more than ${amount(chain.defaultMaxOperationCostWei, coin)}`;
    const cost =
      most === null ? `as much as the largest usual operation at the chain's price${never ?? ''}` : amount(most, coin);
    return `Fees cover the base fee. One operation costs at most ${cost}.`;
  },
  tokenPayment: ({ tokens, tokenMode }) =>
    !tokenMode
      ? 'The policy does not let users pay in tokens.'
      : tokens.length === 0
        ? 'The chain accepts no token, so users cannot pay in one.'
        : `Users may pay in ${tokens.map(({ symbol }) => symbol).join(', ')} if their balance and allowance suffice. Contracts, limits and webhooks do not apply to them, nor lists of senders that do not say so.`,
  gasTank: ({ tank }, coin) => {
    const covers = 'The gas tank covers the maximum cost';
    if (tank === undefined || tank.freeWei === null || tank.balanceWei === null) return `${covers}.`;
    return `${covers}: ${amount(tank.freeWei, coin)} free of ${amount(tank.balanceWei, coin)}.`;
  },
  unreachable: ({ chain }, coin) => {
    if (chain?.unchecked === true) return 'The chain has no node: fees and gas tank are not checked.';
    const budget = chain?.unreachable ?? null;
    if (budget === null) return 'While the node is unreachable, nothing is signed.';
    return `While the node is unreachable, Gasdesk signs for at most ${amount(budget.budgetWei, coin)}.`;
  },
  burnRate: ({ chain }, coin) => {
    const breaker = chain?.breaker ?? null;
    if (breaker === null) return 'No spend cap on this chain: only limits and the gas tank apply.';
    const pauses = 'on this chain, then pauses its DApps. If it has several, one may use half.';
    if (breaker !== 'default') {
      const { amountWei, seconds } = breaker;
      return `Gasdesk signs for at most ${amount(amountWei, coin)} per ${spanWords(seconds)} ${pauses}`;
    }
    const now = chain?.breakerAmountWei ?? null;
    return now === null
      ? `Gasdesk signs for at most a quarter of the chain's gas tanks per hour ${pauses}`
      : `Gasdesk signs for at most ${amount(now, coin)} per hour by default ${pauses}`;
  },
};

const isFixed = (type: string): type is FixedKind => Object.hasOwn(SENTENCES, type);

/** Describes what a kind of rule checks if the operator has not set it up. */
export const fixedSentence = (type: string, facts: FixedFacts): string =>
  isFixed(type)
    ? SENTENCES[type](facts, facts.chain?.symbol ?? 'native coin')
    : (ruleTypes.find((kind) => kind.type === type)?.setup.withoutRules(facts.isRestricted) ?? '');
