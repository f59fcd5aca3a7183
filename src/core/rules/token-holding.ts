import { z } from 'zod';
import type { DenialRows, Evidence } from '../../shared/denials.ts';
import { type Address, address, addressKey } from '../../shared/schema/hex.ts';
import { grouped } from '../../shared/words/amount.ts';
import type { Facts } from '../facts/facts.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { type CheckResult, type RuleType, type Setup, activeRulesOf, deny, pass, saidBy } from './rule.ts';

/** Gas that a token contract may use to report a balance. Usual tokens use a tenth of it. */
export const HOLDING_GAS = 500_000n;

const standard = z.enum(['ERC20', 'ERC721', 'ERC1155']);
const WHOLE = 'must be a whole number of up to 256 bits, as a string of decimal digits';
const MAX_UINT256 = (1n << 256n) - 1n;

const whole = z
  .string(WHOLE)
  .regex(/^\d{1,78}$/, { error: WHOLE, abort: true })
  .refine((digits) => BigInt(digits) <= MAX_UINT256, WHOLE);

const fields = z.strictObject({
  standard,
  address: address.describe("The token's contract, on the chain of the DApp"),
  tokenId: whole.optional().describe('ERC1155: the id of the token; ERC721: the NFT that the sender must own'),
  minimum: whole.describe("The least that the sender must hold, in the token's smallest unit"),
});

/** The data of a TOKEN_HOLDING rule. Numbers are decimal digits, stored without leading zeros. */
export type TokenHolding = z.output<typeof fields>;

/** Identifies a balance of the sender that a rule needs. */
export type HoldingQuestion = Pick<TokenHolding, 'standard' | 'address' | 'tokenId'>;

type Error = readonly [field: 'tokenId' | 'minimum', message: string];

/** The fields that contradict the token's standard, with their errors. */
const holdingErrors = ({ standard: which, tokenId, minimum }: Omit<TokenHolding, 'address'>): Error[] => [
  ...(which === 'ERC20' && tokenId !== undefined ? [['tokenId', 'should not exist for ERC20'] as const] : []),
  ...(which === 'ERC1155' && tokenId === undefined ? [['tokenId', 'must be given for ERC1155'] as const] : []),
  ...(BigInt(minimum) === 0n ? [['minimum', 'must be at least 1'] as const] : []),
  ...(which === 'ERC721' && tokenId !== undefined && BigInt(minimum) > 1n
    ? [['minimum', 'must be 1 for one NFT of ERC721'] as const]
    : []),
];

const digits = (text: string): string => String(BigInt(text));

/** True if the owner of one NFT is read. In all other cases, a balance is read. */
export const isOwnerQuestion = ({ standard: which, tokenId }: HoldingQuestion): boolean =>
  which === 'ERC721' && tokenId !== undefined;

/** An amount of a token, to be used within a sentence. @param count decimal digits */
const counted = ({ standard: which, address: token, tokenId = '' }: HoldingQuestion, count: string): string => {
  const unit = count === '1' ? 'unit' : 'units';
  if (which === 'ERC20') return `${grouped(count)} ${unit} of the ERC-20 token ${token}`;
  if (which === 'ERC1155') return `${grouped(count)} ${unit} of token ${tokenId} of ${token} (ERC-1155)`;
  return `${grouped(count)} ${count === '1' ? 'NFT' : 'NFTs'} of ${token} (ERC-721)`;
};

/** The token, to be used within a sentence. */
const tokenWords = ({ standard: which, address: token, tokenId = '' }: HoldingQuestion): string => {
  if (which === 'ERC20') return `the ERC-20 token ${token}`;
  if (which === 'ERC1155') return `token ${tokenId} of ${token} (ERC-1155)`;
  return tokenId === '' ? `NFTs of ${token} (ERC-721)` : `NFT ${tokenId} of ${token} (ERC-721)`;
};

const holdingSetup: Setup<TokenHolding, TokenHolding> = {
  policyType: 'TOKEN_HOLDING',
  place: 6,
  // An attacker can buy or borrow the tokens that other users hold.
  anybodyMeets: true,
  sent: fields.superRefine((data, context) => {
    for (const [field, message] of holdingErrors(data)) context.addIssue({ code: 'custom', path: [field], message });
  }),
  stored: fields,
  keep: ({ tokenId, ...sent }) => ({
    standard: sent.standard,
    address: addressKey(sent.address),
    ...(tokenId !== undefined && { tokenId: digits(tokenId) }),
    minimum: digits(sent.minimum),
  }),
  sentence: (data) =>
    isOwnerQuestion(data)
      ? `Sponsored only if the sender owns ${tokenWords(data)}.`
      : `Sponsored only if the sender holds at least ${counted(data, data.minimum)}.`,
  withoutRules: () => 'Senders need not hold any token.',
  form: {
    opens: 'Add holding',
    title: 'Add a token holding',
    noun: 'holding',
    example: 'Members',
    needsNode: true,
    fields: ({ standard: which = 'ERC20', tokenId = '' }) => ({
      standard: {
        label: 'Standard',
        kind: 'choice',
        default: 'ERC20',
        options: { ERC20: 'ERC-20 token', ERC721: 'ERC-721 NFT', ERC1155: 'ERC-1155 token' },
      },
      address: { label: 'Contract of the token', kind: 'address', default: '', example: '0x…' },
      ...(which !== 'ERC20' && {
        tokenId: {
          label: which === 'ERC721' ? 'Token id (optional: one NFT)' : 'Token id',
          kind: 'digits',
          default: '',
        },
      }),
      minimum: {
        label: 'At least',
        kind: 'digits',
        default: '',
        unit: which === 'ERC721' ? 'NFTs' : 'units',
        // An NFT has one owner, whose balance of it is one.
        ...(which === 'ERC721' && tokenId.trim() !== '' && { fixed: '1' }),
        ...(which === 'ERC20' && {
          help: 'A unit is the smallest part of the token: 5 tokens with 6 decimals are 5000000 units.',
        }),
      },
    }),
    note: (sentence = 'Enter the token, and how much of it a sender must hold.') =>
      `${sentence} Gasdesk reads the balance when it decides, and denies the operation if it cannot read the balance.`,
  },
};

/** The key of a holding in the facts. Rules that need the same holding share it. */
export const holdingKey = ({ standard: which, address: token, tokenId }: HoldingQuestion): string =>
  [which, token, ...(tokenId === undefined ? [] : [tokenId])].join(':');

type HoldingRule = PolicyRule & { readonly policyData: TokenHolding };

/** The balances that the active rules that `isAsked` need, without duplicates. */
export const holdingQuestions = (
  rules: Policy['rules'],
  isAsked: (rule: PolicyRule) => boolean = () => true,
): HoldingQuestion[] => [
  ...new Map(
    activeRulesOf(holdingSetup, rules)
      .filter(isAsked)
      .map(({ policyData: { standard: which, address: token, tokenId } }) => {
        const question = { standard: which, address: token, ...(tokenId !== undefined && { tokenId }) };
        return [holdingKey(question), question];
      }),
  ).values(),
];

/** The balances that the rules need and that were not read. */
export const unreadHoldings = ({ rules }: Pick<Policy, 'rules'>, { holdings }: Facts): HoldingQuestion[] =>
  holdingQuestions(rules).filter((question) => holdings?.[holdingKey(question)] === undefined);

/** Why a holding could not be read, and what helps. */
const failureWords: Readonly<Record<string, { readonly why: string; readonly help: string }>> = {
  NO_NODE: { why: 'the chain has no RPC URL', help: "Set the chain's RPC URL, or pause the rule." },
  NO_ANSWER: {
    why: "the chain's node did not answer the question",
    help: "Send the operation again. If this happens again, check the chain's node.",
  },
  NO_CONTRACT: {
    why: 'no contract is at that address on this chain',
    help: "Set the address of the rule to the token's contract on this chain.",
  },
  REVERTED: {
    why: `the contract reverts, or uses more than ${grouped(String(HOLDING_GAS))} gas`,
    help: 'Check the standard, the address and the token id of the rule. For an NFT that does not exist, contracts revert.',
  },
  NO_NUMBER: {
    why: 'the contract does not return exactly one number or one address',
    help: 'Check the standard and the address of the rule.',
  },
};

const questionIn = ({ standard: which, token, tokenId }: Evidence): HoldingQuestion => ({
  standard: which as TokenHolding['standard'],
  address: token as Address,
  ...(typeof tokenId === 'string' && { tokenId }),
});

const denials = {
  TOKEN_HOLDING_TOO_LOW: ({ rule, sender, minimum, held, ...evidence }) => {
    const question = questionIn(evidence);
    if (isOwnerQuestion(question)) {
      return {
        message: `The sender ${String(sender)} does not own ${tokenWords(question)}, as the rule "${String(rule)}" requires.`,
        hint: `Transfer ${tokenWords(question)} to ${String(sender)}, or send from the account that owns it.`,
      };
    }
    const missing = String(BigInt(String(minimum)) - BigInt(String(held)));
    return {
      message:
        `The sender ${String(sender)} holds ${counted(question, String(held))}; ` +
        `the rule "${String(rule)}" requires at least ${grouped(String(minimum))}.`,
      hint: `Transfer ${counted(question, missing)} to ${String(sender)}, or send from an account that holds enough.`,
    };
  },
  TOKEN_HOLDING_UNREADABLE: ({ rule, sender, failure, ...evidence }) => {
    const { why = '', help = '' } = failureWords[String(failure)] ?? {};
    const what = tokenWords(questionIn(evidence));
    return {
      message: `Gasdesk could not read how much of ${what} the sender ${String(sender)} holds, which the rule "${String(rule)}" requires: ${why}.`,
      hint: help,
    };
  },
  TOKEN_HOLDING_NOT_READ: ({ rule, sender, ...evidence }) => ({
    message: `Gasdesk did not read how much of ${tokenWords(questionIn(evidence))} the sender ${String(sender)} held, so it cannot apply the rule "${String(rule)}".`,
    hint: 'Send the operation again: Gasdesk reads the values that the rules in force need.',
  }),
} satisfies DenialRows;

const checkHolding = (
  { name, policyData }: HoldingRule,
  holdings: Facts['holdings'],
  sender: Address,
): CheckResult<keyof typeof denials> => {
  const { standard: which, address: token, tokenId, minimum } = policyData;
  const evidence = { rule: name, sender, standard: which, token, ...(tokenId !== undefined && { tokenId }), minimum };
  const holding = holdings?.[holdingKey(policyData)];
  if (holding === undefined) return deny('TOKEN_HOLDING_NOT_READ', evidence);
  if ('failure' in holding) return deny('TOKEN_HOLDING_UNREADABLE', { ...evidence, failure: holding.failure });
  const { held } = holding;
  return BigInt(held) >= BigInt(minimum)
    ? pass('TOKEN_HELD', { ...evidence, held })
    : deny('TOKEN_HOLDING_TOO_LOW', { ...evidence, held });
};

/** The tokens that the sender must hold. */
export const tokenHolding: RuleType<keyof typeof denials> = {
  type: 'tokenHolding',
  title: 'Token holding',
  denials,
  setup: holdingSetup,
  check: ({ policy, facts: { holdings }, op: { sender } }) =>
    activeRulesOf(holdingSetup, policy.rules).map((rule) => saidBy(rule, checkHolding(rule, holdings, sender))),
};
