import { expect, test } from 'vitest';
import { useDesk } from '../support/desk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { limit } from './fixtures.ts';

const clock = new ManualClock();
const desk = useDesk({ clock });
const HOUR = 3_600_000;
const path = '/paymaster-policy';

interface LimitRecord {
  readonly _id: string;
  readonly active: boolean;
  readonly policyData: Record<string, unknown>;
}

/** A DApp with one limit, and what its tests do with it. Thresholds go in and out as JSON text: floats would round. */
const dappWithLimit = async (data: object = {}, threshold = '5') => {
  const { credentials: headers } = await desk().dapp();
  const policyData = { ...limit.policyData, ...data, threshold: '@' };
  const text = JSON.stringify({ ...limit, policyData }).replace('"@"', threshold);
  const created = await desk().send('POST', `/api/v2/public/sdk${path}`, { headers, body: text });
  const { data: record } = created.body as { data?: LimitRecord };
  const id = record?._id ?? '';
  const list = () => desk().send('GET', `/api/v2/public/sdk${path}`, { headers });
  return {
    created,
    update: (body: unknown) => desk().manage('PATCH', `${path}/limit/${id}`, { headers, body }),
    pause: () => desk().manage('PATCH', `${path}/deactivate/${id}`, { headers }),
    unpause: () => desk().manage('PATCH', `${path}/activate/${id}`, { headers }),
    list,
    read: async () => ((await list()).body as { data: LimitRecord[] }).data[0]!,
  };
};

test.each([
  ['1.000000000000000001', '1.000000000000000001'],
  ['0.1', '0.1'],
  ['1e-18', '0.000000000000000001'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['0.300000000000000000', '0.3'],
  ['9007199254740993', undefined],
  ['123456789012345.123456789012345678', '123456789012345.123456789012345678'],
  ['2.50E+1', '25'],
  ['1e-19', undefined],
  ['1e308', undefined],
  ['-0.1', undefined],
  ['0', undefined],
  ['0.0', undefined],
  ['-0', undefined],
  ['1e-999999999', undefined],
])('an operator who allows %s coins allows exactly that, on creation and on update', async (sent, kept) => {
  const dapp = await dappWithLimit({ thresholdType: 'NATIVE_ASSET' }, sent);
  const other = await dappWithLimit({ thresholdType: 'NATIVE_ASSET' }, '77');
  const updated = await other.update(`{"threshold":${sent}}`);
  if (kept === undefined) {
    const errors = [dapp.created.body, updated].map((body) => (body as { message: string }).message);
    for (const error of errors) expect(error).toMatch(/^threshold must be a positive number/);
    expect((await other.list()).text).toContain('"threshold":77,');
    return;
  }
  for (const { text } of [dapp.created, await dapp.list(), await other.list()]) {
    expect(text).toContain(`"threshold":${kept},`);
  }
});

test.each([
  ['5', '5'],
  ['5.0', '5'],
  ['1e3', '1000'],
  ['999999999999999', '999999999999999'],
  ['9007199254740993', undefined],
  ['0.5', undefined],
])('a count of %s operations is kept or refused, never rounded', async (sent, kept) => {
  const { created } = await dappWithLimit({}, sent);
  if (kept !== undefined) expect(created.text).toContain(`"threshold":${kept},`);
  else expect(created.body).toMatchObject({ statusCode: 400, message: expect.stringMatching(/^threshold must be a/) });
});

test.each<[sent: unknown, kept: { value: number; unit: string }]>([
  [
    { value: 3, unit: 'hour' },
    { value: 3, unit: 'hour' },
  ],
  ['{"value":3,"unit":"hour"}', { value: 3, unit: 'hour' }],
  [' {"unit": "day", "value": 2} ', { value: 2, unit: 'day' }],
  ['3 hour', { value: 3, unit: 'hour' }],
  ['3 hours', { value: 3, unit: 'hour' }],
  ['2 day', { value: 2, unit: 'day' }],
  ['2 days', { value: 2, unit: 'day' }],
  ['  2   days  ', { value: 2, unit: 'day' }],
  ['2days', { value: 2, unit: 'day' }],
  ['2\tdays\n', { value: 2, unit: 'day' }],
  ['366 days', { value: 366, unit: 'day' }],
  ['3 weeks', { value: 3, unit: 'week' }],
  ['{"value":3,"unit":"week"}', { value: 3, unit: 'week' }],
  ['lifetime', { value: 1, unit: 'lifetime' }],
  [{ unit: 'lifetime' }, { value: 1, unit: 'lifetime' }],
])('the limit update takes the cycle %j', async (cycleDuration, kept) => {
  const dapp = await dappWithLimit();
  expect(await dapp.update({ cycleDuration })).toEqual({ statusCode: 200, message: 'Paymaster Limit updated' });
  const { policyData } = await dapp.read();
  expect(policyData).toMatchObject({ cycleDuration: kept });
  const lengths: Record<string, number> = { hour: HOUR, day: 24 * HOUR, week: 168 * HOUR };
  const length = lengths[kept.unit];
  expect(policyData['durationInMs']).toBe(length && kept.value * length);
});

const FORMS =
  'cycleDuration must be {value, unit}, a string of that JSON, or a string such as "3 hours", "2 days", "1 week" or "lifetime"';

test.each<[sent: unknown, message: string]>([
  [null, FORMS],
  [3, FORMS],
  [[], FORMS],
  ['', FORMS],
  ['hours', FORMS],
  ['3 months', FORMS],
  ['3 hours 2 days', FORMS],
  ['-3 hours', FORMS],
  ['1.5 hours', FORMS],
  ['３ hours', FORMS],
  ['9999999999999999999 hours', FORMS],
  ['[]', FORMS],
  ['null', FORMS],
  ['7', FORMS],
  ['"3 hours"', FORMS],
  ['{"value":3', FORMS],
  ['{}', 'cycleDuration.value must be a positive integer'],
  ['0 hours', 'cycleDuration.value must be a positive integer'],
  [{ value: '3', unit: 'hour' }, 'cycleDuration.value must be a positive integer'],
  [{ value: 3, unit: 'hours' }, 'cycleDuration.unit must be one of: hour, day, week, lifetime'],
  ['{"value":3,"unit":"month"}', 'cycleDuration.unit must be one of: hour, day, week, lifetime'],
  [{ value: 3, unit: 'hour', more: 1 }, 'cycleDuration.more should not exist'],
  ['{"value":3,"unit":"hour","__proto__":{}}', 'cycleDuration.__proto__ should not exist'],
  ['367 days', 'cycleDuration must be at most 366 days'],
  ['53 weeks', 'cycleDuration must be at most 366 days'],
  [{ value: 2, unit: 'lifetime' }, 'cycleDuration.value must be 1 or left out: a lifetime has no length'],
])('the limit update refuses the cycle %j and says what it takes', async (cycleDuration, message) => {
  const dapp = await dappWithLimit();
  const before = await dapp.read();
  expect(await dapp.update({ cycleDuration })).toMatchObject({ statusCode: 400, message });
  expect(await dapp.read()).toEqual(before);
});

test('a threshold of half a million digits is refused, not counted', async () => {
  const { created } = await dappWithLimit({ thresholdType: 'NATIVE_ASSET' }, `0.${'1'.repeat(500_000)}`);
  const message = 'threshold must be a positive number of at most 100 digits';
  expect(created.body).toMatchObject({ statusCode: 400, message });
});

test('any update restarts the cycle, an empty one too; fields that it does not name stay', async () => {
  const dapp = await dappWithLimit();
  const { policyData } = await dapp.read();
  expect(policyData['startTimeInEpoch']).toBe(clock.now());
  for (const update of [{}, { name: 'Renamed' }, { threshold: 5 }]) {
    await clock.advance(HOUR);
    expect((await dapp.update(update)).statusCode).toBe(200);
    expect((await dapp.read()).policyData).toEqual({ ...policyData, startTimeInEpoch: clock.now() });
  }
  expect(await dapp.read()).toMatchObject({ name: 'Renamed', active: true });
});

test('a refused update leaves the cycle alone', async () => {
  const dapp = await dappWithLimit();
  const before = await dapp.read();
  await clock.advance(HOUR);
  await dapp.update({ threshold: 0 });
  await dapp.update({ name: '' });
  expect(await dapp.read()).toEqual(before);
});

test('a count cannot become a fraction by changing one of threshold and thresholdType', async () => {
  const dapp = await dappWithLimit({ thresholdType: 'NATIVE_ASSET' }, '0.5');
  const error = { statusCode: 400, message: 'threshold must be a positive integer' };
  expect(await dapp.update({ thresholdType: 'COUNT' })).toMatchObject(error);
  expect((await dapp.update({ thresholdType: 'COUNT', threshold: 5 })).statusCode).toBe(200);
  expect(await dapp.update({ threshold: 0.5 })).toMatchObject(error);
});

test.each([
  ['COUNT', 'NATIVE_ASSET'],
  ['NATIVE_ASSET', 'COUNT'],
])('five of %s do not become five of %s because an update names nothing but the type', async (before, after) => {
  const dapp = await dappWithLimit({ thresholdType: before }, '5');
  const read = await dapp.read();
  expect(await dapp.update({ thresholdType: after })).toMatchObject({
    statusCode: 400,
    message: 'threshold must be given with another thresholdType',
  });
  expect(await dapp.read()).toEqual(read);
  expect((await dapp.update({ thresholdType: before })).statusCode).toBe(200);
  expect((await dapp.update({ thresholdType: after, threshold: 6 })).statusCode).toBe(200);
});

test('pause and unpause may be repeated and do not give anyone a new cycle', async () => {
  const dapp = await dappWithLimit();
  const before = await dapp.read();
  for (const [act, active] of [
    [dapp.pause, false],
    [dapp.pause, false],
    [dapp.unpause, true],
    [dapp.unpause, true],
  ] as const) {
    await clock.advance(HOUR);
    expect((await act()).statusCode).toBe(200);
    expect(await dapp.read()).toEqual({ ...before, active });
  }
});

test('an update of a paused limit leaves it paused', async () => {
  const dapp = await dappWithLimit();
  await dapp.pause();
  await dapp.update({ threshold: 9 });
  expect(await dapp.read()).toMatchObject({ active: false, policyData: { threshold: 9 } });
});

test('two updates of different fields at once are both kept', async () => {
  const dapp = await dappWithLimit();
  await Promise.all([dapp.update({ threshold: 9 }), dapp.update({ cycleDuration: '2 hours' }), dapp.pause()]);
  const cycleDuration = { value: 2, unit: 'hour' };
  expect(await dapp.read()).toMatchObject({ active: false, policyData: { threshold: 9, cycleDuration } });
});
