import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const drawer = (page: Page) => page.getByRole('region', { name: 'Developer tools' });
const tab = (page: Page, name: string) => drawer(page).getByRole('button', { name, exact: true });
const requests = (page: Page) => drawer(page).getByRole('list', { name: 'Last requests' });

const gameItems = async () => {
  const dapps = await desk().engine.service.call('paymasters.list', {});
  return dapps.find(({ name }) => name === 'Game Items')!;
};
const send = async (method: string, key?: string): Promise<void> => {
  const { apiKey } = await gameItems();
  await desk().engine.post(`/api/v1/31337/${key ?? apiKey}`, { jsonrpc: '2.0', id: 1, method, params: [] });
};

test('requests appear as they come, also those that never become decisions, and open with their bodies', async () => {
  const page = await browser().open(desk().url);
  await tab(page, 'Requests').click();
  await send('pm_nothing');
  const row = requests(page).getByRole('button').filter({ hasText: 'pm_nothing' }).first();
  await row.waitFor();
  expect(await row.innerText()).toContain('METHOD_NOT_FOUND');
  await send('eth_chainId', 'Zm9vYmFyYg.6f1e6a35-6d4e-4a9e-9c4e-111111111111');
  await requests(page).getByRole('button').filter({ hasText: 'Unknown API key' }).first().waitFor();
  await row.click();
  const detail = drawer(page).getByRole('region', { name: /^Request \d+$/ });
  await detail.getByText('"method": "pm_nothing"').waitFor();
  await detail.getByText('"code": -32601').waitFor();
  await send('eth_chainId');
  // What is read does not move.
  await drawer(page)
    .getByRole('button', { name: /^\d+ new requests?$/ })
    .waitFor();
  await page.keyboard.press('Escape');
  expect(await detail.count()).toBe(0);
  expect(await row.evaluate((one) => one === document.activeElement)).toBe(true);
});

test('a request that is not kept says so once, and the commands name no chain that is only known', async () => {
  const page = await browser().open(desk().url);
  await tab(page, 'Requests').click();
  await send('eth_chainId', 'Zm9vYmFyYg.6f1e6a35-6d4e-4a9e-9c4e-111111111111');
  await requests(page).getByRole('button').filter({ hasText: 'Unknown API key' }).first().click();
  const detail = drawer(page).getByRole('region', { name: /^Request \d+$/ });
  await detail.getByText('What is not kept was not read').waitFor();
  expect(await detail.getByText('were removed before the request was kept').count()).toBe(0);

  await page.evaluate(() => (window.location.hash = '#/settings'));
  await tab(page, 'Commands').click();
  await drawer(page).getByText('gasdesk chain set 31337 --rpc').waitFor();
  expect(await drawer(page).getByText('gasdesk chain set').count()).toBe(1);
});

test('errors are grouped by cause, with the number of DApps and since when', async () => {
  const page = await browser().open(desk().url);
  await tab(page, 'Errors').click();
  // No other test makes this error, so it is new.
  await send('pm_getPaymasterData');
  const cause = drawer(page).getByRole('row').filter({ hasText: 'VALIDATION' });
  await cause.waitFor();
  expect(await cause.innerText()).toMatch(/1 DApp\s+just now\s+just now/);
});

test('on the page of a DApp, only its requests and commands that name it', async () => {
  await send('eth_chainId', 'Zm9vYmFyYg.6f1e6a35-6d4e-4a9e-9c4e-111111111111');
  await send('pm_nothing');
  const { paymasterId } = await gameItems();
  const page = await browser().open(desk().url);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), `#/dapps/${paymasterId}/tank`);
  await tab(page, 'Requests').click();
  await requests(page).getByRole('button').filter({ hasText: 'pm_nothing' }).first().waitFor();
  await expect.poll(() => requests(page).getByText('Unknown API key').count()).toBe(0);
  await drawer(page).getByText('Only this DApp').click();
  await requests(page).getByText('Unknown API key').first().waitFor();
  await tab(page, 'Commands').click();
  await drawer(page).getByText("gasdesk tank show --dapp 'Game Items'").waitFor();
});

test('opens by key, is resized by keys, closes, and is remembered', async () => {
  const page = await browser().open(desk().url);
  await page.getByText('Engine running').waitFor();
  await page.keyboard.press('`');
  await requests(page).or(drawer(page).getByText('No requests yet')).first().waitFor();
  expect(await tab(page, 'Requests').evaluate((one) => one === document.activeElement)).toBe(true);
  const grip = drawer(page).getByRole('separator');
  const height = async (): Promise<number> => Number(await grip.getAttribute('aria-valuenow'));
  const before = await height();
  await grip.focus();
  await page.keyboard.press('ArrowUp');
  expect(await height()).toBe(before + 32);
  await page.reload();
  await grip.waitFor();
  expect(await height()).toBe(before + 32);
  await tab(page, 'Requests').focus();
  await page.keyboard.press('Escape');
  expect(await tab(page, 'Requests').getAttribute('aria-expanded')).toBe('false');
  expect(await grip.count()).toBe(0);
});

const WIDTHS = [1280, 800, 400];

test.each(['light', 'dark'] as const)('is accessible and fits the window: %s', async (colorScheme) => {
  await send('pm_nothing');
  await send('eth_chainId');
  const page = await browser().open(desk().url, { width: 1280, height: 860, colorScheme });
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/dapps/last'));
  const errors: string[] = [];
  const look = async (name: string): Promise<void> => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 860 });
      await page.screenshot({ path: join(artifacts, `drawer-${name}-${width}-${colorScheme}.png`) });
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wider > 0) errors.push(`${name} is wider than ${width} px by ${wider} px`);
      errors.push(...(await seriousErrors(page)).map((error) => `${name} at ${width} px: ${error}`));
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  };
  await look('closed');
  await tab(page, 'Requests').click();
  await requests(page).getByRole('button').first().waitFor();
  await look('requests');
  await requests(page).getByRole('button').first().click();
  await drawer(page).getByText('"jsonrpc"').first().waitFor();
  await look('request');
  await tab(page, 'Errors').click();
  await drawer(page).getByRole('row').nth(1).waitFor();
  await look('errors');
  await tab(page, 'Commands').click();
  await drawer(page).getByText('gasdesk rule list').waitFor();
  await look('commands');
  expect(errors).toEqual([]);
});
