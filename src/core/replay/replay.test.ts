import { SigningKey, computeAddress, getBytes, hashMessage } from 'ethers';
import { describe, expect, test } from 'vitest';
import { encodeExecute } from '../../../test/support/account-call-data.ts';
import { ENGINE, decidedLine } from '../../../test/support/decided-record.ts';
import { rpcOperationV07With } from '../../../test/support/facts.ts';
import { type Situation, inputsOf, together } from '../../../test/support/situation.ts';
import {
  COST,
  ITEMS,
  responseWith,
  withResponse,
  breaker,
  call,
  hook,
  items,
  limit,
} from '../../../test/support/situations.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { entryPoints } from '../entry-points/registry.ts';
import type { PaymasterLayout } from '../paymaster-layouts/layout.ts';
import { layouts } from '../paymaster-layouts/registry.ts';
import { singleton08Eip7702 } from '../paymaster-layouts/singleton-0.8.ts';
import { type Policy, policyHash } from '../policy/policy.ts';
import { type NotReplayable, type ReplayResult, replay } from './replay.ts';
import { ruleInput } from '../decision/rule-input.ts';
import { termsOf } from '../decision/terms.ts';

const situation: Situation = together(
  breaker(3n * COST),
  withResponse(responseWith()),
  { policy: { contracts: [items()], rules: [limit()], webhooks: [] } },
  { op: { callData: encodeExecute(ITEMS, 0n, call('mint')) } },
);
const [facts, policy, held] = inputsOf(situation);
const sponsored = decidedLine(facts, policy, held);
const deniedInputs = inputsOf(together(situation, { held: { limit: 5n } }));
const denied = decidedLine(...deniedInputs);

/** Decides again by the version that decided, or by another one. */
const again = (record: DecisionRecord, revision: unknown, options = {}): ReplayResult =>
  replay(record, revision, { engine: ENGINE, withSignatures: true, ...options });

/** The fields that differ; a differing step counts as one. */
const fieldsOf = (replayed: ReplayResult): readonly string[] => {
  if ('notReplayable' in replayed) return [replayed.notReplayable];
  return [...new Set(replayed.differences.map(({ field }) => field.replace(/^(trace\[\d+\]).*/, '$1')))];
};

/** The record as if it had been decided by that policy. */
const under = (policy: Policy): [record: DecisionRecord, policy: Policy] => [
  { ...sponsored, policy: policyHash(policy) },
  policy,
];

/** A record in which the value at a path is another one. */
const changed = (record: DecisionRecord, path: readonly (string | number)[], value: unknown): DecisionRecord => {
  const copy = structuredClone(record);
  const last = path.at(-1)!;
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy);
  (parent as Record<string, unknown>)[last] = value;
  return copy;
};

const indexOf = (rule: string): number => sponsored.trace.findIndex((step) => step.rule === rule);
const [CONTRACTS, WEBHOOK] = [indexOf('contracts'), indexOf('webhook')];
const STRANGER = `0x${'57'.repeat(20)}`;
const ONE_WEI_LESS = String(COST - 1n);

test('what was sponsored, and what was denied, is decided again without a difference', () => {
  expect([sponsored.outcome, denied.outcome]).toEqual(['sponsored', 'denied']);
  expect(again(sponsored, policy)).toMatchObject({ differences: [] });
  expect(again(denied, policy)).toMatchObject({ differences: [] });
});

describe('a record in which one value was changed differs there, and nowhere else:', () => {
  test.each<[string, readonly (string | number)[], unknown]>([
    ['chainId', ['chainId'], 1],
    ['paymasterId', ['paymasterId'], 'another'],
    ['sender', ['sender'], `0x${'00'.repeat(20)}`],
    ['nonce', ['nonce'], '7'],
    ['outcome', ['outcome'], 'denied'],
    ['code', ['code'], 'PAID_IN_TOKEN'],
    ['rule', ['rule'], 'pause'],
    ['message', ['message'], 'Sponsored.'],
    ['hint', ['hint'], 'Do nothing.'],
    ['at', ['at'], sponsored.at + 1],
    ['entryPoint', ['entryPoint'], `0x${'00'.repeat(20)}`],
    ['maxCostWei', ['maxCostWei'], ONE_WEI_LESS],
    ['validAfter', ['validAfter'], 0],
    ['validUntil', ['validUntil'], 0],
    ['userOpHash', ['userOpHash'], `0x${'00'.repeat(32)}`],
    [`trace[${CONTRACTS}]`, ['trace', CONTRACTS, 'code'], 'NO_CONTRACT_REGISTERED'],
    [`trace[${CONTRACTS}]`, ['trace', CONTRACTS, 'outcome'], 'skip'],
    [`trace[${CONTRACTS}]`, ['trace', CONTRACTS, 'evidence', 'calls'], 2],
    [`trace[${CONTRACTS}]`, ['trace', CONTRACTS, 'rule'], 'fees'],
    ['reservations', ['reservations', 0, 'amount'], '0'],
    ['reservations', ['reservations', 0, 'account'], 'limit:another:0:0:'],
  ])('%s', (field, path, value) => {
    expect(fieldsOf(again(changed(sponsored, path, value), policy))).toEqual([field]);
  });

  test.each<[string, readonly (string | number)[], unknown]>([
    ['how long a step took', ['trace', CONTRACTS, 'micros'], 1_000_000],
    ['what became of it', ['settlement'], 'settled'],
    ['what it cost', ['actualCostWei'], '1'],
  ])('none, as %s is no part of the verdict', (_, path, value) => {
    expect(fieldsOf(again(changed(sponsored, path, value), policy))).toEqual([]);
  });
});

describe('of what another version decided', () => {
  const decides: readonly (string | number)[][] = [
    ['outcome'],
    ['code'],
    ['rule'],
    ['maxCostWei'],
    ['validUntil'],
    ['userOpHash'],
    ['reservations', 0, 'amount'],
    ...['rule', 'outcome', 'code', 'shadow'].map((field) => ['trace', CONTRACTS, field]),
  ];
  const words: readonly (string | number)[][] = [['message'], ['hint'], ['trace', CONTRACTS, 'evidence', 'calls']];
  const byOther = (path: readonly (string | number)[]): DecisionRecord => changed(denied, path, 'otherwise');

  test.each(words.map((path) => [path.join('.'), path] as const))('is not compared in words: %s', (_, path) => {
    expect(again(byOther(path), deniedInputs[1], { engine: 'another version' })).toMatchObject({
      differences: [],
      isByOtherEngine: true,
    });
    const ofThis = again(byOther(path), deniedInputs[1]);
    expect(ofThis).toMatchObject({ isByOtherEngine: false });
    expect(fieldsOf(ofThis)).toHaveLength(1);
  });

  test.each(decides.map((path) => [path.join('.'), path] as const))('is compared in what decides: %s', (_, path) => {
    expect(fieldsOf(again(byOther(path), deniedInputs[1], { engine: 'another version' }))).toHaveLength(1);
  });

  test('is compared in who signed', () => {
    const otherwise = changed(sponsored, ['facts', 'contract', 'signer'], STRANGER);
    expect(fieldsOf(again(otherwise, policy, { engine: 'another version' }))).toEqual(['facts.contract', 'signer']);
  });
});

describe('what follows from a changed value is named with it:', () => {
  const step = (rule: string): string => `trace[${indexOf(rule)}]`;
  const nothingSigned = ['outcome', 'code', 'rule', 'message', 'hint', 'validAfter', 'validUntil'].concat(
    'paymasterAndData',
    'userOpHash',
  );

  test('other amounts in the ledger', () => {
    expect(fieldsOf(again(changed(sponsored, ['reservations', 0, 'held'], '1'), policy))).toEqual([
      step('spendingLimit'),
    ]);
    expect(fieldsOf(again(changed(sponsored, ['reservations', 0, 'held'], '5'), policy))).toEqual([
      ...nothingSigned,
      step('spendingLimit'),
    ]);
  });

  test('other facts', () => {
    const richer = changed(sponsored, ['facts', 'chain', 'balanceWei'], String(2n * 10n ** 18n));
    expect(fieldsOf(again(richer, policy))).toEqual([step('gasTank')]);
    const poorer = changed(sponsored, ['facts', 'chain', 'balanceWei'], ONE_WEI_LESS);
    expect(fieldsOf(again(poorer, policy))).toEqual([...nothingSigned, step('gasTank')]);
  });

  test('another answer of a webhook, which is kept in the trace alone', () => {
    const refusing = changed(sponsored, ['trace', WEBHOOK, 'call', 'response'], '{"arePoliciesVerified": false}');
    expect(fieldsOf(again(refusing, policy))).toEqual([...nothingSigned, step('webhook')]);
  });

  test('another policy', () => {
    const stricter = { ...policy, contracts: [items({ active: false })] };
    expect(fieldsOf(again(sponsored, stricter))).toEqual(['policy']);
    expect(fieldsOf(again(...under(stricter)))).toEqual([...nothingSigned, step('contracts')]);
    const asking = { ...policy, webhooks: [{ ...hook, webhookId: 'another' }] };
    expect(fieldsOf(again(...under(asking)))).toEqual(['decide']);
  });

  test('a step more, and a step less', () => {
    const { trace } = sponsored;
    const more = { ...sponsored, trace: [...trace, trace[CONTRACTS]!] };
    expect(fieldsOf(again(more, policy))).toEqual([`trace[${trace.length}]`]);
    const less = { ...sponsored, trace: trace.slice(0, -1) };
    expect(fieldsOf(again(less, policy))).toEqual([`trace[${trace.length - 1}]`]);
  });
});

/** An operation of the contract's EntryPoint; if it can, its account takes on code by EIP-7702. */
const signedFor = ({ version, entryPointVersion }: PaymasterLayout): Situation => {
  const { takesEip7702Marker: eip7702, isPacked } = entryPoints[entryPointVersion];
  const op = rpcOperationV07With(eip7702 ? { factory: '0x7702' } : {});
  const gasUsed = { validation: '50000', call: '1000000' };
  const delegate = eip7702 ? { delegate: `0x${'de'.repeat(20)}` as const } : {};
  return { dapp: { version }, facts: { senderNonce: '3', gasUsed, ...delegate, ...(isPacked && { op }) } };
};

test.each(layouts.map((layout) => [layout.version, layout] as const))('what %s takes is read again', (_, layout) => {
  const inputs = inputsOf(signedFor(layout));
  const record = decidedLine(...inputs);
  expect(record.outcome).toBe('sponsored');
  expect(again(record, inputs[1])).toMatchObject({ differences: [] });
  const otherwise = changed(record, ['facts', 'contract', 'address'], STRANGER);
  expect(fieldsOf(again(otherwise, inputs[1]))).toEqual(expect.arrayContaining(['paymasterAndData', 'signer']));
});

test('the code that an account takes on is part of what was signed', () => {
  const inputs = inputsOf(signedFor(singleton08Eip7702));
  const record = changed(decidedLine(...inputs), ['facts', 'delegate'], STRANGER);
  expect(fieldsOf(again(record, inputs[1]))).toEqual(['userOpHash', 'signer']);
});

describe('who signed', () => {
  const stranger = new SigningKey(`0x${'99'.repeat(32)}`);
  const input = ruleInput(facts, policy);
  const { layout, op } = input;
  const terms = termsOf(input);
  const digest = hashMessage(getBytes(layout.hash(op, terms)));
  const signature = stranger.sign(digest).serialized as `0x${string}`;
  const paymasterAndData = layout.encode(op, terms, signature);

  test('is recognised by the signature', () => {
    const { differences } = again({ ...sponsored, paymasterAndData }, policy) as Extract<
      ReplayResult,
      { differences: unknown }
    >;
    expect(differences.map(({ field }) => field)).toEqual(['userOpHash', 'signer']);
    expect(differences[1]).toMatchObject({ stored: facts.contract.signer, replayed: computeAddress(stranger) });
    expect(fieldsOf(again({ ...sponsored, paymasterAndData }, policy, { withSignatures: false }))).toEqual([
      'userOpHash',
    ]);
  });

  test.each([
    ['other terms', layout.encode(op, { ...terms, validUntil: terms.validUntil + 1 }, signature), 'paymasterAndData'],
    ['no signature', '0x', 'signer'],
    ['a signature of nobody', layout.encode(op, terms, `0x${'ff'.repeat(65)}`), 'signer'],
  ])('cannot be who did not: %s', (_, data, field) => {
    expect(fieldsOf(again({ ...sponsored, paymasterAndData: data }, policy))).toContain(field);
  });
});

describe('an export is an untrusted file: undecidable lines are reported, and end nothing', () => {
  const withFacts = (changes: object): DecisionRecord => ({
    ...sponsored,
    facts: { ...(sponsored.facts as object), ...changes },
  });
  test.each<[string, DecisionRecord, string]>([
    ['facts of another version', withFacts({ v: 2 }), 'UNKNOWN_FORM'],
    ['an operation without its fields', withFacts({ opChanges: undefined, op: {} }), 'decide'],
    ['a number that is none', withFacts({ opChanges: { nonce: 'seven' } }), 'decide'],
  ])('%s', (_, record, field) => {
    expect(fieldsOf(again(record, policy))).toEqual([field]);
  });

  test.each<[string, Partial<Policy>]>([
    ['a paymaster contract that this version does not know', { dapp: { ...policy.dapp, version: '9.9' } }],
    ['a rule in another form', { rules: [{ ...limit(), policyData: {} }] }],
  ])('%s', (_, changes) => {
    expect(fieldsOf(again(...under({ ...policy, ...changes })))).toEqual(['decide']);
  });
});

const cut = { truncated: true, bytes: 20_000, sha256: '00'.repeat(32), start: '{' };
test.each<[NotReplayable, Partial<DecisionRecord>, boolean]>([
  ['FAILED', { outcome: 'error' }, true],
  ['WITHOUT_FACTS', { facts: undefined }, true],
  ['WITHOUT_FACTS', { outcome: 'denied', facts: undefined, request: { options: { truncated: true } } }, true],
  ['TRUNCATED', { outcome: 'denied', facts: undefined, request: { options: cut } }, true],
  ['WITHOUT_FACTS', { facts: undefined, request: { options: cut } }, true],
  ['WITHOUT_POLICY', {}, false],
])('a decision that cannot be decided again says why: %s', (notReplayable, changes, hasPolicy) => {
  expect(again({ ...sponsored, ...changes }, hasPolicy ? policy : undefined)).toEqual({ notReplayable });
});

test('a fixed price that is not the one of the policy is a difference; what a feed said is taken as it was read', () => {
  const chain = { name: null, symbol: null, breaker: null, unreachableBudgetWei: null, maxOperationCostWei: null };
  const priced = (price: Policy['chain'] & object): Policy => ({ ...policy, chain: price });
  const fixed = priced({ ...chain, price: { source: 'static', usd: '3000' } });
  const decided = (usd: string, by: Policy): DecisionRecord =>
    decidedLine({ ...facts, price: { usd, source: 'static' } }, by, held);
  expect(fieldsOf(again(decided('3000', fixed), fixed))).toEqual([]);
  expect(fieldsOf(again(decided('1', fixed), fixed))).toEqual(['facts.price']);
  const fed = priced({ ...chain, price: { source: 'chainlink', nativeFeed: ITEMS, maxAge: 60 } });
  expect(fieldsOf(again(decided('1', fed), fed))).toEqual([]);
});
