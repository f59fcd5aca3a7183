import { encodeExecute, encodeFunction } from '../../../../test/support/account-call-data.ts';
import { type Advice, withFacts, withOp, withRule, offering } from '../../../../test/support/advice.ts';
import { row, ruleTable } from '../../../../test/support/rule-table.ts';
import { type Situation, together } from '../../../../test/support/situation.ts';
import { ITEMS, call, items, limit, rule, PRICED } from '../../../../test/support/situations.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import type { CoinPrice } from '../../facts/facts.ts';
import { condition } from './condition.ts';

const MINTING = encodeExecute(ITEMS, 0n, call('mint'));

/** A policy whose condition rule applies to the operation. */
const requiring = (expression: string, situation: Situation = {}): Situation =>
  together(situation, {
    policy: { ...situation.policy, rules: [rule('Rule', 'CONDITION', { expression, message: 'Not so.' })] },
  });

/** The same for a condition on dollars, at this price of the coin. */
const pricedAt = (price: CoinPrice): Situation => requiring('op.maxCostUsd > 0.0', { facts: { price } });

const minting = (amount: bigint): Hex => encodeFunction('mint(uint256)', ['uint256'], [amount]);

export default ruleTable(condition, {
  CONDITION_NOT_MET: {
    sparesDrafts: true,
    rows: [row(requiring, 'op.maxCostWei < 1', 'op.maxCostWei > 0')],
    advices: [
      offering(
        requiring('op.callGasLimit <= 500000 && op.nonce >= 7'),
        'nonce',
        /must be true: op\.nonce >= (?<number>\d+)\. Here op\.nonce is 0\.$/,
      ),
      offering(
        requiring('op.preVerificationGas <= 40000 || op.deploys'),
        'preVerificationGas',
        /must be true: \(op\.preVerificationGas <= (?<number>\d+) .* op\.preVerificationGas is 50000/,
      ),
      {
        denied: requiring('calls.all(c, c.method == "mint" && c.args[0] <= 10)', {
          policy: { contracts: [items()] },
          op: { callData: encodeExecute(ITEMS, 0n, minting(12n)) },
        }),
        says: /c\.args\[0\] <= (?<most>\d+).* Here .*calls\[0\]\.args\[0\] is 12\./,
        change: ({ most = '' }, world) => withOp(world, { callData: encodeExecute(ITEMS, 0n, minting(BigInt(most))) }),
      },
      {
        denied: requiring('time >= timestamp("2026-12-01T08:30:00Z")'),
        says: /timestamp\("(?<from>.+)"\)\. Here/,
        change: ({ from = '' }, world) => withFacts(world, { at: Date.parse(from) }),
      },
      {
        denied: requiring('has(context.policyId) && context.policyId == "summer"', {
          facts: { context: { policyId: 'winter' } },
        }),
        says: /must be true: context\.(?<key>\w+) == "(?<value>\w+)"\. Here context\.policyId is winter\./,
        change: ({ key = '', value }, world) => withFacts(world, { context: { [key]: value } }),
      },
    ],
    words: {
      evidence: { rule: 'Cheap', expression: 'op.nonce < 5', met: 'op.nonce is 7', message: 'Only your first five.' },
      names: ['Only your first five.', '"Cheap"', 'op.nonce < 5', 'op.nonce is 7'],
    },
  },
  CONDITION_FAILED: {
    sparesDrafts: true,
    rows: [
      row(requiring, 'context.plan == "gold"', '!has(context.plan)'),
      row(requiring, 'time.getDayOfYear() >= 0', 'time.getDayOfWeek() >= 0'),
      row<CoinPrice>(pricedAt, { usd: null, error: 'it is silent' }, { usd: '3', source: 'static' }),
    ],
    advices: [
      ...[
        requiring('has(context.tier) && context.plan == "gold"', { facts: { context: { tier: 1 } } }),
        { policy: { rules: [{ ...limit({ threshold: '1' }), when: 'context.plan == "gold"' }] } },
      ].flatMap((denied): Advice[] => [
        {
          denied,
          says: /Send context\.(?<key>\w+), or change .* context\.plan == "(?<value>\w+)"/,
          change: ({ key = '', value }, world) => withFacts(world, { context: { tier: 1, [key]: value } }),
        },
      ]),
      {
        denied: requiring('context.plan == "gold"'),
        says: /change the condition of the rule "(?<name>.+?)" so that it does without/,
        change: ({ name = '' }, world) =>
          withRule(world, name, (data: object) => ({ policyData: { ...data, expression: '!has(context.plan)' } })),
      },
      {
        denied: requiring('calls.all(c, c.value == 0)', { op: { callData: '0xdeadbeef' } }),
        says: /Send calls through a plain execute or executeBatch of the account/,
        change: (_, world) => withOp(world, { callData: MINTING }),
      },
      {
        denied: requiring('time.getDayOfYear() > 0'),
        says: /^Change the condition of the rule "(?<name>.+?)": time\.getDayOfYear\(\) > 0\.$/,
        change: ({ name = '' }, world) =>
          withRule(world, name, (data: object) => ({ policyData: { ...data, expression: 'true' } })),
      },
      {
        denied: requiring('op.maxCostUsd > 0.0', { facts: { price: { usd: null, error: 'it is silent' } } }),
        says: /coin: it is silent\. Set one with "gasdesk chain set \d+ --usd AMOUNT" or "gasdesk chain set \d+ --native-feed ADDRESS", or/,
        change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
      },
    ],
    words: {
      evidence: { rule: 'Cheap', expression: 'context.plan == "gold"', failure: 'No such key: plan' },
      names: ['"Cheap"', 'No such key: plan', 'context.plan == "gold"'],
    },
  },
  CONDITION_NOT_READ: {
    sparesDrafts: true,
    rows: [row<Situation>((facts) => together(requiring('has(op.maxCostUsd)'), facts), {}, PRICED)],
    advices: [
      {
        denied: requiring('op.maxCostUsd > 0.0'),
        says: /^Send the operation again/,
        change: (_, world) => withFacts(world, { price: { usd: '3', source: 'static' } }),
      },
    ],
    words: {
      evidence: { rule: 'Cheap', expression: 'op.maxCostUsd < 1.0' },
      names: ['"Cheap"', 'op.maxCostUsd < 1.0', 'was not read', 'again'],
    },
  },
});
