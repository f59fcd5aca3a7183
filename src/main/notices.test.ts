import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { DecisionRecord, TraceStep } from '../shared/schema/decision.ts';
import { createNotices } from './notices.ts';

const MINUTE_MS = 60_000;

const step = (rule: string, code: string, rest: Partial<TraceStep> = {}): TraceStep => ({
  ...{ rule, code, outcome: 'pass', evidence: {}, micros: 1 },
  ...rest,
});

const tank = (balanceWei: string, promisedWei: string, neededWei: string): TraceStep =>
  step('gasTank', 'TANK_COVERS', { evidence: { balanceWei, promisedWei, neededWei } });

const webhook = (code: string): TraceStep =>
  step('webhook', code, {
    call: {
      webhookId: 'w',
      url: 'https://hooks.example/verify?key=1',
      method: 'POST',
      request: { headers: {}, body: '' },
      response: '',
    },
  });

const decision = (rest: Partial<DecisionRecord>): DecisionRecord =>
  ({ id: 'd-1', dapp: 'Game Items', outcome: 'sponsored', message: '', trace: [], ...rest }) as DecisionRecord;

const denied = decision({ outcome: 'denied', message: 'Not whitelisted.' });

test('a tank that covers few more operations is told of, with the way to the decision that showed it', () => {
  const [notice, ...others] = createNotices(new ManualClock())(decision({ trace: [tank('1000', '400', '100')] }));
  expect(others).toEqual([]);
  expect(notice).toEqual({
    kind: 'tank',
    title: 'A gas tank runs low',
    body: 'The tank of Game Items covers 5 more operations like the last one.',
    path: '/decisions/d-1',
  });
});

test.each([
  ['covers many', tank('100000', '0', '100')],
  ['could not be read', step('gasTank', 'BALANCE_UNKNOWN', { evidence: { promisedWei: '0', neededWei: '1' } })],
  ['was asked for nothing', tank('0', '0', '0')],
])('a tank that %s is not said to be low', (_what, trace) => {
  expect(createNotices(new ManualClock())(decision({ trace: [trace] }))).toEqual([]);
});

test('an empty tank is told of', () => {
  const trace = [step('gasTank', 'GAS_TANK_EMPTY', { outcome: 'deny' })];
  expect(createNotices(new ManualClock())(decision({ outcome: 'denied', trace }))).toEqual([
    expect.objectContaining({ kind: 'tank', title: 'A gas tank is empty' }),
  ]);
});

test('a breaker that paused all sponsorship is told of, and a pause of the operator is not', () => {
  const tripped = decision({ outcome: 'denied', code: 'BURN_RATE_EXCEEDED', message: 'Too much.' });
  expect(createNotices(new ManualClock())(tripped)).toMatchObject([
    { kind: 'paused', title: 'All sponsorship is paused', body: 'It began with Game Items. Too much.' },
  ]);
  const paused = decision({ outcome: 'denied', code: 'SPONSORSHIP_PAUSED' });
  expect(createNotices(new ManualClock())(paused)).toEqual([]);
});

test('a webhook that is out is told of by its host; one failure, or a denial, is none', () => {
  const noticesOf = createNotices(new ManualClock());
  const out = decision({ trace: [webhook('WEBHOOK_TIMEOUT')] });
  const no = decision({ trace: [webhook('WEBHOOK_DENIED')] });
  expect([no, no, no, no, out, out].flatMap(noticesOf)).toEqual([]);
  expect(noticesOf(out)).toEqual([
    expect.objectContaining({ kind: 'webhook', title: 'The webhook at hooks.example is out' }),
  ]);
});

test('failures that lie far apart are no outage, and denials that come slowly are no burst', async () => {
  const clock = new ManualClock();
  const noticesOf = createNotices(clock);
  for (let count = 0; count < 60; count += 1) {
    expect(noticesOf(denied)).toEqual([]);
    if (count % 30 === 0) expect(noticesOf(decision({ trace: [webhook('WEBHOOK_UNREACHABLE')] }))).toEqual([]);
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
  expect(noticesOf(decision({ trace: [tank('1', '0', '1')] }))).toHaveLength(1);
  await clock.advance(MINUTE_MS);
  expect(burst()).toEqual(['denials']);
});
