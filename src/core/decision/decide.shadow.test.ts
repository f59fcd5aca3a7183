import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Situation, decided, inputsOf, together } from '../../../test/support/situation.ts';
import {
  COST,
  FACTORY,
  HOUR_MS,
  NOW,
  hook,
  inWei,
  items,
  limit,
  responseWith,
  rule,
  withResponse,
} from '../../../test/support/situations.ts';
import { GWEI } from '../../../test/support/facts.ts';
import { decide, plan } from './decide.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { PolicyRule } from '../policy/policy.ts';

const shadow = <Rule extends PolicyRule>(one: Rule): Rule => ({ ...one, enforcement: 'shadow' });

const saying = (type: string, situation: Situation) =>
  decided(situation)
    .steps.filter(({ rule: said }) => said === type)
    .map(({ outcome, code, shadow: id }) => [outcome, code, id]);

test('a limit in shadow says what it would deny, denies nothing, and takes nothing of what it would deny', () => {
  const situation = together({ policy: { rules: [shadow(limit())] } }, { held: { limit: 5n } });
  expect(saying('spendingLimit', situation)).toEqual([['wouldDeny', 'LIMIT_REACHED', 'Five a day']]);
  const { reason, taken } = decided(situation);
  expect(reason).toBeUndefined();
  expect(taken.filter(({ account }) => account.kind === 'limit')).toMatchObject([{ amount: 0n, shadow: 'Five a day' }]);
});

test('a limit in shadow counts what it lets pass', () => {
  const situation = together({ policy: { rules: [shadow(limit())] } }, { held: { limit: 4n } });
  expect(saying('spendingLimit', situation)).toEqual([['pass', 'LIMIT_HAS_ROOM', 'Five a day']]);
  expect(decided(situation).taken.find(({ account }) => account.kind === 'limit')?.amount).toBe(1n);
});

test('a rule next to a rule in shadow still denies', () => {
  const both = together(
    { policy: { rules: [shadow(limit({}, 'tried')), limit({}, 'bound')] } },
    { held: { limit: 5n } },
  );
  expect(saying('spendingLimit', both)).toEqual([
    ['wouldDeny', 'LIMIT_REACHED', 'tried'],
    ['deny', 'LIMIT_REACHED', undefined],
  ]);
  expect(decided(both).reason?.code).toBe('LIMIT_REACHED');
});

test('a webhook in shadow is asked, and its answer denies nothing', () => {
  const tried = {
    policy: { rules: [shadow(rule(responseWith().call.webhookId, 'WEBHOOK', { url: hook.webhookUrl }))] },
  };
  const denied = responseWith({}, { response: '{"arePoliciesVerified": false}' });
  expect(saying('webhook', together(tried, withResponse(denied), { policy: { webhooks: [] } }))).toEqual([
    ['wouldDeny', 'WEBHOOK_DENIED', denied.call.webhookId],
  ]);
  const gone = { ...denied, shadow: true as const };
  expect(saying('webhook', together(withResponse(gone), { policy: { webhooks: [] } }))).toMatchObject([
    ['wouldDeny', 'WEBHOOK_DENIED', gone.call.webhookId],
  ]);
});

test('a deployment rule in shadow says what it would let pass, and allows nothing', () => {
  const deploying = together(
    {
      policy: {
        contracts: [items()],
        rules: [
          shadow(
            rule('Deployments', 'WALLET_DEPLOYMENT', {
              operator: 'walletDeployment',
              factories: [FACTORY.slice(0, 42)],
            }),
          ),
        ],
      },
    },
    { op: { initCode: FACTORY } },
  );
  const [binding, tried] = saying('walletDeployment', deploying);
  expect(binding).toEqual(['deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED', undefined]);
  expect(tried).toEqual(['pass', 'DEPLOYMENT_ALLOWED', 'Deployments']);
});

test.each([
  [{ activeFrom: NOW + 1 }, ['skip', 'NOT_ACTIVE_YET', undefined]],
  [{ activeFrom: NOW }, ['deny', 'LIMIT_REACHED', undefined]],
  [{ activeUntil: NOW + 1 }, ['deny', 'LIMIT_REACHED', undefined]],
  [{ activeUntil: NOW }, ['skip', 'NO_LONGER_ACTIVE', undefined]],
])('a limit with %o says %o', (binding, step) => {
  const situation = together({ policy: { rules: [{ ...limit(), ...binding }] } }, { held: { limit: 5n } });
  expect(saying('spendingLimit', situation)).toEqual([step]);
});

test('a rule that does not apply yet reserves nothing, and a paused one leaves no step', () => {
  const [facts, policy] = inputsOf({ policy: { rules: [{ ...limit(), activeFrom: NOW + 1 }] } });
  expect(plan(facts, policy).filter(({ account }) => account.kind === 'limit')).toEqual([]);
  const paused = { policy: { rules: [{ ...limit(), activeFrom: NOW + 1, active: false }] } };
  expect(saying('spendingLimit', paused)).toEqual([]);
});

test.each([{ when: 'op.maxCostWei < 1' }, { activeUntil: NOW }])(
  'a deployment rule that does not apply (%o) restricts like a paused one',
  (binding) => {
    const allowing = { ...rule('Deployments', 'WALLET_DEPLOYMENT', { operator: 'walletDeployment' }), ...binding };
    const situation = together({ policy: { rules: [allowing] } }, { op: { initCode: FACTORY } });
    expect(saying('walletDeployment', situation)[0]).toEqual(['deny', 'WALLET_DEPLOYMENT_NOT_SPONSORED', undefined]);
    const drafted = together(situation, { facts: { stage: 'draft' } });
    const [first] = saying('walletDeployment', drafted);
    expect(first?.[0]).toBe('when' in binding ? 'pass' : 'deny');
  },
);

test('an operation that a limit in shadow would have denied takes nothing when it settles', () => {
  const situation = together({ policy: { rules: [shadow(limit(inWei(COST)))] } }, { held: { limit: 1n } });
  const ledger = new Ledger();
  const taken = decided(situation).taken.filter(({ account }) => account.kind === 'limit');
  ledger.settle(ledger.take(taken), 'settled', COST);
  expect(ledger.heldBy(taken[0]!)).toBe(0n);
});

/** A limit's results for each of these operations, if nothing else denies one. */
const course = (
  rules: PolicyRule[],
  traffic: readonly { gas: number; after: number; sender: number }[],
): string[][] => {
  const ledger = new Ledger();
  let at = NOW;
  return traffic.map(({ gas, after, sender }) => {
    at += after;
    const [facts, policy] = inputsOf(
      together(
        { policy: { rules } },
        { op: { callGasLimit: BigInt(gas), maxFeePerGas: GWEI, sender: `0x${String(sender).repeat(40)}` } },
        { facts: { at } },
      ),
    );
    const verdict = decide(
      facts,
      policy,
      plan(facts, policy).map((one) => ledger.heldBy(one)),
    );
    if (verdict.next !== 'done') throw new Error('There is no webhook');
    if (verdict.reason === undefined) ledger.take(verdict.taken);
    return verdict.steps.filter(({ rule: type }) => type === 'spendingLimit').map(({ outcome }) => outcome);
  });
};

test('a limit in shadow decides on any traffic as if it were the only enforced rule', () => {
  const amount = fc.oneof(
    fc.integer({ min: 1, max: 6 }).map((count) => ({ threshold: String(count) })),
    fc.bigInt({ min: COST / 2n, max: 8n * COST }).map(inWei),
  );
  const limits = fc
    .array(
      fc.tuple(amount, fc.constantFrom('PAYMASTER' as const, 'SMART_ACCOUNT' as const), fc.integer({ min: 1, max: 4 })),
      { minLength: 1, maxLength: 3 },
    )
    .map((all) =>
      all.map(([said, type, hours], index) =>
        limit({ ...said, type, durationInMs: hours * HOUR_MS }, `limit-${index}`),
      ),
    );
  const operation = fc.record({
    gas: fc.integer({ min: 10_000, max: 400_000 }),
    after: fc.integer({ min: 0, max: HOUR_MS }),
    sender: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(limits, fc.array(operation, { maxLength: 30 }), (all, traffic) => {
      const together = course(all.map(shadow), traffic);
      const alone = all.map((one) => course([one], traffic));
      const expected = traffic.map((_, index) =>
        alone.map((said) => (said[index]?.[0] === 'deny' ? 'wouldDeny' : said[index]?.[0])),
      );
      expect(together).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
