import { describe, expect, test } from 'vitest';
import { codeTables } from '../../../test/support/rule-tables.ts';
import type { Evidence } from '../../shared/denials.ts';
import { decidingRules, denialWords, explainDenial } from './rule-words.ts';
import { ruleKinds } from '../rules/registry.ts';

/** The realistic evidence of a code. */
const evidenceOf = (code: string): Evidence => codeTables.find((table) => table.code === code)?.words.evidence ?? {};

const MINUTE = 60_000;
const windowEndsAt = Date.UTC(2026, 10, 21, 14, 30);

test('every kind of rule has words of its own for what it denies', () => {
  const codes = ruleKinds.flatMap(({ denials }) => Object.keys(denials));
  expect(codes.toSorted()).toEqual(codeTables.map(({ code }) => code).toSorted());
  expect(denialWords.size).toBe(codes.length);
});

test('what only informs is no rule that can decide', () => {
  expect(ruleKinds.map(({ type }) => type).filter((type) => !decidingRules.includes(type))).toEqual([
    'gas',
    'authorization',
  ]);
});

describe.each(codeTables.map(({ code, words }) => [code, words] as const))('%s', (code, { evidence, names }) => {
  const { message, hint } = explainDenial(code, evidence);

  test('says what happened and the smallest change that mends it', () => {
    expect(message).toMatch(/^[A-Z].+[.]$/);
    expect(hint).toMatch(/^[A-Z].+[.]$/);
    expect(`${message} ${hint}`).not.toMatch(/undefined|null|NaN|\[object/);
  });

  test('names what it is about', () => {
    for (const name of names) expect(`${message} ${hint}`).toContain(name);
  });
});

test.each([
  ['0', '0'],
  ['1', '0.000000000000000001'],
  ['1000000000000000000', '1'],
  ['1000000000000000001', '1.000000000000000001'],
  ['123456789012345678901234567890', '123456789012.34567890123456789'],
])('%s wei is shown exactly, as %s coins', (valueWei, coins) => {
  const { message } = explainDenial('PLAIN_TRANSFER', { ...evidenceOf('PLAIN_TRANSFER'), valueWei });
  expect(message).toContain(`sends ${coins} of`);
});

test.each([
  // balance, reserved, needed, short
  ['0', '0', '1', '0.000000000000000001'],
  ['1000000000000000000', '0', '1000000000000000001', '0.000000000000000001'],
  ['5', '7', '0', '0.000000000000000002'],
  ['0', '123456789012345678901', '1', '123.456789012345678902'],
])(
  'a tank of %s wei with %s reserved and %s needed lacks exactly %s coins',
  (balanceWei, reservedWei, requiredWei, lacks) => {
    const { hint } = explainDenial('GAS_TANK_EMPTY', { balanceWei, reservedWei, requiredWei });
    expect(hint).toContain(`at least ${lacks} of`);
  },
);

test('a tank with a pending withdrawal shows its balance, reservations and withdrawals, in its coin', () => {
  const [balanceWei, pendingWithdrawalsWei, requiredWei] = ['997', '600', '450'].map((one) => `${one}000000000000000`);
  const evidence = {
    balanceWei: balanceWei!,
    reservedWei: '0',
    pendingWithdrawalsWei: pendingWithdrawalsWei!,
    requiredWei: requiredWei!,
    symbol: 'POL',
  };
  const { message, hint } = explainDenial('GAS_TANK_EMPTY', evidence);
  expect(message).toMatch(
    /holds 0[.]997 POL, of which 0 POL is reserved .* 0[.]6 POL is in pending withdrawals.* 0[.]45 POL/,
  );
  expect(hint).toContain('0.053 POL');
});

test.each([
  [0, 43 * MINUTE, '14:30 UTC, in 43 min'],
  [0, 42 * MINUTE + 1, '14:30 UTC, in 43 min'],
  [0, 1, '14:30 UTC, in 1 min'],
  // A window seldom ends on a full minute: a request one minute earlier is denied again.
  [1, 43 * MINUTE, '14:31 UTC, in 43 min'],
  [59_999, 60 * MINUTE, '14:31 UTC, in 1 h 0 min'],
  [0, 25 * 60 * MINUTE, '14:30 UTC, in 25 h 0 min'],
  [0, 49 * 60 * MINUTE, '14:30 UTC, in 2 days 1 h'],
])('a window that ends %i ms after 14:30 and %i ms from now is never shown to end earlier', (after, wait, words) => {
  const endsAt = windowEndsAt + after;
  const { hint } = explainDenial('LIMIT_REACHED', {
    ...evidenceOf('LIMIT_REACHED'),
    windowEndsAt: endsAt,
    now: endsAt - wait,
  });
  expect(hint).toContain(`Wait until the window resets at 2026-11-21 ${words},`);
});

test.each(['SPONSORSHIP_PAUSED', 'DAPP_PAUSED'] as const)(
  '%s is never shown to have started later than it did',
  (code) => {
    const { message } = explainDenial(code, { dapp: 'Game Items', pausedAt: windowEndsAt + 59_999 });
    expect(message).toContain('since 2026-11-21 14:30 UTC;');
  },
);

test.each([
  ['0', '0 operations are used'],
  ['1', '1 operation is used'],
  ['2', '2 operations are used'],
])('%s used operations are counted in whole words', (used, words) => {
  expect(explainDenial('LIMIT_REACHED', { ...evidenceOf('LIMIT_REACHED'), used }).message).toContain(words);
});

test('a limit in dollars is shown to the millionth, rounded up, and a lifetime as one', () => {
  const amounts = {
    unit: 'usd',
    threshold: '5000000000000000000',
    used: '4999999999999999999',
    amount: '1234567800000000001',
  };
  const { message, hint } = explainDenial('LIMIT_REACHED', {
    ...evidenceOf('LIMIT_REACHED'),
    ...amounts,
    scope: 'SMART_ACCOUNT',
    windowEndsAt: null,
  });
  expect(message).toContain('allows $5 per user in total; $5 is used, and this operation takes $1.234568.');
  expect(hint).toContain('never resets');
});

test('a limit of each operation names both amounts', () => {
  const amounts = { unit: 'usd', threshold: '500000000000000000', used: '0', amount: '1200000000000000000' };
  const { message } = explainDenial('LIMIT_TOO_SMALL', {
    ...evidenceOf('LIMIT_REACHED'),
    ...amounts,
    scope: 'OPERATION',
    windowEndsAt: null,
  });
  expect(message).toContain('allows $0.50 for each operation, less than the $1.20 that this operation may take.');
});

test('users who prefund get no advice to approve in the batch, which would come too late', () => {
  const { hint } = explainDenial('TOKEN_ALLOWANCE_SHORT', { ...evidenceOf('TOKEN_ALLOWANCE_SHORT'), prefund: true });
  expect(hint).toContain('before this operation');
  expect(hint).not.toContain('in the batch');
});

test('a limit per user says so, and money is shown to the wei', () => {
  const evidence = {
    ...evidenceOf('LIMIT_REACHED'),
    scope: 'SMART_ACCOUNT',
    unit: 'wei',
    threshold: '3',
    used: '2',
    amount: '2',
  };
  const { message } = explainDenial('LIMIT_REACHED', evidence);
  expect(message).toContain('allows 0.000000000000000003 of the native coin per user and window');
  expect(message).toContain('0.000000000000000002 of the native coin is used');
});
