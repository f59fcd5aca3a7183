import { expect, test } from 'vitest';
import { decidingRules } from '../../../core/decision/rule-words.ts';
import type { WalkedStep } from '../../../shared/schema/decision.ts';
import { endingOf, stationsOf } from './stations.ts';

const step = (rule: string, outcome: WalkedStep['outcome'], shadow?: string): WalkedStep => ({
  rule,
  outcome,
  ...(shadow !== undefined && { shadow }),
});
const drawn = (steps: readonly WalkedStep[]) =>
  Object.fromEntries(stationsOf(steps).map(({ key, state, isBeyond }) => [key, isBeyond ? `(${state})` : state]));

test('an operation stops at the first rule that denies; what the later ones say is shown beyond it', () => {
  const steps = [step('pause', 'pass'), step('contracts', 'deny'), step('fees', 'pass'), step('gasTank', 'deny')];
  expect(drawn(steps)).toMatchObject({
    pause: 'pass',
    contracts: 'deny',
    fees: '(pass)',
    gasTank: '(deny)',
    signed: '(waiting)',
    mined: '(waiting)',
  });
  const words = new Map(stationsOf(steps).map(({ key, words: said }) => [key, said]));
  expect(words.get('contracts')).toBe('denies it: the operation stops here');
  expect(words.get('gasTank')).toBe('would deny it as well');
  expect([words.get('signed'), words.get('mined')]).toEqual(['not reached', 'not reached']);
});

test('the stations have the order of the record, which an older version may have checked in another order', () => {
  const order = stationsOf([step('gasTank', 'pass'), step('pause', 'pass')]).map(({ key }) => key);
  expect(order).toEqual(['gasTank', 'pause', 'signed', 'mined']);
});

test('several rules of a kind are one station: one denial stops, a shadow rule does not', () => {
  const limits = [step('spendingLimit', 'pass'), step('spendingLimit', 'deny'), step('spendingLimit', 'skip')];
  expect(drawn(limits)).toMatchObject({ spendingLimit: 'deny' });
  expect(drawn([step('spendingLimit', 'pass'), step('spendingLimit', 'wouldDeny', 'r')])).toMatchObject({
    spendingLimit: 'pass',
    signed: 'waiting',
  });
});

test('a policy that is only tried neither signs nor mines', () => {
  expect(stationsOf([step('pause', 'pass')], null).map(({ key }) => key)).toEqual(['pause']);
});

test('before a decision, every rule is shown, and every station waits', () => {
  expect(stationsOf([])).toHaveLength(decidingRules.length + 2);
  expect(new Set(Object.values(drawn([])))).toEqual(new Set(['waiting']));
  expect(new Set(stationsOf([]).map(({ words }) => words))).toEqual(new Set(['waits']));
});

test.each([
  ['settled', 'pass', 'mined'],
  ['reserved', 'waiting', 'waits'],
  ['released', 'deny', 'expired'],
  ['unconfirmed', 'waiting', 'could not be matched on chain'],
] as const)('an operation that was signed and is %s', (settlement, mined, minedWords) => {
  expect(endingOf({ outcome: 'sponsored', settlement })).toEqual({ signed: 'pass', mined, minedWords });
});

test('a denied operation is neither signed nor mined', () => {
  expect(endingOf({ outcome: 'denied', settlement: null })).toMatchObject({ signed: 'waiting', mined: 'waiting' });
});
