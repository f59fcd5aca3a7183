import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveConsoleFile } from './console-files.ts';

let root: string;
let folder: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'gasdesk-console-'));
  folder = join(root, 'renderer');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  mkdirSync(join(root, 'renderer-secret'));
  writeFileSync(join(folder, 'index.html'), '<p>console</p>');
  writeFileSync(join(folder, 'assets', 'a b.js'), 'export {}');
  writeFileSync(join(folder, 'vault.json'), '{}');
  writeFileSync(join(root, 'outside.html'), 'outside');
  writeFileSync(join(root, 'renderer-secret', 'x.html'), 'outside');
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const get = (url: string, method = 'GET'): Promise<Response> => serveConsoleFile(folder, new Request(url, { method }));

test('the console loads, under a policy that lets nothing in or out', async () => {
  const response = await get('app://console/');
  expect(await response.text()).toBe('<p>console</p>');
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'");
  expect(policy).toContain("connect-src 'none'");
});

test('a file whose name has to be encoded is found', async () => {
  const response = await get('app://console/assets/a%20b.js');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
});

test.each([
  ['a parent folder', 'app://console/..%2foutside.html'],
  ['a parent folder behind a folder', 'app://console/assets/..%2f..%2foutside.html'],
  ['a parent folder with a backslash', 'app://console/..%5coutside.html'],
  ['a sibling whose name begins like the folder', 'app://console/..%2frenderer-secret%2fx.html'],
  ['a kind of file the console is not made of', 'app://console/vault.json'],
  ['a folder', 'app://console/assets'],
  ['nothing', 'app://console/nothing.html'],
  ['a zero byte', 'app://console/index.html%00.html'],
  ['broken encoding', 'app://console/%E0%A4.html'],
  ['another host', 'app://other/index.html'],
])('%s is not served', async (_what, url) => {
  expect((await get(url)).status).toBe(404);
});

test('the console is only read', async () => {
  expect((await get('app://console/', 'POST')).status).toBe(404);
});
