import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemEntropy } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { leaseTarget } from '../../src/engine/continuous-backup/take-lead.ts';
import { openTarget } from '../../src/engine/continuous-backup/open-target.ts';
import type { CopyTarget, TargetPlace } from '../../src/engine/continuous-backup/target.ts';
import { gasdesk } from '../support/cli.ts';
import { startEngine } from '../support/engine.ts';
import { startObjectStore } from '../support/object-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const BUCKET = 'desks';
const NO_S3 = { endpoint: '', region: 'us-east-1', accessKeyId: '', secretAccessKey: '' };

let store: Awaited<ReturnType<typeof startObjectStore>>;
beforeAll(async () => {
  store = await startObjectStore(tempFolder(), BUCKET);
});
afterAll(() => store.stop());

const places: Record<string, () => TargetPlace> = {
  'a folder': () => ({ target: join(tempFolder(), 'made', 'by', 'it'), s3: NO_S3 }),
  'an object store': () => ({ target: `s3://${BUCKET}/desk-${Math.random()}`, s3: { ...NO_S3, ...store } }),
};

describe.each(Object.keys(places))('%s', (kind) => {
  const open = (): CopyTarget => openTarget(places[kind]!());

  test('is empty at first, and has no object that was not stored', async () => {
    const target = open();
    expect(await target.list('')).toEqual([]);
    expect(await target.read('a/b')).toBeUndefined();
  });

  test('returns what was stored last under a name', async () => {
    const target = open();
    const bytes = Buffer.from([...Array(256).keys()]);
    await target.write('run/changes/1', Buffer.from('first'));
    await target.write('run/changes/1', bytes);
    expect(Buffer.compare((await target.read('run/changes/1'))!, bytes)).toBe(0);
  });

  test('lists names in order, by their beginning, and however many there are', async () => {
    const target = open();
    const names = Array.from({ length: 1_100 }, (_, index) => `run/changes/${String(index).padStart(6, '0')}`);
    for (let first = 0; first < names.length; first += 50) {
      await Promise.all(names.slice(first, first + 50).map((name) => target.write(name, Buffer.from('x'))));
    }
    await target.write('marker.json', Buffer.from('{}'));
    expect(await target.list('')).toEqual(['marker.json', ...names]);
    expect(await target.list('run/changes/00000')).toEqual(names.slice(0, 10));
  });

  test('creates an object once, even if several ask at the same time', async () => {
    const target = open();
    const made = await Promise.all([0, 1, 2].map((index) => target.create('lease/1', Buffer.from([index]))));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await target.read('lease/1')).toEqual(Buffer.from([made.indexOf(true)]));
    expect(await target.create('lease/1', Buffer.from('later'))).toBe(false);
    expect(await target.create('lease/2', Buffer.from('x'))).toBe(true);
  });

  test('removes objects, also those that are gone', async () => {
    const target = open();
    await target.write('one', Buffer.from('1'));
    await target.write('two', Buffer.from('2'));
    await target.remove(['one', 'never']);
    expect(await target.list('')).toEqual(['two']);
  });
});

describe('a copy in an object store', () => {
  test('comes back; its settings may come from the environment', async () => {
    const [dir, fresh] = [tempFolder(), join(tempFolder(), 'fresh')];
    const target = `s3://${BUCKET}/comes-back`;
    const { endpoint: s3Endpoint, accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey } = store;
    const flags = { logLevel: 'silent', s3Endpoint, s3AccessKeyId, s3SecretAccessKey };
    const { service, stop } = await startEngine({ dir, flags });
    await service.call('backups.follow', { target });
    await service.call('accounts.create', { name: 'Copied' });
    await stop();
    const env = {
      GASDESK_PASSPHRASE: PASSPHRASE,
      GASDESK_S3_ENDPOINT: s3Endpoint,
      GASDESK_S3_ACCESS_KEY_ID: s3AccessKeyId,
      GASDESK_S3_SECRET_ACCESS_KEY: s3SecretAccessKey,
    };
    // With a slash at the end, as a shell completes a path.
    expect(await gasdesk(['restore', `${target}/`, '--data', fresh], env)).toMatchObject({ code: 0 });
    const { stdout } = await gasdesk(['account', 'list', '--data', fresh], { GASDESK_PASSPHRASE: PASSPHRASE });
    expect(stdout).toMatch('Copied');
  });

  test.each([
    ['a wrong key', { secretAccessKey: 'wrong' }, /SignatureDoesNotMatch/],
    ['no key', { secretAccessKey: '' }, /s3SecretAccessKey/],
    ['a store that is not there', { endpoint: 'http://127.0.0.1:1' }, /does not answer/],
  ])('says what is wrong with %s', async (_, difference, words) => {
    const target = openTarget({ target: `s3://${BUCKET}/x`, s3: { ...NO_S3, ...store, ...difference } });
    await expect(target.list('')).rejects.toThrow(words);
  });

  test('says that a bucket does not exist', async () => {
    const target = openTarget({ target: 's3://nowhere/x', s3: { ...NO_S3, ...store } });
    await expect(target.write('a', Buffer.from('x'))).rejects.toThrow('nowhere');
  });
});

describe('a command', () => {
  const env = { GASDESK_PASSPHRASE: PASSPHRASE };
  const unreachable = { ...env, GASDESK_S3_ACCESS_KEY_ID: 'id', GASDESK_S3_SECRET_ACCESS_KEY: 'key' };
  const targets: [string, () => string, Record<string, string>, RegExp][] = [
    ['without the key of the store', () => `s3://${BUCKET}/x`, env, /needs the settings s3AccessKeyId/],
    [
      'whose store is unreachable',
      () => `s3://${BUCKET}/x`,
      { ...unreachable, GASDESK_S3_ENDPOINT: 'http://127.0.0.1:1' },
      /does not answer/,
    ],
  ];

  test.each(targets)('says what is wrong with a target %s', async (_, target, settings, words) => {
    for (const command of [
      ['restore', target()],
      ['serve', '--standby', target(), '--port', '0'],
    ]) {
      const { code, stderr } = await gasdesk([...command, '--data', join(tempFolder(), 'fresh')], settings);
      expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
      expect(stderr).not.toMatch(/Internal error/);
    }
  });

  test.each(['', 's3://', 'S3://desks/x', 'https://store.example/desks'])(
    'creates no folder for an invalid target: "%s"',
    async (target) => {
      for (const command of [
        ['backup', '--follow', target],
        ['restore', target],
        ['serve', '--standby', target],
      ]) {
        const { code, stderr } = await gasdesk([...command, '--data', join(tempFolder(), 'fresh')], env);
        expect([code, stderr]).toEqual([2, expect.stringContaining('Use a path, or s3://BUCKET/PREFIX')]);
      }
    },
  );
});

test('a store that ignores conditions is refused by a desk whose answers wait, and by a standby', async () => {
  const careless = await startObjectStore(tempFolder(), BUCKET, { ignoresConditions: true });
  onTestFinished(() => careless.stop());
  const place = { target: `s3://${BUCKET}/desk`, s3: { ...NO_S3, ...careless } };
  await expect(leaseTarget(place, systemEntropy)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('If-None-Match') as string,
  });
  expect(await openTarget(place).list('')).toEqual([]);
});

test('a desk that ends waits 10 s for an object store that does not answer, and no longer', async () => {
  const sockets: Socket[] = [];
  let isSilent = false;
  const line = createServer((client) => {
    sockets.push(client);
    if (isSilent) return;
    const upstream = connect(Number(new URL(store.endpoint).port), '127.0.0.1');
    sockets.push(upstream);
    client.pipe(upstream).pipe(client);
  });
  const cut = (): void => sockets.splice(0).forEach((socket) => socket.destroy());
  onTestFinished(() => {
    cut();
    line.close();
  });
  await once(line.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
  const { accessKeyId, secretAccessKey } = store;
  const flags = { port: 0, s3Endpoint: endpoint, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey };
  const clock = new ManualClock();
  const config = { config: loadConfig({ flags }), configSources: { flags } };
  const engine = await quickEngine(tempFolder(), { ...config, clock });
  await engine.serve();
  const follow = () => engine.service.call('backups.follow', { target: `s3://${BUCKET}/silent` });
  expect(await follow()).toMatchObject({ error: null });
  await engine.service.call('accounts.create', { name: 'Not copied yet' });
  isSilent = true;
  cut();
  const failing = follow().catch((error: unknown) => error);
  await expect.poll(() => sockets.length).toBeGreaterThan(0);

  const stopped = engine.stop();
  await expect.poll(() => clock.pending).toBe(1);
  await clock.advance(10_000);
  await stopped;
  expect(clock.pending).toBe(0);
  expect(await failing).toMatchObject({ code: 'BACKUP_FAILED' });
});

test('a desk starts after 5 s although its object store does not answer, and says what it waits for', async () => {
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  onTestFinished(() => {
    silent.close();
    sockets.forEach((socket) => socket.destroy());
  });
  const s3Endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const target = `s3://${BUCKET}/desk`;
  const access = { s3Endpoint, s3AccessKeyId: 'id', s3SecretAccessKey: 'key' };
  const flags = { port: 0, continuousBackup: target, ...access };
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => void lines.push(line) });
  const clock = new ManualClock();
  const engine = await quickEngine(tempFolder(), { config: loadConfig({ flags }), clock, log });

  const serving = engine.serve();
  await expect.poll(() => sockets.length).toBe(1);
  await clock.advance(1_000);
  expect(lines).toEqual([expect.stringContaining(`The start waits for ${target}, for at most 5 s`)]);
  await clock.advance(3_999);
  expect(await Promise.race([serving, 'still waiting'])).toBe('still waiting');
  await clock.advance(1);
  expect(await serving).toMatch('http://');

  const stopped = engine.stop();
  await expect.poll(() => clock.pending).toBe(1);
  await clock.advance(10_000);
  await stopped;
});
