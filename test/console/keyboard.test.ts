import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { SponsoredDapp } from '../support/engine.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { reach } from './reach.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();

let dapp: SponsoredDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1, name: 'One' });
  for (const nonce of ['0x0', '0x1']) {
    await dapp.sponsor(operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce }));
  }
});

interface Limit {
  readonly name: string;
  readonly policyData: { readonly threshold?: unknown };
}

test('without a pointer, a denial is mended, a limit is made, and a proof is saved', async () => {
  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => {
    window.counts = { clicks: 0, passwords: 0 };
    document.addEventListener('pointerdown', () => (window.counts.clicks += 1), true);
  });
  const { keyboard } = page;
  const press = async (name: string): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).first().waitFor();
    await reach(page, name);
    await keyboard.press('Enter');
  };
  const type = async (label: string, text: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).waitFor();
    await reach(page, label);
    await keyboard.press('Control+A');
    await keyboard.type(text);
  };
  const openNewest = async (): Promise<void> => {
    await keyboard.press('g');
    await keyboard.press('d');
    await page.getByRole('row').nth(1).waitFor();
    await keyboard.press('j');
    await page.getByRole('heading', { name: 'Rule by rule' }).waitFor();
  };
  const limits = async (): Promise<Record<string, unknown>> => {
    const rules = await desk().call<Limit[]>('rules.list', { paymasterId: dapp.paymasterId });
    return Object.fromEntries(rules.map(({ name, policyData }) => [name, String(policyData.threshold)]));
  };

  await openNewest();
  await press('Raise "One"');
  await type('Allowed', '5');
  await press('Save limit');
  await page.getByText('Under the policy now: sponsored.').waitFor();

  await keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await keyboard.type('Add a spending limit');
  await page.getByRole('option', { name: 'Add a spending limit' }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Add a limit' }).waitFor();
  await type('Name', 'Nine a day');
  await type('Allowed', '9');
  await press('Add limit');
  await expect.poll(limits).toEqual({ One: '5', 'Nine a day': '9' });
  // Until then, keys are the form's.
  await page.getByRole('complementary', { name: 'Add a limit' }).waitFor({ state: 'hidden' });

  await openNewest();
  await press('Share');
  await page.getByRole('dialog', { name: 'Share this decision' }).getByText('key of your log').waitFor();
  await keyboard.press('j');
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  // The keys were the dialog's alone: the decision stays open.
  await page.getByRole('heading', { name: 'Rule by rule' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Share');
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Share this decision' }).getByText('key of your log').waitFor();
  const saving = page.waitForEvent('download');
  await press('Save as HTML');
  expect(readFileSync(await (await saving).path(), 'utf8')).toContain('entry.body');
  const [, opened] = /decisions\/([^?]+)/.exec(page.url()) ?? [];
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await keyboard.press('Escape');
  const focusedRow = () => page.evaluate(() => document.activeElement?.closest('[role=row]')?.getAttribute('data-id'));
  await expect.poll(focusedRow).toBe(opened);
  expect(await page.evaluate(() => window.counts.clicks)).toBe(0);
});

test('a dialog that deletes what opened it leaves the focus on the page', async () => {
  const { url, operatorToken } = desk().engine();
  await desk().call('authTokens.create', { label: 'old' });
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/settings'));
  const row = page.getByRole('row').filter({ hasText: 'old' });
  await row.getByRole('button', { name: 'Revoke' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
  await row.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
});

test('a dialog with a form begins in its first field, one with a question at its beginning', async () => {
  const { url, operatorToken } = desk().engine();
  await desk().call('authTokens.create', { label: 'laptop' });
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/dapps'));
  await page.getByRole('button', { name: 'Register a DApp' }).press('Enter');
  const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.evaluate(() => (window.location.hash = '#/settings'));
  await page.getByRole('row').filter({ hasText: 'laptop' }).getByRole('button', { name: 'Revoke' }).press('Enter');
  await expect
    .poll(() =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: 'Close' })
        .evaluate((it) => it === document.activeElement),
    )
    .toBe(true);
});
