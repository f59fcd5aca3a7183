import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

/** The palette takes what is typed. */
const ready = (page: Page): Promise<void> =>
  expect.poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-palette'))).toBe(true);

const opened = async (view?: Parameters<ReturnType<typeof browser>['open']>[1]): Promise<Page> => {
  const page = await browser().open(desk().url, view);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  await ready(page);
  return page;
};
const options = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option');

test('the keyboard leads to a page, and to a part of a DApp', async () => {
  const page = await opened();
  await page.keyboard.type('tok');
  await expect.poll(() => options(page).first().innerText()).toContain('Tokens');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Tokens' }).first().waitFor();

  await page.keyboard.press('Control+k');
  await ready(page);
  await page.keyboard.type('game tank');
  await expect.poll(() => options(page).first().innerText()).toContain('Gas tank');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Balance' }).waitFor();
});

test('nothing is lost of what is typed right behind the key, the first time and later', async () => {
  const page = await browser().open(desk().url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const input = page.getByRole('combobox', { name: /^Search pages/ });
  for (const typed of ['game tank', 'tokens', 'mint']) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(typed);
    await ready(page);
    expect(await input.inputValue()).toBe(typed);
    await page.keyboard.type('?');
    expect(await input.inputValue()).toBe(`${typed}?`);
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'hidden' });
  }
  await page.evaluate(() => (window.location.hash = '#/decisions'));
  const search = page.getByPlaceholder('Sender, hash, method or reason');
  await search.focus();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('burn');
  await ready(page);
  expect([await input.inputValue(), await search.inputValue()]).toEqual(['burn', '']);
});

test('a part of a hash, a method and a sender find decisions as one types', async () => {
  const page = await opened();
  await page.keyboard.type('burn');
  await expect.poll(() => options(page).first().innerText()).toMatch(/#\d+ Denied/);
  const [first, second] = await options(page).allInnerTexts();
  await page.keyboard.press('ArrowDown');
  expect(first).not.toBe(second);
  expect(await options(page).nth(1).getAttribute('aria-selected')).toBe('true');
  await page.screenshot({ path: join(artifacts, 'console-palette-1280-light.png') });
  expect(await seriousErrors(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Rule by rule' }).waitFor();
});

test('what is not found is said, and Escape gives the page back', async () => {
  const page = await opened({ width: 400, height: 800, colorScheme: 'dark' });
  await page.keyboard.type('nothing has this name');
  await page.getByText('Nothing matches.').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-palette-400-dark.png') });
  expect(await seriousErrors(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: /^Search pages/ }).waitFor({ state: 'hidden' });
});

test('sponsorship is paused from it, after a question', async () => {
  const page = await opened();
  await page.keyboard.type('pause all');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Pause all sponsorship?' });
  await dialog.getByRole('button', { name: 'Keep sponsoring' }).click();
  await dialog.waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: 'Search' }).first().click();
  await ready(page);
  await page.keyboard.type('backup');
  await page.keyboard.press('Enter');
  await expect
    .poll(() =>
      page.getByRole('heading', { name: 'Backup', exact: true }).evaluate((node) => node.getBoundingClientRect().top),
    )
    .toBeLessThan(860);
});
