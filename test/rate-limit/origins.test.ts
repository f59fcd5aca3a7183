import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operation, sponsorRequest } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const APP = 'https://app.example';
let dir: string;
let engine: ServingEngine;
let dapp: SponsoredDapp;
let other: SponsoredDapp;
beforeAll(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir });
  dapp = await engine.dapp({});
  other = await engine.dapp({});
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

const allow = (...origins: string[]) =>
  engine.service.call('paymasters.setOrigins', { paymasterId: dapp.paymasterId, origins });
beforeEach(() => allow(APP, 'http://localhost:3000'));

const body = sponsorRequest([operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }), { mode: 'SPONSORED' }]);
const post = ({ apiKey }: SponsoredDapp, headers: Record<string, string>) =>
  engine.post(`/api/v1/31337/${apiKey}`, body, headers);
/** A desk without a contract: the request came through to deciding. */
const DECIDED = -32052;

/** Who may read an answer, and what it says. */
const told = async (from: SponsoredDapp, headers: Record<string, string>) => {
  const { status, headers: answered, body: answer } = await post(from, headers);
  return [status, answered.get('access-control-allow-origin'), answer.error?.code];
};

describe('a DApp with allowed origins', () => {
  test.each([APP, 'http://localhost:3000'])('answers a browser on %s, and it alone may read', async (origin) => {
    expect(await told(dapp, { origin })).toEqual([400, origin, DECIDED]);
    expect((await post(dapp, { origin })).headers.get('vary')).toBe('Origin');
  });

  test.each([
    'https://evil.example',
    'http://app.example',
    'https://app.example:8443',
    'https://sub.app.example',
    'https://app.example.evil.example',
    'null',
    '*',
  ])('refuses a browser on %s before deciding', async (origin) => {
    const count = (await engine.service.call('system.info', {})).decisions;
    expect(await told(dapp, { origin })).toEqual([403, null, -32600]);
    expect((await post(dapp, { origin })).body).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { message: `The origin ${origin} may not use this API key` },
    });
    expect((await engine.service.call('system.info', {})).decisions).toBe(count);
  });

  test('answers programs, which send no origin', async () => {
    expect((await told(dapp, {}))[2]).toBe(DECIDED);
  });

  test('applies to the key in a header, too', async () => {
    const { status } = await engine.post('/rpc/31337', body, { apiKey: dapp.apiKey, origin: 'https://evil.example' });
    expect(status).toBe(403);
  });

  test('says no more to a stranger about unknown keys than about keys open to all', async () => {
    const origin = 'https://evil.example';
    expect(await told({ ...dapp, apiKey: 'nobody' }, { origin })).toEqual([401, '*', -32051]);
    expect(await told(other, { origin })).toEqual([400, '*', DECIDED]);
  });

  test.each([
    ['an allowed origin', APP, 204, APP],
    ['another', 'https://evil.example', 403, null],
  ])('answers the preflight of %s accordingly', async (_, origin, status, allowed) => {
    const answer = await fetch(`${engine.url}/api/v2/31337/${dapp.apiKey}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, allowed]);
  });

  test('may be read from anywhere again', async () => {
    await allow('*');
    expect(await told(dapp, { origin: 'https://evil.example' })).toEqual([400, '*', DECIDED]);
  });

  test('may be closed to browsers', async () => {
    await allow();
    expect((await told(dapp, { origin: APP }))[0]).toBe(403);
  });
});

describe('setting origins', () => {
  test('keeps them as browsers write them', async () => {
    const { allowedOrigins } = await allow(
      'HTTPS://App.Example:443/',
      'http://[::1]:80',
      'https://xn--bcher-kva.example',
      'https://bücher.example',
      'chrome-extension://AbCd/',
    );
    expect(allowedOrigins).toEqual([
      'https://app.example',
      'http://[::1]',
      'https://xn--bcher-kva.example',
      'chrome-extension://abcd',
    ]);
  });

  test.each(['app.example', 'https://app.example/path', 'https://*.example', 'https://', 'https://a@b', ''])(
    'refuses %j, which no browser sends',
    async (origin) => {
      await expect(allow(origin)).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringContaining('origin such as https://app.example') as string,
      });
    },
  );

  test('needs a DApp that there is', async () => {
    const call = engine.service.call('paymasters.setOrigins', { paymasterId: 'nobody', origins: [] });
    await expect(call).rejects.toMatchObject({ code: 'PAYMASTER_NOT_FOUND' });
  });
});

describe('gasdesk dapp origins', () => {
  const run = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((done) => {
      const command = [resolve(import.meta.dirname, '../../src/cli/index.ts'), 'dapp', ...args, '--data', dir];
      execFile(process.execPath, command, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });

  test('applies at once, while the engine runs, and is listed', async () => {
    const set = await run('origins', dapp.paymasterId, '--allow', 'https://a.example', 'https://b.example', '--json');
    expect(JSON.parse(set.stdout)).toMatchObject({ allowedOrigins: ['https://a.example', 'https://b.example'] });
    expect((await told(dapp, { origin: APP }))[0]).toBe(403);

    await run('origins', dapp.paymasterId, '--any');
    expect((await told(dapp, { origin: APP }))[0]).toBe(400);
    const listed = JSON.parse((await run('list', '--json')).stdout) as { paymasterId: string }[];
    expect(listed.find(({ paymasterId }) => paymasterId === dapp.paymasterId)).toMatchObject({ allowedOrigins: ['*'] });
  });

  test.each([[[]], [['--allow', 'nonsense']], [['--allow', APP, '--any']]])('with %j is bad usage', async (flags) => {
    expect((await run('origins', dapp.paymasterId, ...flags)).code).toBe(2);
  });
});
