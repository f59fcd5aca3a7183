import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
let dir: string;
let engine: ServingEngine;
let apiKey: string;
beforeAll(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir, flags: { rateLimitPerIp: 600 } });
  ({ apiKey } = await engine.dapp({}));
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

const open = async (address: string, view = {}): Promise<Page> => {
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`, view);
  // Each open page keeps sending requests, and this desk has a low rate limit.
  onTestFinished(() => page.close());
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), address);
  return page;
};
/** Keeps what a part of a page looks like in both themes, which no one must find hard to read. */
const keepPictures = async (page: Page, part: Locator, name: string): Promise<void> => {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 800, 400]) {
      await page.setViewportSize({ width, height: 900 });
      await part.scrollIntoViewIfNeeded();
      await page.screenshot({ path: join(artifacts, `console-${name}-${width}-${colorScheme}.png`) });
    }
    expect(await seriousErrors(page)).toEqual([]);
  }
};
/** A node that answers its chain and nothing else. */
const nodeOf = async (chainId: string): Promise<string> => {
  const server = createServer((_request, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: chainId })),
  );
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const stored = () => JSON.parse(readFileSync(join(dir, 'gasdesk.json'), 'utf8')) as unknown;

test('a rate limit is set for good without a restart, and what needs one says so', async () => {
  const page = await open('#/settings');
  const service = page.getByRole('region', { name: 'Service' });
  const perKey = service.getByRole('listitem', { name: 'Requests per API key' });
  await perKey.getByText('120,000 a minute').waitFor();
  await perKey.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('120');
  await dialog.getByText('It takes effect at once.').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await perKey.getByText('120 a minute').waitFor();
  await perKey.getByText('gasdesk.json').waitFor();

  const atPrivate = service.getByRole('listitem', { name: 'Webhooks at private addresses' });
  await atPrivate.getByRole('button', { name: 'Change' }).click();
  await dialog.getByText('takes effect when the service restarts').waitFor();
  await dialog.getByText('No', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await atPrivate.getByText('no from the next start').waitFor();
  expect(stored()).toEqual({ rateLimitPerKey: 120, webhookAllowPrivate: false });

  const perIp = service.getByRole('listitem', { name: 'Requests per IP address' });
  await perIp.getByText('set by --rate-limit-per-ip, which overrides the file').waitFor();
  expect(await perIp.getByRole('button').count()).toBe(0);
  await page.screenshot({ path: join(artifacts, 'console-settings-service-1280-light.png') });

  await perKey.getByRole('button', { name: 'Change' }).click();
  await dialog.getByRole('button', { name: 'Restore default' }).click();
  await perKey.getByText('120,000 a minute').waitFor();
  expect(stored()).toEqual({ webhookAllowPrivate: false });
});

test('the target of the continuous backup is typed as text, and removed again', async () => {
  const page = await open('#/settings');
  const target = page
    .getByRole('region', { name: 'Service' })
    .getByRole('listitem', { name: 'Continuous backup', exact: true });
  await target.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('copies');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('continuousBackup must be an absolute path of a folder').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  const folder = join(dir, 'copies');
  await dialog.getByRole('textbox').fill(folder);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await target.getByText(folder).waitFor();
  expect((await engine.service.call('backups.list', {})).continuous.target).toBe(folder);
  await target.getByRole('button', { name: 'Change' }).click();
  await dialog.getByRole('button', { name: 'Restore default' }).click();
  await target.getByText('none').waitFor();
});

test('a token may read for 90 days unless more is chosen', async () => {
  const page = await open('#/settings');
  const tokens = page.getByRole('region', { name: 'Auth tokens' });
  await tokens.getByLabel('Label').fill('Untouched form');
  await tokens.getByRole('button', { name: 'Create an auth token' }).click();
  await tokens.getByRole('row').filter({ hasText: 'Untouched form' }).getByText('Read-only').waitFor();
  const made = (await engine.service.call('authTokens.list', {})).find(({ label }) => label === 'Untouched form');
  expect(made?.scope).toBe('read');
  expect(Math.round((made!.expiresAt! - made!.createdAt) / 86_400_000)).toBe(90);
});

test('a token is made for one DApp and a time, and says so', async () => {
  const page = await open('#/settings');
  const tokens = page.getByRole('region', { name: 'Auth tokens' });
  const choose = async (what: string, option: string): Promise<void> => {
    await tokens.getByLabel(what, { exact: true }).click();
    await page.getByText(option).last().click();
  };
  await tokens.getByLabel('Label').fill('Shop backend');
  await choose('Scope', 'Only DApp');
  await choose('Expiry', 'Expires in 30 days');
  expect(await seriousErrors(page)).toEqual([]);
  await tokens.getByRole('button', { name: 'Create an auth token' }).click();
  const row = tokens.getByRole('row').filter({ hasText: 'Shop backend' });
  await row.getByText('Only').waitFor();
  const made = (await engine.service.call('authTokens.list', {})).find(({ label }) => label === 'Shop backend');
  expect(made).toMatchObject({ scope: 'dapp', paymasterId: expect.any(String), lastUsedAt: null });
  expect(Math.round((made!.expiresAt! - made!.createdAt) / 86_400_000)).toBe(30);
  expect(await seriousErrors(page)).toEqual([]);
  await keepPictures(page, tokens, 'tokens');
});

test("a DApp's key is changed: another one is made, and the old one revoked after a question", async () => {
  const page = await open('#/dapps/last/connect');
  const keys = page.getByRole('region', { name: 'API keys' });
  await keys.getByText('Only key').waitFor();
  await keys.getByLabel('Label').fill('Web app');
  await keys.getByRole('button', { name: 'Create an API key' }).click();
  await keys.getByRole('row').filter({ hasText: 'Web app' }).waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await keepPictures(page, keys, 'keys');
  await keys.getByRole('row').filter({ hasText: 'first' }).getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The other keys stay valid.').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await keys.getByText('Only key').waitFor();
  const [dapp] = await engine.service.call('paymasters.list', {});
  expect(dapp!.apiKey).not.toBe(apiKey);
  ({ apiKey } = dapp!);
  await page.getByRole('region', { name: 'API key and address' }).getByText(dapp!.apiKey, { exact: true }).waitFor();
});

test('a burn-rate breaker is set on a chain, with its consequence said, and switched off again', async () => {
  const page = await open('#/settings');
  const chains = page.getByRole('region', { name: 'Chains' });
  await chains.getByRole('button', { name: 'Set up a chain' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Chain', { exact: true }).click();
  await page.getByText('Local chain (31337)').click();
  await dialog.locator('.n-base-selection', { hasText: 'Default' }).click();
  await page.getByText('Amount per time').last().click();
  await dialog.getByLabel('At most').fill('0.5');
  await dialog.getByText('more than 0.5 ETH within 1 hour').waitFor();
  await dialog.getByLabel('At most').scrollIntoViewIfNeeded();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-breaker-1280-light.png') });
  await dialog.getByRole('button', { name: 'Set the breaker' }).click();
  await page.keyboard.press('Escape');
  await chains.getByText('0.5 ETH in 1 hour').waitFor();
  const list = await engine.service.call('chains.list', {});
  expect(list.find(({ chainId }) => chainId === 31337)?.breaker).toEqual({
    amountWei: '500000000000000000',
    seconds: 3_600,
  });
  await page.screenshot({ path: join(artifacts, 'console-chains-1280-light.png') });

  const dark = await open('#/settings', { width: 800, height: 900, colorScheme: 'dark' });
  await dark.getByRole('region', { name: 'Chains' }).getByRole('button', { name: 'Change' }).click();
  await dark.locator('.n-base-selection', { hasText: 'Amount per time' }).click();
  await dark.getByText('Off', { exact: true }).last().click();
  await dark.getByText('No spend cap on this chain').waitFor();
  await dark.screenshot({ path: join(artifacts, 'console-breaker-800-dark.png') });
  await dark.getByRole('button', { name: 'Switch the breaker off' }).click();
  await dark.getByText('Breaker switched off').waitFor();
});

test('any chain can be typed in; a node that does not answer, or is of another chain, is not taken for one', async () => {
  const page = await open('#/settings');
  const chains = page.getByRole('region', { name: 'Chains' });
  await chains.getByRole('button', { name: 'Set up a chain' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Chain', { exact: true }).click();
  // The whole menu can be seen, however low the dialog is.
  const menu = page.locator('.n-base-select-menu');
  await menu.waitFor();
  const { y, height } = (await menu.boundingBox())!;
  const atItsEnd = ([left, top]: number[]) => document.elementFromPoint(left!, top!)?.closest('.n-base-select-menu');
  const { x } = (await menu.boundingBox())!;
  expect(await page.evaluate(atItsEnd, [x + 20, y + height - 8]).then(Boolean)).toBe(true);
  await page.keyboard.type('99999');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Name').fill('Home chain');
  await dialog.getByLabel('Symbol of its coin').fill('HOME');
  await dialog.getByLabel('URL of the node').fill('http://127.0.0.1:1');
  await dialog.getByRole('button', { name: 'Save the chain' }).click();
  await dialog.getByText('No node answers at this URL').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-dead-node-1280-light.png') });
  const chain = async () => (await engine.service.call('chains.list', {})).find(({ chainId }) => chainId === 99_999);
  expect(await chain()).toBeUndefined();

  const node = await nodeOf('0x1');
  await dialog.getByLabel('URL of the node').fill(node);
  await dialog.getByRole('button', { name: 'Save the chain' }).click();
  await dialog.getByText('serves chain 1, not chain 99999').waitFor();
  const own = await nodeOf('0x1869f');
  await dialog.getByLabel('URL of the node').fill(own);
  await dialog.getByLabel('URL of a bundler').fill(own);
  await dialog.getByRole('button', { name: 'Save the chain' }).click();
  await dialog.getByRole('button', { name: 'Create signing key' }).waitFor();
  expect(await chain()).toMatchObject({ name: 'Home chain', symbol: 'HOME', rpc: own, bundler: own });
  await dialog.getByRole('button', { name: 'Remove the bundler' }).click();
  await page.getByText('Bundler removed').waitFor();
  expect(await chain()).toMatchObject({ rpc: own, bundler: null });

  // A node that is down for the moment can be saved all the same, once it was said.
  await dialog.getByLabel('URL of the node').fill('http://127.0.0.1:1');
  await dialog.getByRole('button', { name: 'Save the chain' }).click();
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  await expect.poll(async () => (await chain())?.rpc).toBe('http://127.0.0.1:1');
  await engine.service.call('chains.remove', { chainId: 99_999 });
});

test("an address that leads to a chain's price names no chain once its dialog is closed", async () => {
  const page = await open('#/settings?at=coin-price&chain=31337');
  await page.getByRole('dialog').getByText('Price of').first().waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate(() => window.location.hash)).toBe('#/settings');
});

test('a new chain is set up by the URL of its node alone, as in Set up', async () => {
  const page = await open('#/settings');
  await page.getByRole('region', { name: 'Chains' }).getByRole('button', { name: 'Set up a chain' }).first().click();
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Save the chain' });
  expect(await save.isDisabled()).toBe(true);
  await dialog.getByLabel('URL of the node').fill('http://127.0.0.1:1');
  await save.click();
  await dialog.getByText('No node answers at this URL').waitFor();
  await dialog.getByLabel('URL of the node').fill(await nodeOf('0x1869e'));
  await save.click();
  await dialog.getByRole('button', { name: 'Create signing key' }).waitFor();
  expect((await engine.service.call('chains.list', {})).map(({ chainId }) => chainId)).toContain(99_998);
  await engine.service.call('chains.remove', { chainId: 99_998 });
});

test('a chain without a node is called unchecked wherever it is shown', async () => {
  await engine.service.call('chains.set', { chainId: 10, name: 'Bare' });
  const { paymasterId } = await engine.dapp({ chainId: 10 });
  const page = await open('#/settings');
  await page.getByText('chains unchecked').or(page.getByText('Bare unchecked')).waitFor();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/connect`), paymasterId);
  await page.getByText('the chain has no node: set one in Settings').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/tank`), paymasterId);
  await page.getByRole('region', { name: 'Balance' }).getByText('Unchecked', { exact: true }).waitFor();
});

test('a budget is set for when the node is unreachable, with its consequence said, and taken back', async () => {
  // No one listens there.
  await engine.service.call('chains.set', { chainId: 31337, rpc: 'http://127.0.0.1:1' });
  const page = await open('#/settings');
  const chains = page.getByRole('region', { name: 'Chains' });
  const dialog = page.getByRole('dialog');
  await chains.getByRole('button', { name: 'Change' }).first().click();
  await dialog.getByText('While the node does not answer, nothing is signed.').waitFor();
  await dialog.getByLabel('Budget to sign unchecked').fill('0.05');
  await dialog.getByText('can cost you up to 0.05 ETH in any hour').waitFor();
  await dialog.getByLabel('Budget to sign unchecked').scrollIntoViewIfNeeded();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-unreachable-1280-light.png') });
  await dialog.getByRole('button', { name: 'Set the budget' }).click();
  await page.keyboard.press('Escape');
  await chains.getByText('0 of 0.05 ETH signed unchecked').waitFor();
  await page.getByRole('banner').getByText('0 of 0.05 ETH signed unchecked').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-unreachable-chains-1280-light.png') });

  const dark = await open('#/settings', { width: 800, height: 900, colorScheme: 'dark' });
  await dark.getByRole('region', { name: 'Chains' }).getByRole('button', { name: 'Change' }).first().click();
  await dark.getByRole('dialog').getByLabel('Budget to sign unchecked').fill('');
  await dark.getByRole('button', { name: 'Refuse to sign' }).click();
  await dark.getByText('Nothing is signed while the node is unreachable').waitFor();
});

test('the maximum cost of one operation is set on a chain, and left to its prices again', async () => {
  const stored = async (): Promise<string | null | undefined> =>
    (await engine.service.call('chains.list', {})).find(({ chainId }) => chainId === 31337)?.maxOperationCostWei;
  const page = await open('#/settings');
  const chains = page.getByRole('region', { name: 'Chains' });
  await chains.getByRole('button', { name: 'Set up a chain' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Chain', { exact: true }).click();
  await page.getByText('Local chain (31337)').click();
  await dialog.getByLabel('Maximum cost of one operation').fill('0.05');
  await dialog.getByText('also in token mode').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Set the cap' }).click();
  await page.getByText('Cap saved').waitFor();
  expect(await stored()).toBe('50000000000000000');
  await dialog.getByLabel('Maximum cost of one operation').fill('');
  await dialog.getByRole('button', { name: 'Use the default cap' }).click();
  await expect.poll(stored).toBeNull();
});

test('bundler methods are forwarded where the operator chooses so, with the consequence said, and not any more', async () => {
  const stored = async (): Promise<string | null | undefined> =>
    (await engine.service.call('chains.list', {})).find(({ chainId }) => chainId === 31337)?.forwardBundler;
  const page = await open('#/settings');
  await page.getByRole('region', { name: 'Chains' }).getByRole('button', { name: 'Set up a chain' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Chain', { exact: true }).click();
  await page.getByText('Local chain (31337)').click();
  const choose = async (now: string, label: string): Promise<void> => {
    await dialog.locator('.n-base-selection', { hasText: now }).click();
    await page.getByText(label, { exact: true }).last().click();
  };
  await choose('Nothing', 'Only operations that Gasdesk signed');
  await dialog.getByText('only operations that Gasdesk has signed for the DApp').waitFor();
  await dialog.getByText('The chain has no bundler yet').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Forward bundler methods' }).click();
  await page.getByText('Bundler methods are forwarded').waitFor();
  expect(await stored()).toBe('own');
  await choose('Only operations that Gasdesk signed', 'Any operation');
  await dialog.getByRole('button', { name: 'Forward bundler methods' }).click();
  await expect.poll(stored).toBe('all');
  await choose('Any operation', 'Nothing');
  await dialog.getByText('gets an error that says where to send it').waitFor();
  await dialog.getByRole('button', { name: 'Forward nothing' }).click();
  await expect.poll(stored).toBeNull();
});

test('the passphrase is changed only by a person who knows it, not by one who finds the page open', async () => {
  const page = await open('#/settings');
  await page.getByRole('region', { name: 'Vault' }).getByRole('button', { name: 'Change passphrase' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Current passphrase').fill('a stranger guesses');
  await dialog.getByLabel('New passphrase').fill('new horse battery');
  await dialog.getByLabel('Confirm passphrase').fill('new hors');
  await dialog.getByText('The two entries do not match.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Change passphrase', exact: true }).last().isDisabled()).toBe(true);
  await dialog.getByLabel('Confirm passphrase').fill('new horse battery');
  await dialog.getByRole('button', { name: 'Change passphrase', exact: true }).click();
  await dialog.getByText('Wrong passphrase: the vault stays locked').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-passphrase-1280-light.png') });
  await dialog.getByLabel('Current passphrase').fill('correct horse battery staple');
  await dialog.getByRole('button', { name: 'Change passphrase', exact: true }).click();
  await page.getByText('Passphrase changed').waitFor();
  await engine.service.call('vault.open', { passphrase: 'new horse battery' });
  await expect(engine.service.call('vault.open', { passphrase: 'correct horse battery staple' })).rejects.toMatchObject(
    { code: 'VAULT_PASSPHRASE_WRONG' },
  );
});

test('what doctor found stands under Health: errors and advice, each with what to do', async () => {
  chmodSync(dir, 0o755);
  for (const view of [{}, { width: 800, height: 900, colorScheme: 'dark' as const }]) {
    const page = await open('#/settings', view);
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByRole('button', { name: 'Check everything' }).click();
    await health.getByText('chmod 700').waitFor();
    await health.scrollIntoViewIfNeeded();
    expect(await seriousErrors(page)).toEqual([]);
    await page.screenshot({
      path: join(artifacts, `console-health-${view.width ?? 1280}-${view.colorScheme ?? 'light'}.png`),
    });
  }
  chmodSync(dir, 0o700);
});

test('the origins from which browsers may use a key are chosen, and apply to the next request', async () => {
  const page = await open('#/dapps/last/connect');
  await page.getByRole('button', { name: 'Change allowed origins' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('From these origins only').click();
  await dialog.getByRole('textbox').fill('https://app.example/path');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('without a path').waitFor();
  await dialog.getByRole('textbox').fill('https://app.example\nhttp://localhost:3000');
  await dialog.getByText('Only pages of https://app.example, http://localhost:3000').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-origins-1280-light.png') });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('https://app.example, http://localhost:3000').waitFor();
  const preflight = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const { status, headers: answered } = await fetch(`${engine.url}/api/v1/31337/${apiKey}`, {
      method: 'OPTIONS',
      headers,
    });
    return [status, answered.get('access-control-allow-origin')];
  };
  expect(await preflight('https://app.example')).toEqual([204, 'https://app.example']);
  expect(await preflight('https://evil.example')).toEqual([403, null]);
});

test('the button that changes a chain is in sight in a window of 1,024 px, however long the URL of the node', async () => {
  const chainId = 11155111;
  const address = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';
  const folder = makeTempFolder();
  const other = await startEngine({ dir: folder });
  onTestFinished(async () => {
    await other.stop();
    removeTempFolder(folder);
  });
  await other.service.call('signers.create', { chainId });
  await other.service.call('paymasterContracts.use', { chainId, version: '1.1.0', address });
  await other.service.call('chains.set', { chainId, rpc: `https://${'longname.'.repeat(6)}example` });
  const page = await browser().open(`${other.url}/console/#token=${other.operatorToken.reveal()}`, { width: 1024 });
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/settings'));
  const row = page.getByRole('region', { name: 'Chains' }).getByRole('row', { name: /Sepolia/ });
  await row.getByText('1.1.0').waitFor();
  const { x, width } = (await row.getByRole('button', { name: 'Change' }).boundingBox())!;
  const place = (await page.getByRole('region', { name: 'Chains' }).boundingBox())!;
  expect(x + width).toBeLessThanOrEqual(place.x + place.width);
});
