import { z } from 'zod';
import type { DenialRows } from '../../../shared/denials.ts';
import { type Address, address, addressKey } from '../../../shared/schema/hex.ts';
import { grouped } from '../../../shared/words/amount.ts';
import { type CheckResult, type RuleType, type Setup, activeRulesOf, deny, pass, saidBy } from '../rule.ts';

const denials = {
  SENDER_NOT_ALLOWED: ({ sender, rule }) => ({
    message: `The sender ${String(sender)} is not on the allow list "${String(rule)}".`,
    hint: `Add ${String(sender)} to the allow list "${String(rule)}", or use an account that is on it.`,
  }),
  SENDER_DENIED: ({ sender, rule }) => ({
    message: `The sender ${String(sender)} is on the block list "${String(rule)}".`,
    hint: `Remove ${String(sender)} from the block list "${String(rule)}".`,
  }),
} satisfies DenialRows;

type Result = CheckResult<keyof typeof denials>;

const MAX_ADDRESSES = 100_000;

const mode = z
  .enum(['ALLOW', 'DENY'])
  .describe('ALLOW: only these accounts are sponsored; DENY: these accounts are not sponsored');

const bindsTokenMode = z
  .boolean()
  .optional()
  .describe('True: the list also applies to users who pay in a token. Default: false');

interface SendersData {
  readonly mode: z.output<typeof mode>;
  /** Lower case, without duplicates. */
  readonly addresses: readonly Address[];
  readonly bindsTokenMode?: boolean | undefined;
}

export const sendersSetup: Setup<SendersData, SendersData> = {
  policyType: 'SENDERS',
  place: 4,
  sent: z.strictObject({
    mode,
    addresses: z.array(address).min(1, 'should not be empty').max(MAX_ADDRESSES),
    bindsTokenMode,
  }),
  // The addresses are not validated again: they were validated when they were sent, and there may be 100,000 of them.
  stored: z.strictObject({
    mode,
    addresses: z.custom<readonly Address[]>((value) => Array.isArray(value), 'must be an array'),
    bindsTokenMode,
  }),
  bindsTokenMode: (data) => data.bindsTokenMode === true,
  keep: ({ mode: which, addresses, bindsTokenMode: binds }) => ({
    mode: which,
    addresses: [...new Set(addresses.map(addressKey))],
    ...(binds === true && { bindsTokenMode: true }),
  }),
  sentence({ mode: which, addresses, bindsTokenMode: binds }) {
    const accounts = `${grouped(addresses.length)} listed ${addresses.length === 1 ? 'account' : 'accounts'}`;
    const orTokens = binds === true ? ', or pay in tokens' : '';
    return which === 'ALLOW'
      ? `Allow list: only ${accounts} may be sponsored${orTokens}.`
      : `Block list: operations of ${accounts} are not sponsored${binds === true ? ', and those accounts may not pay in tokens' : ''}.`;
  },
  withoutRules: () => 'No list: any account may be sponsored.',
  form: {
    opens: 'Add list',
    title: 'Add a list of senders',
    noun: 'list',
    example: 'Members',
    fields: () => ({
      mode: {
        label: 'Type of list',
        kind: 'choice',
        default: 'ALLOW',
        options: { ALLOW: 'Allow list', DENY: 'Block list' },
      },
      bindsTokenMode: { label: 'The list also applies to users who pay in a token', kind: 'yes', default: 'no' },
      addresses: { label: 'Add addresses', kind: 'accounts', default: '', example: '0x…, 0x…' },
    }),
  },
};

/** Cache of the lists as sets. Policies are never modified. */
const known = new WeakMap<readonly Address[], ReadonlySet<Address>>();

const setOf = (addresses: readonly Address[]): ReadonlySet<Address> => {
  const set = known.get(addresses) ?? new Set(addresses);
  known.set(addresses, set);
  return set;
};

const checkSender = (rule: string, { mode: which, addresses }: SendersData, sender: Address): Result => {
  const isListed = setOf(addresses).has(addressKey(sender));
  const evidence = { rule, sender, listed: addresses.length };
  if (which === 'ALLOW') return isListed ? pass('SENDER_ALLOWED', evidence) : deny('SENDER_NOT_ALLOWED', evidence);
  return isListed ? deny('SENDER_DENIED', evidence) : pass('SENDER_NOT_LISTED', evidence);
};

/** Allow lists and block lists of accounts. */
export const senders: RuleType<keyof typeof denials> = {
  type: 'senders',
  title: 'Senders',
  isOfCalls: true,
  denials,
  setup: sendersSetup,
  check: ({ policy, op: { sender } }) =>
    activeRulesOf(sendersSetup, policy.rules).map((rule) =>
      saidBy(rule, checkSender(rule.name, rule.policyData, sender)),
    ),
};
