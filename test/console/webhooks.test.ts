import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const open = async (view = {}): Promise<Page> => {
  const page = await browser().open(desk().url, view);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/dapps/last/webhooks'));
  return page;
};
const choose = async (page: Page, select: string, option: string): Promise<void> => {
  await page.locator('label', { hasText: select }).locator('.n-base-selection').click();
  await page.locator('.n-base-select-option', { hasText: option }).click();
};

test('a webhook is tried with every error before a user meets it, and each is explained', async () => {
  const page = await open();
  const receiver = page.getByRole('region', { name: 'Local receiver' });
  await receiver.getByRole('button', { name: 'Start a local receiver' }).click();
  await receiver.getByText('No calls yet.').waitFor();
  await receiver.getByRole('button', { name: 'Register it as a webhook' }).click();
  await page.getByText('users are denied').waitFor();
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  const row = page.getByRole('listitem', { name: /^http:\/\/127/ });
  await row.waitFor();
  await row.getByText('Not called recently').waitFor();
  const before = (await desk().engine.service.call('system.info', {})).decisions;

  await row.getByRole('button', { name: 'Send a test call' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('{"user": ');
  expect(await dialog.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  await dialog.getByText('webhookData is not a JSON object yet.').waitFor();
  await dialog.getByRole('textbox').fill('{"user": "ann <b>"}');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await dialog.getByText('Verified: an operation with this data passes').waitFor();
  expect(await dialog.getByLabel('request', { exact: true }).innerText()).toContain('{"data":{"user":"ann <b>"}}');
  expect(await dialog.getByLabel('request', { exact: true }).innerText()).toContain('gasdesk-preview: true');
  expect(await dialog.getByLabel('response', { exact: true }).innerText()).toBe('{"arePoliciesVerified":true}');
  expect(await seriousErrors(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await choose(page, 'How it answers', 'Redirects');
  await receiver.getByText('Signature is valid').waitFor();
  await row.getByRole('button', { name: 'Send a test call' }).click();
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await dialog.getByText('which Gasdesk does not follow').waitFor();
  await dialog.getByText('Register the URL that it redirects to.').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-webhook-trial-1280-light.png') });
  await page.keyboard.press('Escape');
  await receiver.getByText('Redirects: status 302').last().waitFor();
  await receiver.getByText('POST /').first().click();
  await receiver.scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(artifacts, 'console-receiver-1280-light.png') });
  expect(await seriousErrors(page)).toEqual([]);
  expect((await desk().engine.service.call('system.info', {})).decisions).toBe(before);

  const narrow = await open({ width: 800, height: 900, colorScheme: 'dark' });
  await narrow.getByRole('region', { name: 'Local receiver' }).getByText('POST /').first().click();
  await narrow.getByRole('region', { name: 'Local receiver' }).scrollIntoViewIfNeeded();
  await narrow.screenshot({ path: join(artifacts, 'console-receiver-800-dark.png') });
  expect(await seriousErrors(narrow)).toEqual([]);

  await receiver.getByRole('button', { name: 'Stop' }).click();
  await receiver.getByText('Not running').waitFor();
  await row.getByRole('button', { name: 'Send a test call' }).click();
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await dialog.getByText('cannot be reached').waitFor();
});

test('the webhook of a rule is tried with an operation, and says how it did lately', async () => {
  const page = await open();
  const verify = page.getByRole('listitem', { name: 'https://hooks.example/verify' });
  await verify.getByText('Last call: 0 % verified, 1 refused, 0 errors, median 84 ms').waitFor();
  await verify.getByRole('button', { name: 'Send a test call' }).click();
  // What it was sent last.
  expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toContain('"user": "ann"');
  await page.keyboard.press('Escape');
  await page
    .getByRole('listitem', { name: 'https://hooks.example/rule' })
    .getByRole('button', { name: 'Send a test call' })
    .click();
  expect(await page.getByRole('dialog').getByLabel('userOp', { exact: true }).inputValue()).toContain('callGasLimit');
});
