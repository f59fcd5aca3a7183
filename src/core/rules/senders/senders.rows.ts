import { withRule } from '../../../../test/support/advice.ts';
import { SENDER } from '../../../../test/support/facts.ts';
import { row, ruleTable } from '../../../../test/support/rule-table.ts';
import type { Situation } from '../../../../test/support/situation.ts';
import { ITEMS, rule } from '../../../../test/support/situations.ts';
import { senders } from './senders.ts';

const TARGET = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

/** A policy with a list of accounts. Its stored form equals the sent form. */
const listing =
  (mode: 'ALLOW' | 'DENY') =>
  (address: string): Situation => ({
    policy: { rules: [rule('List', 'SENDERS', { mode, addresses: [address.toLowerCase()] })] },
  });

export default ruleTable(senders, {
  SENDER_NOT_ALLOWED: {
    rows: [row(listing('ALLOW'), ITEMS, SENDER.toUpperCase().replace('0X', '0x'))],
    advices: [
      {
        denied: { policy: { rules: [rule('Members', 'SENDERS', { mode: 'ALLOW', addresses: [ITEMS] })] } },
        says: /Add (?<sender>0x\w{40}) to the allow list "(?<name>.+?)"/,
        change: ({ sender, name = '' }, world) =>
          withRule(world, name, (data: { addresses: string[] }) => ({
            policyData: { ...data, addresses: [...data.addresses, sender] },
          })),
      },
    ],
    words: { evidence: { rule: 'Members', sender: TARGET, listed: 2 }, names: [TARGET, '"Members"', 'Add'] },
  },
  SENDER_DENIED: {
    rows: [row(listing('DENY'), SENDER, ITEMS)],
    advices: [
      {
        denied: { policy: { rules: [rule('Bots', 'SENDERS', { mode: 'DENY', addresses: [ITEMS, SENDER] })] } },
        says: /Remove (?<sender>0x\w{40}) from the block list "(?<name>.+?)"/,
        change: ({ sender, name = '' }, world) =>
          withRule(world, name, (data: { addresses: string[] }) => ({
            policyData: { ...data, addresses: data.addresses.filter((one) => one !== sender) },
          })),
      },
    ],
    words: { evidence: { rule: 'Bots', sender: TARGET, listed: 2 }, names: [TARGET, '"Bots"', 'Remove'] },
  },
});
