import { type Advice, withFacts, withPolicy, withRule, waiting } from '../../../../test/support/advice.ts';
import { row, heldRow, ruleTable } from '../../../../test/support/rule-table.ts';
import { type Situation, together } from '../../../../test/support/situation.ts';
import {
  COST,
  ITEMS,
  inWei,
  limit,
  EACH,
  LIFETIME,
  PRICED,
  inUsd,
  people,
  vouched,
} from '../../../../test/support/situations.ts';
import type { CoinPrice } from '../../facts/facts.ts';
import type { SpendingLimit } from './data.ts';
import { spendingLimit } from './spending-limit.ts';

const limited = (changes: Partial<SpendingLimit> = {}, held = 0n): Situation => ({
  policy: { rules: [limit(changes)] },
  held: { limit: held },
});
/** Five operations a day for each person, whom a rule in shadow verifies. */
const perPerson = (held = 0n): Situation =>
  together(limited({ type: 'SUBJECT' }, held), {
    policy: { rules: [people({ enforcement: 'shadow' }), limit({ type: 'SUBJECT' })] },
  });
const SILENT_FEED: Situation = {
  facts: { price: { usd: null, error: 'it is silent' } },
  policy: {
    chain: {
      name: null,
      symbol: null,
      breaker: null,
      unreachableBudgetWei: null,
      maxOperationCostWei: null,
      price: { source: 'chainlink', nativeFeed: ITEMS, maxAge: 3_600 },
    },
  },
};

const raising = (denied: Situation): Advice => ({
  denied,
  says: /threshold (?:of the limit )?to at least \$?(?<threshold>[\d.,]+?)[ ,.](?!\d)/,
  change: ({ threshold = '' }, world) =>
    withRule(world, 'Five a day', (data: object) => ({
      policyData: { ...data, threshold: threshold.replaceAll(',', '') },
    })),
});

const windowEndsAt = Date.UTC(2026, 10, 21, 14, 30);
const MINUTE = 60_000;
const reached = {
  name: 'Five a day',
  scope: 'PAYMASTER',
  unit: 'operations',
  threshold: '5',
  used: '5',
  amount: '1',
  windowEndsAt,
  now: windowEndsAt - 43 * MINUTE,
};

export default ruleTable(spendingLimit, {
  LIMIT_REACHED: {
    rows: [
      heldRow('limit', 4n, limited()),
      heldRow('limit', 4n, limited({ type: 'SMART_ACCOUNT' })),
      heldRow('limit', 4n, together(perPerson(), vouched())),
      heldRow('limit', COST, limited(inWei(2n * COST))),
      heldRow('limit', 0n, limited(inWei(COST))),
      heldRow('limit', 4n, limited(LIFETIME)),
      heldRow('limit', 2n * COST, together(limited(inUsd(5n * COST)), PRICED)),
    ],
    advices: [
      ...[
        limited({}, 5n),
        limited({ type: 'SMART_ACCOUNT' }, 5n),
        together(perPerson(5n), vouched()),
        limited(inWei(2n * COST), COST + 1n),
        together(limited(inUsd(6n * COST), 4n * COST), PRICED),
      ].flatMap((denied) => [waiting(denied), raising(denied)]),
      raising(limited(LIFETIME, 5n)),
    ],
    words: { evidence: reached, names: ['Five a day', '5 operations', '2026-11-21 14:30 UTC', 'in 43 min'] },
  },
  LIMIT_TOO_SMALL: {
    rows: [
      row((wei: bigint) => limited(inWei(wei)), COST - 1n, COST),
      row((wei: bigint) => limited({ ...inWei(wei), ...EACH }), COST - 1n, COST),
      row((units: bigint) => together(limited(inUsd(units)), PRICED), 3n * COST - 1n, 3n * COST),
    ],
    advices: [
      ...[limited(inWei(COST - 1n), 0n), together(limited(inUsd(2n * COST), 0n), PRICED)].map(raising),
      raising(limited({ ...inWei(COST - 1n), ...EACH }, 0n)),
    ],
    words: {
      evidence: { ...reached, unit: 'wei', threshold: '1', used: '0', amount: '2' },
      names: ['Five a day', '0.000000000000000001', '0.000000000000000002', 'Waiting does not help'],
    },
  },
  PRICE_UNKNOWN: {
    rows: [
      row<CoinPrice>(
        (price) => together(limited(inUsd(3n * COST)), { facts: { price } }),
        { usd: null, error: 'the chain has no price' },
        { usd: '3', source: 'static' },
      ),
    ],
    advices: [
      {
        denied: together(limited(inUsd(3n * COST), 0n), { facts: { price: { usd: null, error: 'it is silent' } } }),
        says: /"gasdesk chain set \d+ --usd AMOUNT"/,
        change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
      },
      {
        denied: together(limited(inUsd(3n * COST), 0n), SILENT_FEED),
        says: /A price that you set with "gasdesk chain set \d+ --usd AMOUNT"/,
        change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
      },
    ],
    words: {
      evidence: { name: 'Ten dollars', chainId: 31337, error: 'the chain has no price' },
      names: ['Ten dollars', 'US dollars', 'the chain has no price', 'gasdesk chain set 31337 --usd', '--native-feed'],
    },
  },
  PRICE_NOT_READ: {
    rows: [row<Situation>((facts) => together(limited(inUsd(3n * COST)), facts), {}, PRICED)],
    advices: [
      {
        denied: limited(inUsd(3n * COST), 0n),
        says: /^Send the operation again/,
        change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
      },
    ],
    words: { evidence: { name: 'Ten dollars' }, names: ['Ten dollars', 'was not read', 'again'] },
  },
  LIMIT_WITHOUT_SUBJECT: {
    rows: [row<Situation>((proof) => together(perPerson(), proof), vouched({ failure: 'MISSING' }), vouched())],
    sparesDrafts: true,
    advices: [
      {
        denied: together(perPerson(), vouched({ failure: 'MISSING' })),
        says: /^Send the proof that an IDENTITY rule of the DApp accepts/,
        change: (_, world) => withFacts(world, vouched().facts),
      },
      {
        denied: limited({ type: 'SUBJECT' }),
        says: /If the DApp has no such rule in force, add one[.]$/,
        change: (_, world) =>
          withFacts(withPolicy(world, { rules: [people(), ...world.policy.rules] }), vouched().facts),
      },
    ],
    words: { evidence: { name: 'Three a month' }, names: ['Three a month', 'counts people', 'IDENTITY rule'] },
  },
  LIMIT_SUBJECT_NOT_READ: {
    rows: [row<Situation>((proof) => together(perPerson(), proof), {}, vouched())],
    advices: [
      {
        denied: perPerson(),
        says: /^Send the operation again/,
        change: (_, world) => withFacts(world, vouched().facts),
      },
    ],
    words: { evidence: { name: 'Three a month' }, names: ['Three a month', 'did not verify', 'again'] },
  },
});
