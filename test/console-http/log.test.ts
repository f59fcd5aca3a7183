import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const PASSPHRASE = 'correct horse battery staple';
const tempFolder = useTempFolders();
const log = createLog({ level: 'info', write: () => undefined });
let engine: Engine;
let url: string;
beforeAll(async () => {
  engine = await createEngine({
    folder: openDataFolder(tempFolder()),
    config: loadConfig({ flags: { port: 0 } }),
    log,
    passphrase: new Secret(PASSPHRASE),
    scrypt: { N: 1024, r: 8, p: 1 },
  });
  url = await engine.serve();
});
afterAll(() => engine.stop());

const read = (input: object) => engine.service.call('system.log', input);

test('refused requests are logged with their fields, and requests that succeed take no room', async () => {
  const { last } = await read({});
  await (await fetch(`${url}/openapi.json`)).text();
  await fetch(`${url}/nowhere`);
  const { lines, level } = await read({ after: last });
  expect(level).toBe('info');
  expect(lines).toMatchObject([
    { seq: last + 1, level: 'info', event: 'http.request', fields: { method: 'GET', route: 'none', status: 404 } },
  ]);
  expect((await read({ after: last, level: 'warn' })).lines).toEqual([]);
});

test('what clients and errors hold of secrets is not in it', async () => {
  const authToken = (await engine.service.call('authTokens.create', {})).authToken;
  const key = `0x${'4c'.repeat(32)}`;
  await fetch(`${url}/api/v2/public/sdk/webhook`, { headers: { authToken, apiKey: 'Kx2_9fQ-a.nobody' } });
  await fetch(`${url}/api/v1/31337/Kx2_9fQ-a.0b9f3f0e-8d1b-4c55-9b5e-2f6f3f1f7a11`, { method: 'POST', body: '{}' });
  log.error('test.failed', {
    reason: `https://ann:pass-wOrd@node.example/v2/apikey123 ${authToken}`,
    err: new Error(`The key ${key} is no good`),
  });
  const text = JSON.stringify((await read({})).lines);
  expect(text).toContain('test.failed');
  for (const secret of [
    authToken,
    key,
    'apikey123',
    'pass-wOrd',
    '0b9f3f0e',
    'Kx2_9fQ-a',
    engine.operatorToken.reveal(),
  ]) {
    expect(text).not.toContain(secret);
  }
});
