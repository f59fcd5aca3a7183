import { z } from 'zod';
import { type RuleKind, type Setup, deny, pass, rulesOf } from '../../src/core/rules/rule.ts';
import type { DenialRows } from '../../src/shared/denials.ts';
import { type Address, address, sameAddress } from '../../src/shared/schema/hex.ts';

const denials = {
  SENDER_LISTED: ({ sender, list }) => ({
    message: `The list "${String(list)}" bars ${String(sender)}.`,
    hint: 'Send from another account.',
  }),
} satisfies DenialRows;

const setup: Setup<{ senders: Address[] }, { senders: Address[]; addedAt: number }> = {
  policyType: 'SENDER_LIST',
  sent: z.strictObject({ senders: z.array(address) }),
  stored: z.strictObject({ senders: z.array(address), addedAt: z.number() }),
  keep: ({ senders }, { now }) => ({ senders, addedAt: now }),
  sentence: ({ senders }) => `${senders.length} senders are barred.`,
  withoutRules: () => 'Nobody is barred.',
  form: {
    opens: 'Bar senders',
    title: 'Bar senders',
    noun: 'list',
    fields: () => ({ senders: { label: 'Senders', kind: 'addresses', default: '' } }),
  },
};

/** A kind of rule that the product does not have. */
export const senderList: RuleKind<keyof typeof denials> = {
  type: 'senderList',
  title: 'Sender list',
  denials,
  setup,
  check: ({ policy, op: { sender } }) =>
    rulesOf(setup, policy.rules)
      .filter(({ active }) => active)
      .map(({ name: list, policyData: { senders } }) =>
        senders.some((barred) => sameAddress(barred, sender))
          ? deny('SENDER_LISTED', { sender, list })
          : pass('SENDER_NOT_LISTED', { sender, list }),
      ),
};
