import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { gameItems, useSponsoredWorld } from '../support/sponsored-world.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const consoleUrl = (): string => {
  const { engine } = world();
  return `${engine.url}/console/#token=${engine.operatorToken.reveal()}`;
};

test('an operator who has never seen it makes a token, a DApp and a rule, and understands a denial', async () => {
  const page = await browser().open(consoleUrl());
  await page.getByText('Engine running').waitFor();
  // The token is gone from where it could be read or kept.
  expect(page.url()).not.toContain('token');
  await page.screenshot({ path: join(artifacts, 'journey-1-first-steps.png') });

  await page.getByRole('link', { name: 'Make an auth token' }).click();
  await page.getByRole('textbox', { name: 'Label' }).fill('backend');
  await page.getByRole('button', { name: 'Create a token' }).click();
  await page.getByText('Copy the token now').waitFor();
  await page.getByRole('button', { name: 'Copy auth token' }).click();
  await page.getByText('Copied').waitFor();
  const authToken = await page.evaluate(() => navigator.clipboard.readText());
  expect(authToken).toMatch(/^gd_[\w-]{43}$/);
  await page.screenshot({ path: join(artifacts, 'journey-2-token.png') });

  await page.getByRole('link', { name: 'Paymasters' }).click();
  await page.getByRole('button', { name: 'Register a DApp' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Game Items');
  await page.getByRole('dialog').locator('.n-select').first().click();
  await page.locator('.n-base-select-option').filter({ hasText: 'Local chain (31337)' }).click();
  await page.screenshot({ path: join(artifacts, 'journey-3-dapp-form.png') });
  await page.getByRole('dialog').getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: 'Game Items' }).waitFor();

  // The DApp proves its funding wallet with the token just made, and registers its contract by hand.
  const { contracts, engine } = world();
  const [dapp] = await engine.service.call('paymasters.list', {});
  const headers = { authToken, apiKey: dapp!.apiKey, 'content-type': 'application/json' };
  const fetched = await fetch(`${engine.url}/api/v2/public/sdk/smart-contract`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      name: 'Items',
      address: contracts.gameItems,
      abi: gameItems.formatJson(),
      whitelistedMethods: ['mint'],
    }),
  });
  expect(fetched.status).toBeLessThan(300);

  await page.getByRole('link', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Five a day');
  await page.getByRole('textbox', { name: 'Allowed' }).fill('5');
  await page.getByText('Each user may have 5 operations sponsored per day.').waitFor();
  await page.screenshot({ path: join(artifacts, 'journey-4-rule-form.png') });
  await page.getByRole('button', { name: 'Add the rule' }).click();
  await page.getByRole('listitem', { name: 'Five a day' }).waitFor();

  await page.getByRole('link', { name: 'Paymasters' }).click();
  await page.getByText('curl', { exact: true }).click();
  await page.getByRole('button', { name: 'Copy curl snippet' }).click();
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  await page.screenshot({ path: join(artifacts, 'journey-5-snippet.png') });

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Nothing has been decided yet').waitFor();
  const { stdout } = await promisify(execFile)('sh', ['-c', snippet]);
  expect(JSON.parse(stdout)).toHaveProperty('jsonrpc', '2.0');
  // It appears by itself.
  await page.getByRole('link', { name: 'Game Items' }).click();
  await page.getByRole('complementary', { name: 'Decision' }).getByText('Game Items').first().waitFor();
  await page.screenshot({ path: join(artifacts, 'journey-6-decision.png') });
  expect(browser().errors).toEqual([]);
});
