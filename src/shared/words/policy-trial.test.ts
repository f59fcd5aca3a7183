import { expect, test } from 'vitest';
import { assumedSentence, chartedSentence, trialSentence, unknownSentence } from './policy-trial.ts';

const COIN = 10n ** 18n;
const trial = (changes: object, after = 5n * COIN) => ({
  decisions: 4210,
  nowSponsored: 0,
  nowDenied: 0,
  unknown: 0,
  senders: { nowSponsored: 2, nowDenied: 3 },
  costWei: { before: String(5n * COIN), after: String(after) },
  ...changes,
});

test.each([
  [trial({ decisions: 0 }), 'There are no decisions to try it on.'],
  [trial({}), 'On these 4,210 decisions this would have changed nothing.'],
  [trial({ unknown: 2 }), 'On these 4,210 decisions this would have changed none that could be evaluated.'],
  [trial({ decisions: 1 }), 'On this 1 decision this would have changed nothing.'],
  [
    trial({ nowDenied: 31 }, (4988n * COIN) / 1000n),
    'On these 4,210 decisions this would have denied 31 operations of 3 users, and saved 0.012 ETH.',
  ],
  [
    trial({ nowSponsored: 1, senders: { nowSponsored: 1, nowDenied: 0 } }, 6n * COIN),
    'On these 4,210 decisions this would have sponsored 1 operation of 1 user, and cost at most 1 ETH more.',
  ],
  [
    trial({ nowDenied: 4, nowSponsored: 5 }, 4n * COIN),
    'On these 4,210 decisions this would have denied 4 operations of 3 users, sponsored 5 operations of 2 users, and saved 1 ETH.',
  ],
])('%o', (report, sentence) => expect(trialSentence(report, 'ETH')).toBe(sentence));

test('the sentence may say when the decisions were made', () => {
  const denied = trial({ nowDenied: 31 }, (4988n * COIN) / 1000n);
  expect(trialSentence(denied, 'ETH', 'last 7 days')).toBe(
    'On the 4,210 decisions of the last 7 days this would have denied 31 operations of 3 users, and saved 0.012 ETH.',
  );
  expect(trialSentence(trial({ decisions: 0 }), 'ETH', 'last 7 days')).toBe(
    'There are no decisions of the last 7 days to try it on.',
  );
});

test('savings are also shown in dollars, if the price of the coin is known', () => {
  const denied = trial({ nowDenied: 31 }, (4988n * COIN) / 1000n);
  expect(trialSentence(denied, 'ETH', '', '3000')).toMatch(/ and saved 0\.012 ETH \(\$36\)\.$/);
});

test('what could not be evaluated is counted by cause, the most frequent first', () => {
  expect(unknownSentence(1_013, { price: 13, webhook: 1_000 })).toBe(
    '1,013 could not be evaluated: 1,000 because a webhook was not called at the time, 13 because the price of the coin was not read.',
  );
  expect(unknownSentence(12, { record: 9, gas: 2, token: 1 })).toBe(
    '12 could not be evaluated: 9 because their records are incomplete, 2 because their gas was not estimated at the time, 1 because a token balance was not read.',
  );
});

test.each([
  [{ gas: 1 }, '1 could not be evaluated: its gas was not estimated at the time.'],
  [{ gas: 7 }, '7 could not be evaluated: their gas was not estimated at the time.'],
  [{ person: 7 }, '7 could not be evaluated: no person was verified at the time.'],
  [{ record: 1 }, '1 could not be evaluated: its record is incomplete.'],
])('a single cause is not counted again: %o', (causes, sentence) => {
  expect(unknownSentence(Object.values(causes)[0] ?? 0, causes)).toBe(sentence);
});

test('what was evaluated under an assumption is said apart, with the assumption', () => {
  const counts = { decisions: 12, same: 8, nowSponsored: 1, nowDenied: 3, costWei: { before: '0', after: '0' } };
  expect(assumedSentence({ ...counts, by: { price: 12, webhook: 2 }, usd: '3000' }, 'ETH')).toBe(
    'Not counted above: assuming that one ETH cost $3000 and that each webhook that was not called agreed, on 12 further decisions this would have denied 3 operations, sponsored 1 operation.',
  );
  expect(assumedSentence({ ...counts, decisions: 0, by: {}, usd: null }, 'ETH')).toBe(
    'No further decision can be evaluated under these assumptions.',
  );
});

test('the first sentence leaves out the decisions that need an assumption', () => {
  const counts = { nowSponsored: 0, nowDenied: 0, senders: { nowSponsored: 0, nowDenied: 0 } };
  const sentence = (decisions: number): string => {
    const report = { ...trial(counts, 0n), costWei: { before: '0', after: '0' }, unknown: 0, decisions };
    return trialSentence({ ...report, assumed: { decisions: 141 } }, 'ETH', 'last 7 days');
  };
  expect(sentence(165)).toBe('On the 24 decisions of the last 7 days this would have changed nothing.');
  expect(sentence(141)).toBe('No decision could be evaluated without an assumption.');
});

test('a chart says how many of its decisions rest on an assumption', () => {
  expect(chartedSentence(1200, 900)).toBe('1,200 operations sponsored before, 900 with the change');
  expect(chartedSentence(1200, 900, 1)).toMatch(/, including 1 decision by assumption$/);
  expect(chartedSentence(1200, 900, 4500)).toMatch(/, including 4,500 decisions by assumption$/);
});
