import { expect, test } from 'vitest';
import { previewLimit } from './preview-limit.ts';

const HOUR = 3_600_000;
const from = 1_000_000;
const of = (sender: string, hour: number, costWei = 10n) => ({ sender, at: from + hour * HOUR, costWei });
const hourly = { cycleDuration: { value: 1, unit: 'hour' }, thresholdType: 'COUNT' } as const;
const traffic = [of('ann', 0), of('ann', 0.5), of('bob', 0.6), of('ann', 0.9), of('ann', 1.1), of('bob', 5)];

test('of a limit per user: who would have reached it, window by window', () => {
  expect(previewLimit({ ...hourly, type: 'SMART_ACCOUNT', threshold: '2' }, from, traffic)).toEqual({
    ...{ users: 2, usersReached: 1, operations: 6, operationsDenied: 1 },
  });
});

test('of a limit for all: whoever came too late', () => {
  expect(previewLimit({ ...hourly, type: 'PAYMASTER', threshold: '2' }, from, traffic)).toEqual({
    ...{ users: 2, usersReached: 2, operations: 6, operationsDenied: 2 },
  });
});

test('of a limit on spending: what is denied takes nothing, so that a smaller one fits after it', () => {
  const limit = {
    ...hourly,
    type: 'PAYMASTER',
    thresholdType: 'NATIVE_ASSET',
    threshold: '0.000000000000000015',
  } as const;
  expect(previewLimit(limit, from, [of('ann', 0), of('bob', 0), of('cid', 0, 5n)])).toMatchObject({
    ...{ usersReached: 1, operationsDenied: 1 },
  });
});

test('of no traffic is nothing', () => {
  expect(previewLimit({ ...hourly, type: 'PAYMASTER', threshold: '2' }, from, [])).toMatchObject({
    ...{ users: 0, usersReached: 0, operations: 0 },
  });
});
