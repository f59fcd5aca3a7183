import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { DecisionRow } from '../shared/schema/decision.ts';
import { type TankFacts, createNotices } from './notices.ts';

const MINUTE_MS = 60_000;

const decision = (rest: Partial<DecisionRow>): DecisionRow => ({
  ...{
    id: 'd-1',
    seq: 1,
    at: 0,
    dapp: 'Game Items',
    paymasterId: 'game',
    chainId: 10,
    sender: '0x',
    mode: 'SPONSORED',
  },
  ...{ outcome: 'sponsored', code: 'SPONSORED', rule: null, message: '', hint: '', settlement: 'reserved' },
  ...{ maxCostWei: '1', actualCostWei: null },
  ...rest,
});

const denied = decision({ outcome: 'denied', code: 'NOT_WHITELISTED', message: 'Not whitelisted.' });
const unanswered = decision({ outcome: 'denied', code: 'WEBHOOK_TIMEOUT', message: 'hooks.example gave no answer.' });

test('a tank that covers few more operations is told of, with the way to the decision that showed it', () => {
  const [notice, ...others] = createNotices(new ManualClock())(decision({}), { level: 'low', operationsLeft: '5' });
  expect(others).toEqual([]);
  expect(notice).toEqual({
    kind: 'tank',
    title: 'A gas tank is low',
    body: 'The tank of Game Items covers 5 more operations like the last one.',
    path: '/decisions/d-1',
  });
});

test.each<[string, TankFacts, string]>([
  ['has one operation left', { level: 'low', operationsLeft: '1' }, 'covers 1 more operation like the last one.'],
  ['has less than one left', { level: 'low', operationsLeft: '0' }, 'covers no further operation like the last one.'],
  ['is below what the operator said', { level: 'low', operationsLeft: null }, 'is below its low-balance threshold.'],
])('a tank that %s is told of', (_what, tank, words) => {
  expect(createNotices(new ManualClock())(decision({}), tank)).toMatchObject([
    { title: 'A gas tank is low', body: `The tank of Game Items ${words}` },
  ]);
});

test.each<[string, TankFacts | undefined]>([
  ['covers many', { level: 'good', operationsLeft: '1000' }],
  ['could not be read', { level: 'unknown', operationsLeft: null }],
  ['was not looked at', undefined],
])('a tank that %s is not said to be low', (_what, tank) => {
  expect(createNotices(new ManualClock())(decision({}), tank)).toEqual([]);
});

test('an empty tank is told of', () => {
  const empty = decision({ outcome: 'denied', code: 'GAS_TANK_EMPTY' });
  const told = [expect.objectContaining({ kind: 'tank', title: 'A gas tank is empty' })];
  expect(createNotices(new ManualClock())(empty)).toEqual(told);
  expect(createNotices(new ManualClock())(decision({}), { level: 'empty', operationsLeft: '-2' })).toEqual(told);
});

test('a breaker that paused all sponsorship is told of, and a pause of the operator is not', () => {
  const tripped = decision({ outcome: 'denied', code: 'BURN_RATE_EXCEEDED', message: 'Too much.' });
  expect(createNotices(new ManualClock())(tripped)).toMatchObject([
    { kind: 'paused', title: 'All sponsorship is paused', body: 'An operation of Game Items triggered it. Too much.' },
  ]);
  const byDapp = decision({ outcome: 'denied', code: 'BURN_RATE_EXCEEDED_BY_DAPP', message: 'Too much.' });
  expect(createNotices(new ManualClock())(byDapp)).toMatchObject([
    { kind: 'paused', title: 'Sponsorship for Game Items is paused', body: 'Too much.' },
  ]);
  const paused = decision({ outcome: 'denied', code: 'SPONSORSHIP_PAUSED' });
  expect(createNotices(new ManualClock())(paused)).toEqual([]);
});

test('a webhook that is out is told of with the DApp it is of; one failure, or a denial, is none', () => {
  const noticesOf = createNotices(new ManualClock());
  const no = decision({ outcome: 'denied', code: 'WEBHOOK_DENIED' });
  const other = decision({ ...unanswered, dapp: 'Other', paymasterId: 'other' });
  expect([no, no, no, no, unanswered, unanswered, other].flatMap((one) => noticesOf(one))).toEqual([]);
  expect(noticesOf(unanswered)).toEqual([
    {
      ...{ kind: 'webhook', title: 'A webhook of Game Items is down', path: '/decisions/d-1' },
      body: 'It gave no verdict on 3 operations within a short time. hooks.example gave no answer.',
    },
  ]);
});

test('failures that lie far apart are no outage, and denials that come slowly are no burst', async () => {
  const clock = new ManualClock();
  const noticesOf = createNotices(clock);
  for (let count = 0; count < 60; count += 1) {
    expect(noticesOf(denied)).toEqual([]);
    if (count % 30 === 0) expect(noticesOf({ ...unanswered, outcome: 'error' })).toEqual([]);
    await clock.advance(MINUTE_MS / 10);
  }
});

test('a burst of denials is told of once in ten minutes, while other kinds still are', async () => {
  const clock = new ManualClock();
  const noticesOf = createNotices(clock);
  const burst = (): string[] =>
    Array.from({ length: 20 }, () => noticesOf(denied)).flatMap((told) => told.map(({ kind }) => kind));
  expect(burst()).toEqual(['denials']);
  await clock.advance(9 * MINUTE_MS);
  expect(burst()).toEqual([]);
  expect(noticesOf(decision({}), { level: 'low', operationsLeft: '1' })).toHaveLength(1);
  await clock.advance(MINUTE_MS);
  expect(burst()).toEqual(['denials']);
});
