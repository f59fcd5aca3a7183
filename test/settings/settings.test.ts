import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { operation, sponsorRequest } from '../support/operations.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { startLocalEngine } from '../../src/demo/world.ts';
import { loadConfig } from '../../src/engine/config/config.ts';

const tempFolder = useTempFolders();
let dir: string;
let engine: ServingEngine;
const start = async (flags = {}): Promise<void> => {
  engine = await startEngine({ dir, clock: new ManualClock(), flags });
};
beforeEach(async () => {
  dir = tempFolder();
  await start();
});
afterEach(() => engine.stop());

const file = () => join(dir, 'gasdesk.json');
const stored = () => JSON.parse(readFileSync(file(), 'utf8')) as unknown;
const set = (key: string, value: unknown) => engine.service.call('config.set', { key, value });
const setting = async (key: string): Promise<ProcedureOutput<'config.set'> | undefined> =>
  (await engine.service.call('config.get', {})).settings.find((one) => one.key === key);
const ask = async (apiKey: string) =>
  (
    await engine.post(
      `/api/v1/31337/${apiKey}`,
      sponsorRequest([operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }), { mode: 'SPONSORED' }]),
    )
  ).body.error?.code;

test('every setting is shown with its value, where it comes from and what it accepts', async () => {
  const { file: shown, settings } = await engine.service.call('config.get', {});
  expect(shown).toBe(file());
  expect(settings.map(({ key }) => key).toSorted()).toEqual(Object.keys(loadConfig({})).toSorted());
  expect(await setting('port')).toMatchObject({ value: 0, source: '--port', change: 'no', next: null });
  expect(await setting('rateLimitPerKey')).toEqual({
    key: 'rateLimitPerKey',
    value: 120_000,
    next: null,
    source: 'default',
    change: 'now',
    accepts: 'an integer from 0 to 1000000 (requests per minute, 0 for no limit)',
  });
});

describe('a change', () => {
  test('of a rate limit applies to the next request, and stays after a restart', async () => {
    const { apiKey } = await engine.dapp({});
    const answers = async () => [await ask(apiKey), await ask(apiKey)];
    expect(await answers()).toEqual([-32052, -32052]);
    expect(await set('rateLimitPerKey', 1)).toMatchObject({ value: 1, next: null, source: file(), change: 'now' });
    expect(await answers()).toEqual([-32052, -32029]);
    await engine.stop();
    await start();
    expect(await setting('rateLimitPerKey')).toMatchObject({ value: 1, source: file() });
    expect(await answers()).toEqual([-32052, -32029]);
    expect(await set('rateLimitPerKey', null)).toMatchObject({ value: 120_000, source: 'default' });
    expect(await answers()).toEqual([-32052, -32052]);
    expect(stored()).toEqual({});
  });

  test('that a start is needed for says so, and is in force then', async () => {
    expect(await set('webhookAllowPrivate', false)).toMatchObject({ value: true, next: false, change: 'restart' });
    await engine.stop();
    await start();
    expect(await setting('webhookAllowPrivate')).toMatchObject({ value: false, next: null });
  });

  test('leaves the other settings of the file as they are', async () => {
    writeFileSync(file(), '{"chainTimeoutMs": 1234}');
    await set('webhookTimeoutMs', '2500');
    expect(stored()).toEqual({ chainTimeoutMs: 1234, webhookTimeoutMs: 2500 });
  });

  test.each([
    ['webhookTimeoutMs', 99, 'CONFIG_INVALID', 'must be an integer from 100 to 30000'],
    ['webhookTimeoutMs', 'soon', 'CONFIG_INVALID', 'must be an integer from 100 to 30000'],
    ['showReasons', 1, 'CONFIG_INVALID', 'must be true or false'],
    ['port', 1, 'CONFIG_NOT_CHANGEABLE', 'cannot be changed here'],
    ['logLevel', 'debug', 'CONFIG_NOT_CHANGEABLE', 'cannot be changed here'],
    ['prot', 1, 'CONFIG_NOT_CHANGEABLE', 'prot is not a setting'],
    ['__proto__', 1, 'CONFIG_NOT_CHANGEABLE', 'is not a setting'],
  ])('of %s to %s is refused, and nothing is written', async (key, value, code, message) => {
    await expect(set(key, value)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(() => readFileSync(file())).toThrow('ENOENT');
  });

  test('of what a flag sets is refused with the flag, since the flag would win', async () => {
    await engine.stop();
    await start({ rateLimitPerIp: 9 });
    expect(await setting('rateLimitPerIp')).toMatchObject({
      value: 9,
      change: 'overridden',
      source: '--rate-limit-per-ip',
    });
    await expect(set('rateLimitPerIp', 1)).rejects.toMatchObject({
      code: 'CONFIG_OVERRIDDEN',
      message: expect.stringContaining('--rate-limit-per-ip sets rateLimitPerIp'),
    });
  });

  test('of a damaged file is refused with the error, and the file is left for repair', async () => {
    writeFileSync(file(), '{"port": "x"}');
    await expect(set('showReasons', false)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('port'),
    });
    expect(stored()).toEqual({ port: 'x' });
  });
});

test('on a desk of gasdesk dev, settings can be changed as on any other', async () => {
  const own = tempFolder();
  const desk = await startLocalEngine(own);
  const { settings } = await desk.service.call('config.get', {});
  expect(settings.filter(({ source }) => source !== 'default').map(({ key }) => key)).toEqual(['port', 'logLevel']);
  const changed = await desk.service.call('config.set', { key: 'showReasons', value: false });
  await desk.stop();
  expect(changed).toMatchObject({ value: false, source: join(own, 'gasdesk.json') });
});
