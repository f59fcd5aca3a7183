import { describe, expect, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { GWEI, policyWith, rpcOperationV07With } from '../../../test/support/facts.ts';
import { type Done, type Situation, decided, inputsOf, together } from '../../../test/support/situation.ts';
import {
  COIN,
  COST,
  FACTORY,
  ITEMS,
  MAX_UNITS,
  NOW,
  breaker,
  call,
  hook,
  items,
  limit,
  paying,
  responseWith,
  rule,
  shared,
  withResponse,
} from '../../../test/support/situations.ts';
import { decide } from './decide.ts';

/** The rules that deny, each once, in the order of their steps. */
const denying = ({ steps }: Done): string[] => [
  ...new Set(steps.filter(({ outcome }) => outcome === 'deny').map(({ rule: type }) => type)),
];

const account = (hasCode: boolean, nextNonce: string): Situation => ({ facts: { account: { hasCode, nextNonce } } });
const paused: Situation = { policy: { pause: { since: NOW, reason: null } } };
const resumed: Situation = { policy: { pause: null } };
const denied = responseWith({}, { response: '{"arePoliciesVerified": false}' });

/** A situation in which a rule denies, and the change after which it passes. */
type Stair = readonly [rule: string, denied: Situation, mended: Situation];

const sponsoredStairs: readonly Stair[] = [
  ['pause', paused, resumed],
  ['contracts', { op: { callData: '0xdeadbeef' } }, { op: { callData: encodeExecute(ITEMS, 0n, call('mint')) } }],
  ['walletDeployment', { op: { initCode: FACTORY } }, { op: { initCode: '0x' } }],
  ['validity', account(false, '1'), account(true, '0')],
  ['fees', { op: { maxFeePerGas: 1n } }, { op: { maxFeePerGas: GWEI } }],
  ['spendingLimit', { held: { limit: 5n } }, { held: { limit: 4n } }],
  ['gasTank', { held: { tank: COIN } }, { held: { tank: 0n } }],
  ['webhook', withResponse(denied), withResponse(responseWith())],
  ['burnRate', { held: { breaker: COIN } }, { held: { breaker: 0n } }],
];

const tokenStairs: readonly Stair[] = [
  ['pause', paused, resumed],
  ['validity', account(false, '0'), account(true, '0')],
  ['fees', { op: { maxFeePerGas: GWEI - 1n } }, { op: { maxFeePerGas: GWEI } }],
  ['tokenPayment', { held: { user: 2n * MAX_UNITS } }, { held: { user: MAX_UNITS } }],
  ['gasTank', { held: { tank: COIN } }, { held: { tank: 0n } }],
  ['burnRate', { held: { breaker: COIN } }, { held: { breaker: 0n } }],
];

const bound: Situation = together(breaker(3n * COST), { policy: { contracts: [items()], rules: [limit()] } });

describe.each([
  ['sponsors', bound, sponsoredStairs],
  ['is paid in tokens', together(bound, paying()), tokenStairs],
])('an operation that everything denies, where the paymaster %s', (_, base, stairs) => {
  const rules = stairs.map(([type]) => type);

  test.each(rules.map((type, mended) => [type, mended] as const))('is denied by %s next', (type, mended) => {
    const verdict = decided(together(base, ...stairs.map((stair, index) => (index < mended ? stair[2] : stair[1]))));
    expect(verdict.reason?.rule).toBe(type);
    expect(denying(verdict)).toEqual(rules.slice(mended));
  });

  test('is signed in the end', () => {
    expect(decided(together(base, ...stairs.map(([, , mended]) => mended))).reason).toBeUndefined();
  });
});

describe('webhooks', () => {
  const paysForAll: Situation = { policy: { webhooks: [hook] } };
  const hooks: Situation = {
    policy: {
      webhooks: [
        hook,
        { ...hook, webhookId: 'asked', requestType: 'GET' },
        { ...hook, webhookId: 'off', active: false },
      ],
      rules: [
        rule('by rule', 'WEBHOOK', { url: 'https://rule.example/', failOpen: true }),
        rule('rule off', 'WEBHOOK', { url: 'https://off.example/' }, false),
      ],
    },
    facts: { webhooks: [responseWith({}, { webhookId: 'asked' })] },
  };

  test('are asked where they are active and were not asked yet', () => {
    const verdict = decide(...inputsOf(hooks));
    const steps = expect.arrayContaining([expect.objectContaining({ rule: 'gas', outcome: 'pass' })]);
    expect(verdict).toEqual({
      next: 'callWebhooks',
      steps,
      targets: [
        {
          webhookId: 'hook-1',
          url: hook.webhookUrl,
          method: 'POST',
          active: true,
          failOpen: false,
          getsOperation: false,
          shadow: false,
        },
        {
          webhookId: 'by rule',
          url: 'https://rule.example/',
          method: 'POST',
          active: true,
          failOpen: true,
          getsOperation: true,
          shadow: false,
        },
      ],
    });
  });

  test.each(
    sponsoredStairs.slice(
      0,
      sponsoredStairs.findIndex(([type]) => type === 'webhook'),
    ),
  )('hear nothing of an operation that %s denies', (type, denial) => {
    const verdict = decided(together(bound, { policy: { ...bound.policy, ...paysForAll.policy } }, denial));
    expect(verdict.reason?.rule).toBe(type);
    expect(verdict.steps.map((step) => step.rule)).not.toContain('webhook');
  });

  test('are asked before the breaker is looked at, which would stop everything', () => {
    const situation = together(breaker(COST - 1n), paysForAll);
    expect(decide(...inputsOf(situation))).toMatchObject({ next: 'callWebhooks' });
    const verdict = decided(together(breaker(COST), { held: { breaker: 1n } }, withResponse(denied)));
    expect([verdict.reason?.code, verdict.effects]).toEqual(['WEBHOOK_DENIED', {}]);
  });

  test('that were asked count where they are gone, and stay in the trace of what another rule denies', () => {
    const gone = together(withResponse(denied), { policy: { webhooks: [] } });
    expect(decided(gone).reason?.code).toBe('WEBHOOK_DENIED');
    const verdict = decided(together(gone, paused));
    expect([verdict.reason?.rule, denying(verdict)]).toEqual(['pause', ['pause', 'webhook']]);
  });

  test('are not asked about users who pay in a token', () => {
    expect(decided(together(paying(), paysForAll)).reason).toBeUndefined();
  });
});

describe('a draft', () => {
  const draft: Situation = { facts: { stage: 'draft' } };

  test('may have its fees open', () => {
    const open: Situation = { op: { maxFeePerGas: 0n } };
    expect(decided(open).reason?.code).toBe('FEE_TOO_LOW');
    expect(decided(together(open, draft)).reason).toBeUndefined();
  });

  test('depends on what applies to it: no gas, no fees, no webhook, no breaker', () => {
    const situation = together(bound, { policy: { ...bound.policy, webhooks: [hook] } });
    const steps = (stage: Situation): string[] => decided(together(situation, stage)).steps.map((step) => step.rule);
    expect(steps(draft)).toEqual(['contracts', 'walletDeployment', 'validity', 'spendingLimit', 'gasTank']);
    expect(steps({ facts: { webhooks: [responseWith()] } })).toEqual([
      'gas',
      'contracts',
      'walletDeployment',
      'validity',
      'fees',
      'spendingLimit',
      'gasTank',
      'webhook',
      'burnRate',
    ]);
  });
});

describe('the breaker', () => {
  const full: Situation = { held: { breaker: 2n * COST, dappBreaker: COST } };

  test('pauses every DApp on its chain, in words that name the chain and the amount', () => {
    expect(decided(together(breaker(2n * COST), full)).effects).toEqual({
      pauseChain: {
        since: NOW,
        reason: 'Burn-rate breaker: operations on Local chain exceeded 0.000624 ETH within 1 hour',
      },
    });
  });

  test('pauses one DApp of several by itself, by its part', () => {
    const several = together(breaker(3n * COST), shared({ chain: true }), {
      settings: { ...breaker(3n * COST).settings },
    });
    const named = { ...policyWith().chain, name: 'Home', symbol: 'HOME', ...several.settings };
    expect(decided(together(several, full, { settings: named })).effects).toEqual({
      pauseDapp: {
        since: NOW,
        reason: 'Burn-rate breaker: its operations on Home exceeded 0.000468 HOME within 1 hour',
      },
    });
  });

  test.each<[string, Situation]>([
    ['one operation is too much for it', breaker(COST - 1n)],
    [
      'the operation is denied for another reason',
      together(breaker(2n * COST), full, { held: { ...full.held, tank: COIN } }),
    ],
    ['there is room', breaker(COST)],
  ])('pauses nothing where %s', (_, situation) => {
    expect(decided(situation).effects).toEqual({});
  });
});

test('the final gas of the operation is recorded, with its source', () => {
  const gasOf = (situation: Situation) => decided(situation).steps.find((step) => step.rule === 'gas');
  const limits = { callGasLimit: '100000', verificationGasLimit: '50000', preVerificationGas: '50000' };
  const evidence = { ...limits, maxFeePerGasWei: String(GWEI) };
  expect(gasOf({})).toMatchObject({ outcome: 'pass', code: 'GAS_GIVEN', evidence });
  const v07: Situation = {
    dapp: { version: 'verifying-0.7' },
    facts: { op: rpcOperationV07With(), gasSource: 'GAS_ESTIMATED' },
  };
  const paymasterLimits = { paymasterVerificationGasLimit: '60000', paymasterPostOpGasLimit: '0' };
  expect(gasOf(v07)).toMatchObject({ code: 'GAS_ESTIMATED', evidence: { ...evidence, ...paymasterLimits } });
});

test('what a step took is measured by a clock that is given, and is no part of the verdict', () => {
  let now = 0;
  const inputs = inputsOf(
    together(bound, { policy: { ...bound.policy, webhooks: [hook] }, facts: { webhooks: [responseWith()] } }),
  );
  const verdict = decide(...inputs, () => (now += 7.4));
  if (verdict.next !== 'done') throw new Error('the webhook was asked');
  for (const { rule: type, micros } of verdict.steps)
    expect([type, micros]).toEqual([type, type === 'webhook' ? 700 : 7]);
  const steps = verdict.steps.map((step) => ({ ...step, micros: step.rule === 'webhook' ? 700 : 0 }));
  expect({ ...verdict, steps }).toEqual(decide(...inputs));
});
