import { withFacts, withRule } from '../../../test/support/advice.ts';
import { SENDER } from '../../../test/support/facts.ts';
import { row, ruleTable } from '../../../test/support/rule-table.ts';
import { type Situation, together } from '../../../test/support/situation.ts';
import { ITEMS, rule } from '../../../test/support/situations.ts';
import type { Facts } from '../facts/facts.ts';
import { tokenHolding } from './token-holding.ts';

const TARGET = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const MEMBERSHIP = `0x${'7e'.repeat(20)}` as const;

/**
 * A rule that requires ten units of a token, and this reading of the sender's balance; undefined if it was not read.
 */
const holds = (answer: NonNullable<Facts['holdings']>[string] | undefined): Situation => ({
  policy: { rules: [rule('Members', 'TOKEN_HOLDING', { standard: 'ERC20', address: MEMBERSHIP, minimum: '10' })] },
  facts: answer === undefined ? {} : { holdings: { [`ERC20:${MEMBERSHIP}`]: answer } },
});

/** The same with one NFT. */
const owns = (held: string): Situation => ({
  policy: {
    rules: [rule('One', 'TOKEN_HOLDING', { standard: 'ERC721', address: MEMBERSHIP, tokenId: '5', minimum: '1' })],
  },
  facts: { holdings: { [`ERC721:${MEMBERSHIP}:5`]: { held } } },
});

/** The sender's balance of a token, where a rule requires 5,000 units. */
const owning = (held: bigint): Situation => ({
  policy: {
    rules: [rule('Holders', 'TOKEN_HOLDING', { standard: 'ERC20', address: ITEMS.toLowerCase(), minimum: '5000' })],
  },
  facts: { holdings: { [`ERC20:${ITEMS}`]: { held: String(held) } } },
});

const USER = `0x${'5e'.repeat(20)}`;
const holding = { rule: 'Members', sender: USER, standard: 'ERC20', token: TARGET, minimum: '10' };

export default ruleTable(tokenHolding, {
  TOKEN_HOLDING_TOO_LOW: {
    rows: [
      row((held: string) => holds({ held }), '9', '10'),
      row((held: string) => holds({ held }), '0', String(2n ** 256n - 1n)),
      row(owns, '0', '1'),
    ],
    advices: [
      {
        denied: owning(1_000n),
        says: /Transfer (?<missing>[\d,]+) units of the ERC-20 token (?<token>0x\w{40}) to (?<sender>0x\w{40})/,
        change: ({ missing = '', token }, world) =>
          withFacts(world, {
            holdings: { [`ERC20:${token}`]: { held: String(1_000n + BigInt(missing.replaceAll(',', ''))) } },
          }),
      },
    ],
    words: {
      evidence: { ...holding, standard: 'ERC1155', tokenId: '7', minimum: '1200', held: '200' },
      names: [
        USER,
        '200 units of token 7 of',
        TARGET,
        '"Members"',
        'at least 1,200',
        'Transfer 1,000 units of token 7',
      ],
    },
  },
  TOKEN_HOLDING_UNREADABLE: {
    rows: (['NO_NODE', 'NO_ANSWER', 'NO_CONTRACT', 'REVERTED', 'NO_NUMBER'] as const).map((failure) =>
      row<Parameters<typeof holds>[0]>(holds, { failure }, { held: '10' }),
    ),
    advices: [
      {
        denied: together(owning(0n), { facts: { holdings: { [`ERC20:${ITEMS}`]: { failure: 'NO_CONTRACT' } } } }),
        says: /Set the (?<field>address) of the rule to the token's contract/,
        change: ({ field = '' }, world) =>
          withFacts(
            withRule(world, 'Holders', (data: object) => ({ policyData: { ...data, [field]: SENDER.toLowerCase() } })),
            { holdings: { [`ERC20:${SENDER.toLowerCase()}`]: { held: '5000' } } },
          ),
      },
    ],
    words: {
      evidence: { ...holding, failure: 'NO_CONTRACT' },
      names: [USER, TARGET, '"Members"', 'no contract is at that address', 'Set the address of the rule'],
    },
  },
  TOKEN_HOLDING_NOT_READ: {
    rows: [row<Parameters<typeof holds>[0]>(holds, undefined, { held: '10' })],
    advices: [
      {
        denied: together(owning(0n), { facts: { holdings: {} } }),
        says: /^Send the operation again/,
        change: (_, world) => withFacts(world, { holdings: { [`ERC20:${ITEMS}`]: { held: '5000' } } }),
      },
    ],
    words: { evidence: holding, names: [USER, TARGET, '"Members"', 'did not read', 'again'] },
  },
});
