import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Wallet, decryptKeystoreJson } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../scripts/build-stale.ts';
import { type CliResult, type ServingCli, gasdesk, useServe } from '../support/cli.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { operation } from '../support/operations.ts';

/*
 * A desk that uses every kind of secret, and then a search for each of them wherever it might have got to. What is
 * found although it is secret, and why that is as it should be, stands in ALLOWED.
 */

const tempFolder = useTempFolders();
const serve = useServe();
const browser = useConsoleBrowser();

/** Each long and odd enough that it is nowhere by chance. */
const secrets = {
  signerKey: 'c0ffee11'.repeat(8),
  vaultPassphrase: 'vault zebra 7f3a91',
  newVaultPassphrase: 'vault giraffe 22d0c4',
  backupPassphrase: 'backup walrus 91bb02',
  keystorePassword: 'keystore okapi 5e61b7',
  keystoreKey: '',
  rpcUser: 'rpcuser-5512ab',
  rpcPassword: 'rpcpass-77f1cc',
  rpcPath: 'pr0vider-k3y-0a1b2c',
  rpcQuery: 'qu3ry-9d8e7f',
  webhookSecret: '',
  webhookPassword: 'hookpass-3b8e21',
  webhookPath: 'h00k-k3y-77ab12cd',
  webhookQuery: 'h00kqu3ry-5511ee',
  authToken: '',
  apiKey: '',
  operatorToken: '',
};
type SecretName = keyof typeof secrets;

/** Where a secret may be, and why. */
const ALLOWED: Partial<Record<SecretName, Readonly<Record<string, string>>>> = {
  apiKey: {
    'data folder': 'requests are looked up by it, and the operator copies it from the console; DApps publish it',
    'renderer memory': 'the pages show it and make snippets of it',
    'command answers': 'dapp list shows it',
  },
  operatorToken: {
    'renderer memory': 'the page proves with it who it is, at each request, and keeps it in the tab for a reload',
    'engine output': 'the address of the console, on standard output, once',
  },
};

/** Every place that was looked through, as text. */
const places = new Map<string, string>();
const look = (place: string, text: string): void => {
  places.set(place, `${places.get(place) ?? ''}\n${text}`);
};

const filesIn = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

/** A node that refuses everything, and quotes what it was asked with: providers do. */
const quotingNode = async () => {
  const server = createServer((request, response) => {
    const from = `${request.url} by ${request.headers.authorization ?? 'nobody'}`;
    const user = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    const error = { code: -32_000, message: `invalid project id in ${from} (${user})` };
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

const openConsole = async (url: string): Promise<Page> => {
  const page = await browser().open(url);
  await page.getByLabel('Passphrase', { exact: true }).fill(secrets.vaultPassphrase);
  await page.getByRole('button', { name: 'Create the vault' }).click();
  await page.getByText('Vault unlocked').waitFor();
  return page;
};

/** Uses what the pages have for secrets: a URL with a key, a signer, a changed passphrase, a backup. */
const useConsole = async (page: Page, rpcUrl: string): Promise<void> => {
  await page.evaluate(() => (window.location.hash = '#/settings'));
  const chains = page.getByRole('region', { name: 'Chains' });
  await chains.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL of the node').fill(rpcUrl);
  await dialog.getByRole('button', { name: 'Save the chain' }).click();
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByText('Chain saved').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('region', { name: 'Vault' }).getByRole('button', { name: 'Change passphrase' }).click();
  await dialog.getByLabel('Current passphrase').fill(secrets.vaultPassphrase);
  await dialog.getByLabel('New passphrase').fill(secrets.newVaultPassphrase);
  await dialog.getByLabel('Confirm passphrase').fill(secrets.newVaultPassphrase);
  await dialog.getByRole('button', { name: 'Change passphrase', exact: true }).click();
  await page.getByText('Passphrase changed').waitFor();
  await dialog.waitFor({ state: 'detached' });

  const backup = page.getByRole('region', { name: 'Backup', exact: true });
  await backup.getByLabel('Passphrase of the backup').fill(secrets.backupPassphrase);
  await backup.getByLabel('Confirm passphrase').fill(secrets.backupPassphrase);
  await backup.getByRole('button', { name: 'Back up now' }).click();
  await backup.getByText('Backup created:').waitFor();

  await page.getByRole('region', { name: 'Local keys' }).getByRole('button', { name: 'Add a key' }).click();
  await dialog.getByLabel('Label').fill('Owner');
  await dialog.getByLabel('Password', { exact: true }).fill(secrets.keystorePassword);
  await dialog.getByLabel('Confirm password').fill(secrets.keystorePassword);
  await dialog.getByRole('button', { name: 'Add the key' }).click();
  await page.getByRole('cell', { name: 'Owner', exact: true }).waitFor();
  await page.evaluate(() => (window.location.hash = '#/gas-tank'));
  await page.getByRole('button', { name: 'Change wallet' }).click();
  await dialog.getByText('Local key', { exact: true }).click();
  await dialog.getByLabel('Password').fill(secrets.keystorePassword);
  await dialog.getByRole('button', { name: 'Sign with this key' }).click();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.evaluate(() => (window.location.hash = '#/settings'));

  await page.getByRole('button', { name: 'Check everything' }).click();
  await page
    .getByText(/faults?/i)
    .first()
    .waitFor();
  const loaded = {
    '#/dapps': 'Game',
    '#/dapps/last/webhooks': '127.0.0.1:1/hook',
    '#/activity': 'Before and after',
    '#/activity/service': 'http.request',
    '#/': 'No decisions yet',
  };
  for (const [address, text] of Object.entries(loaded)) {
    await page.evaluate((hash) => (window.location.hash = hash), address);
    await page.getByRole('main').getByText(text).first().waitFor();
  }
};

/** All that the page's JavaScript holds on to, once what it has let go of is gone. */
const heapOf = async (page: Page): Promise<string> => {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await session.send('HeapProfiler.enable');
  for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  return chunks.join('');
};

/** What a stream says until it has said this. */
const readUntil = async (url: string, headers: Record<string, string>, mark: string): Promise<string> => {
  const stop = new AbortController();
  const response = await fetch(url, { headers, signal: stop.signal });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes(mark)) break;
  }
  stop.abort();
  return text;
};

let desk: ServingCli;
let node: Awaited<ReturnType<typeof quotingNode>>;
beforeAll(async () => {
  buildConsole();
  const dir = tempFolder();
  const outside = tempFolder();
  const env = { GASDESK_LOG_LEVEL: 'debug' };
  const run = async (...args: string[]): Promise<CliResult> => {
    const result = await gasdesk([...args, '--data', dir, '--json'], {
      GASDESK_PASSPHRASE: secrets.newVaultPassphrase,
    });
    look('command answers', `${result.stdout}\n${result.stderr}`);
    return result;
  };
  const secretFile = (name: string, content: string): string => {
    const path = join(outside, name);
    writeFileSync(path, content);
    return path;
  };
  node = await quotingNode();
  desk = await serve(['--data', dir], env);
  // Standard output has one line: where the console is.
  const created = JSON.parse(
    (await gasdesk(['token', 'create', '--label', 'CI', '--scope', 'manage', '--data', dir, '--json'])).stdout,
  ) as { authToken: string };
  secrets.authToken = created.authToken;
  await gasdesk([
    'contract',
    'use',
    '--chain',
    '31337',
    '--version',
    '1.1.0',
    '--address',
    `0x${'cc'.repeat(20)}`,
    '--data',
    dir,
  ]);
  const page = await openConsole(desk.console);
  secrets.operatorToken = new URL(desk.console).hash.replace('#token=', '');
  await gasdesk([
    'signer',
    'import',
    '--chain',
    '31337',
    '--private-key-file',
    secretFile('key', `0x${secrets.signerKey}`),
    '--data',
    dir,
  ]);

  const api = `${desk.url}/api/v2/public/sdk`;
  const manage = async (method: string, path: string, body?: unknown) => {
    const { authToken, apiKey } = secrets;
    const headers = { authToken, ...(apiKey !== '' && { apiKey }), 'content-type': 'application/json' };
    const response = await fetch(api + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { data: Record<string, string> }).data;
  };
  const dapp = await manage('POST', '/paymaster', { name: 'Game', type: 'HYBRID', chainId: 31337, version: '1.1.0' });
  secrets.apiKey = dapp['apiKey']!;
  const { webhookPassword, webhookPath, webhookQuery } = secrets;
  const webhookUrl = `http://ann:${webhookPassword}@127.0.0.1:1/hook/${webhookPath}?key=${webhookQuery}`;
  const hook = { requestType: 'POST', webhookUrl };
  const webhook = await manage('POST', '/webhook', hook);
  const { fundingMessage, paymasterId } = await manage('GET', '/funding-message');
  const wallet = Wallet.createRandom();
  const signature = await wallet.signMessage(fundingMessage!);
  const proof = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address };
  await manage('PATCH', '/paymaster', proof);
  const shown = await gasdesk(['webhook', 'secret', webhook['webhookId']!, '--data', dir, '--json']);
  secrets.webhookSecret = (JSON.parse(shown.stdout) as { secret: string }).secret;

  const { port } = node.address() as AddressInfo;
  const rpcUrl = `http://${secrets.rpcUser}:${secrets.rpcPassword}@127.0.0.1:${port}/v2/${secrets.rpcPath}?token=${secrets.rpcQuery}`;
  await useConsole(page, rpcUrl);
  const [keystore] = readdirSync(join(dir, 'keystores'));
  const key = readFileSync(join(dir, 'keystores', keystore!), 'utf8');
  secrets.keystoreKey = (await decryptKeystoreJson(key, secrets.keystorePassword)).privateKey.slice(2);

  const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
  for (const path of [`/api/v1/31337/${secrets.apiKey}`, '/api/v1/31337/wrong-key', '/api/v9']) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'pm_sponsorUserOperation',
      params: [op, { mode: 'SPONSORED' }],
    });
    const response = await fetch(desk.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    look('error answers', await response.text());
  }
  for (const headers of [
    {},
    { authToken: `${secrets.authToken}x` },
    { authToken: secrets.authToken, apiKey: 'wrong' },
  ]) {
    look('error answers', await (await fetch(`${api}/webhook`, { headers })).text());
  }
  const asDapp = { authToken: secrets.authToken, apiKey: secrets.apiKey, 'last-event-id': '0' };
  look('events', await readUntil(`${desk.url}/events`, asDapp, 'event: decision'));
  await page.evaluate(() => (window.location.hash = '#/decisions'));
  await page.getByText('Game').first().waitFor();
  look('page text', await page.locator('body').innerText());
  look('renderer memory', await heapOf(page));

  for (const args of [
    'doctor',
    'decisions export',
    'decisions list',
    'dapp list',
    'chain list',
    'signer list',
    'webhook list',
    'token list',
    'log list',
    'log export',
    'policy export --dapp Game',
    'config print',
    'log',
  ]) {
    await run(...args.split(' '));
  }
  look('process arguments', readFileSync(`/proc/${desk.pid}/cmdline`, 'latin1'));
  look('data folder', filesIn(dir));
  desk.signal('SIGTERM');
  const { stdout, stderr } = await desk.ended;
  look('engine output', stdout);
  look('log', stderr);
  look('data folder', filesIn(dir));
});
afterAll(() => {
  node.closeAllConnections();
  node.close();
});

/** The places where a text is found, in the forms that it is written in. */
const foundIn = (secret: string): string[] => {
  expect(secret.length).toBeGreaterThan(10);
  const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')];
  return [...places].filter(([, text]) => forms.some((form) => text.includes(form))).map(([place]) => place);
};

describe.skipIf(!existsSync('/proc/self/cmdline'))('after every kind of secret was used', () => {
  test('every place was looked through, and holds what it should', () => {
    expect(places.get('data folder')).toContain('SQLite format 3');
    expect(places.get('data folder')).toContain('gasdesk-vault');
    expect(places.get('log')).toContain('"event":');
    expect(places.get('events')).toContain('CHAIN_UNREACHABLE');
    expect(places.get('command answers')).toContain('invalid project id');
    expect(places.get('error answers')).toContain('-32051');
    expect(places.get('process arguments')).toContain('serve');
    expect(places.get('renderer memory')!.length).toBeGreaterThan(1_000_000);
  });

  test.each(Object.keys(secrets) as SecretName[])('%s is nowhere but where it has to be', (name) => {
    expect(foundIn(secrets[name]).filter((place) => ALLOWED[name]?.[place] === undefined)).toEqual([]);
  });

  test('what is said to be allowed is really there: the list is no longer than it has to be', () => {
    const listed = Object.entries(ALLOWED).map(([name, where]) => [name, Object.keys(where).sort()]);
    const found = Object.keys(ALLOWED).map((name) => [name, foundIn(secrets[name as SecretName]).sort()]);
    expect(found).toEqual(listed);
  });
});
