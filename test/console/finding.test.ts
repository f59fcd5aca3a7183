import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';
import { HOSTILE } from './seeded-decisions.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const open = async (address: string): Promise<Page> => {
  const page = await browser().open(desk().url);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), address);
  return page;
};

test('the DApp that was chosen on one page is the DApp of the next', async () => {
  const dapps = await desk().engine.service.call('paymasters.list', {});
  const other = dapps.find(({ name }) => name === HOSTILE)!;
  const page = await open(`#/rules?dapp=${other.paymasterId}`);
  const title = page.getByRole('heading', { name: HOSTILE, level: 1 });
  await title.waitFor();
  for (const name of ['Webhooks', 'Gas tank']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name: name === 'Webhooks' ? name : 'Balance', level: 2 }).waitFor();
    await title.waitFor();
  }
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.evaluate(() => (window.location.hash = '#/dapps/last/connect'));
  await title.waitFor();
});

test('the search finds decisions as it is typed: by method, part of a hash or sender; Back undoes it', async () => {
  const page = await open('#/decisions');
  const search = page.getByRole('textbox', { name: 'Search decisions' });
  const list = page.getByRole('table', { name: 'Decisions' });
  const scroller = page.locator('.rows .v-vl');
  await page.getByRole('row').nth(5).waitFor();
  await scroller.evaluate((rows) => (rows.scrollTop = 2_000));
  await search.pressSequentially('BURN(');
  await page.getByText(/^\d+ matches$/).waitFor();
  const denied = await list.getByText('Denied').count();
  expect(await page.getByRole('row').count()).toBe(denied + 1);
  expect(await scroller.evaluate((rows) => rows.scrollTop)).toBe(0);
  await page.screenshot({ path: join(artifacts, 'console-search-1280-light.png') });

  const [sponsored] = await desk().engine.service.call('decisions.list', { outcome: 'sponsored', limit: 1 });
  const { userOpHash } = await desk().engine.service.call('decisions.show', { decisionId: sponsored!.id });
  await search.fill(userOpHash!.slice(10, 40));
  await page.getByText('1 match', { exact: true }).waitFor();
  await page.goBack();
  await page.getByText('in total').waitFor();
  expect(await search.inputValue()).toBe('');

  // A filter that is chosen can be gone back from, too.
  await page.locator('.filters .n-select').nth(1).click();
  await page.locator('.n-base-select-option').filter({ hasText: 'Failed' }).click();
  await page.getByText(/matches$/).waitFor();
  await page.goBack();
  await page.getByText('in total').waitFor();
});

/** Tables and tabs of the page that need more than their width. */
const cutParts = (page: Page): Promise<string[]> =>
  page
    .locator('main .table-place, main .tabs')
    .evaluateAll((parts) =>
      parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
    );

test('in a narrow window the page has nearly all of the height, and its frame fits the width', async () => {
  const page = await open('#/rules');
  await page.getByRole('listitem', { name: 'Five a day' }).waitFor();
  await page.setViewportSize({ width: 400, height: 800 });
  const { y } = (await page.getByRole('main').boundingBox())!;
  expect(y).toBeLessThan(125);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
  for (const name of ['overview', 'decisions', 'dapps', 'tokens', 'activity', 'settings']) {
    await page.evaluate((hash) => (window.location.hash = hash), `#/${name === 'overview' ? '' : name}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.screenshot({ path: join(artifacts, `console-${name}-400-light.png`) });
    const over = () => page.getByRole('main').evaluate((main) => main.scrollWidth - main.clientWidth);
    await expect.poll(over, { message: name }).toBe(0);
  }
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  for (const address of ['dapps', 'dapps/last/connect', 'dapps/last/webhooks', 'costs', 'settings']) {
    await page.evaluate((hash) => (window.location.hash = hash), `#/${address}`);
    await page.getByRole('main').locator('.data-table td, .tabs > a').first().waitFor();
    expect([address, await cutParts(page)]).toEqual([address, []]);
  }
  for (const address of ['#/decisions', '#/dapps/last/decisions']) {
    await page.evaluate((hash) => (window.location.hash = hash), address);
    const list = page.getByRole('table', { name: 'Decisions' });
    await list.getByRole('row').nth(3).waitFor();
    expect([address, await list.evaluate((table) => table.scrollWidth - table.clientWidth)]).toEqual([address, 0]);
  }
  await page.setViewportSize({ width: 800, height: 900 });
  const bar = (await page.getByRole('banner').boundingBox())!;
  expect(bar.height).toBeLessThan(60);
});

test('a denial leads to where its rule is changed, and to its DApp', async () => {
  const page = await open(`#/decisions/${desk().deniedDecision}`);
  const detail = page.getByRole('complementary', { name: 'Decision' });
  await detail.getByRole('heading', { name: 'Rule by rule' }).waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-decision-links-1280-light.png') });
  // Next to an open decision, a row has the short reason.
  await page
    .getByRole('table', { name: 'Decisions' })
    .getByText('Contracts · Method not whitelisted')
    .first()
    .waitFor();
  await detail.getByRole('link', { name: 'Game Items' }).click();
  await page.getByRole('heading', { name: 'Game Items', level: 1 }).waitFor();
  await page.goBack();
  await detail.getByRole('link', { name: 'Edit contracts' }).first().click();
  await page.getByText('Only mint on Items.').waitFor();
});

test('ticks and typed text outlast a look elsewhere, and what is not saved is not called sponsored', async () => {
  const page = await open('#/contracts');
  const row = page.getByRole('listitem', { name: 'Items', exact: true });
  await row.getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('complementary', { name: 'Methods of Items' });
  await form.getByText('1 of 2 write methods sponsored.').waitFor();
  await form.getByRole('checkbox', { name: 'burn' }).click();
  await form.getByText('Not saved yet. After saving: 2 of 2 write methods sponsored.').waitFor();
  await page.getByRole('link', { name: 'Gas tank', exact: true }).click();
  await page.getByRole('heading', { name: 'Balance' }).waitFor();
  await page.getByRole('link', { name: 'Policy', exact: true }).click();
  await row.getByText('Not saved yet.').waitFor();
  await row.getByRole('button', { name: 'Edit' }).click();
  await form.getByRole('button', { name: 'Discard' }).click();
  await row.getByText('Not saved yet.').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Add contract' }).click();
  const dialog = page.getByRole('complementary', { name: 'Register a contract' });
  await dialog.getByLabel('Name').fill('Bazaar');
  const method = (index: number) => ({ type: 'function', name: `method${index}`, inputs: [], outputs: [] });
  const abi = Array.from({ length: 40 }, (_, index) => ({ ...method(index), stateMutability: 'nonpayable' }));
  await dialog.getByLabel('ABI').fill(JSON.stringify(abi));
  await dialog.getByLabel('Search methods').fill('method39');
  await expect.poll(() => dialog.getByRole('checkbox').count()).toBe(1);
  await page.mouse.click(5, 400);
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Bazaar');
});
