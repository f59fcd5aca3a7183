import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
let dir: string;
let engine: ServingEngine;
let paymasterId: string;
beforeAll(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir });
  ({ paymasterId } = await engine.dapp({}));
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

const go = (page: Page, address: string) => page.evaluate((hash) => (window.location.hash = hash), address);
const open = async (address: string): Promise<Page> => {
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await go(page, address);
  return page;
};
const rules = () => engine.service.call('rules.list', { paymasterId });

test('a limit is paused and deleted only after a question, and another window shows it', async () => {
  const day = { value: 1, unit: 'day' as const };
  const policyData = { type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold: 5, cycleDuration: day } as const;
  await engine.service.call('rules.create', {
    paymasterId,
    rule: { name: 'Five a day', policyType: 'PAYMASTER_SA_LIMIT', policyData },
  });
  const [page, other] = [await open('#/rules'), await open('#/rules')];
  const row = (of: Page) => of.getByRole('listitem', { name: 'Five a day' });
  await row(other).getByText('Active').waitFor();
  await row(page).getByRole('button', { name: 'Pause' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('denies nothing').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await rules())[0]!.active).toBe(true);
  await row(page).getByRole('button', { name: 'Pause' }).click();
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await row(page).getByText('Paused').waitFor();
  await row(other).getByText('Paused').waitFor();
  await row(other).getByRole('button', { name: 'Resume' }).click();
  await row(other).getByText('Active').waitFor();
  await row(other).getByRole('button', { name: 'Delete' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await row(other).waitFor({ state: 'detached' });
  await row(page).waitFor({ state: 'detached' });
  expect(await rules()).toEqual([]);
});

test('an engine that accepts connections and answers nothing is not called running', async () => {
  const page = await open('#/rules');
  await page.clock.install();
  await page.reload();
  await page.getByText('Engine running').waitFor();
  await page.route('**/console/call', () => undefined);
  for (let tick = 0; tick < 3; tick += 1) await page.clock.runFor(5_000);
  await page.getByText('It has not answered for 10 seconds').waitFor();
  expect(await page.getByText('Engine running').count()).toBe(0);
  await page.screenshot({ path: join(artifacts, 'console-frozen-1280-light.png') });
});

test('a DApp is renamed, its key replaced after a question, and its webhook gets another URL', async () => {
  const before = (await engine.service.call('paymasters.list', {}))[0]!;
  await engine.service.call('webhooks.create', {
    paymasterId,
    webhookUrl: 'https://old.example/verify',
    requestType: 'POST',
  });
  const page = await open('#/dapps/last/connect');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Rename' }).click();
  await dialog.getByLabel('Name').fill('Space Bazaar');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Space Bazaar', level: 1 }).waitFor();
  const facts = page.getByRole('region', { name: 'API key and address' });
  await facts.getByRole('button', { name: 'Replace' }).click();
  await dialog.getByText('The old key is refused at once').waitFor();
  await dialog.getByRole('button', { name: 'Replace API key' }).click();
  await dialog.waitFor({ state: 'detached' });
  const after = (await engine.service.call('paymasters.list', {}))[0]!;
  expect(after.name).toBe('Space Bazaar');
  expect(after.apiKey).not.toBe(before.apiKey);
  await facts.getByText(after.apiKey, { exact: true }).waitFor();
  const asked = (apiKey: string) =>
    fetch(`${engine.url}/api/v1/31337/${apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"pm_chainId","params":[]}',
    }).then((response) => response.text());
  expect(await asked(before.apiKey)).toContain('-32051');
  expect(await asked(after.apiKey)).not.toContain('-32051');

  await go(page, '#/webhooks');
  await page.getByRole('button', { name: 'Edit in policy' }).click();
  const form = page.getByRole('complementary', { name: 'Edit webhook' });
  await form.getByLabel('URL').fill('https://new.example/verify');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('listitem', { name: 'https://new.example/verify' }).waitFor();
});

test('a backup is not made with a passphrase that can be guessed', async () => {
  const page = await open('#/settings');
  const backup = page.getByRole('region', { name: 'Backup', exact: true });
  await backup.getByLabel('Passphrase of the backup').fill('abc');
  await backup.getByLabel('Confirm passphrase').fill('abc');
  await backup.getByText('Use at least 8 characters.').waitFor();
  expect(await backup.getByRole('button', { name: 'Back up now' }).isDisabled()).toBe(true);
  await expect(engine.service.call('backups.create', { passphrase: 'abc' })).rejects.toMatchObject({
    code: 'VALIDATION',
  });
});
