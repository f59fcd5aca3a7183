import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlayingCli, startPlaying } from '../support/cli.ts';
import { useConsoleBrowser } from '../support/console-page.ts';

/** `gasdesk demo`, as a visitor has it: the story was told, and the playground is open in the browser. */

const browser = useConsoleBrowser();
let demo: PlayingCli;
beforeAll(async () => {
  demo = await startPlaying();
});
afterAll(() => demo.end());

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const answer = (page: Page) => page.getByRole('region', { name: 'Answer' });
const consolePane = (page: Page) => page.frameLocator('iframe[name=console]');
const itemsOf = (page: Page) => page.locator('[data-items]');

test('a visitor without ether mints: the item is there, and the decision is in the console beside it', async () => {
  const page = await browser().open(demo.url);
  await page.getByText('0 ETH').waitFor();
  expect(await itemsOf(page).textContent()).toBe('0');
  await press(page, 'Mint an item');
  await answer(page).getByText('Sponsored: Mint an item').waitFor();
  expect(await answer(page).textContent()).toContain('your account owns 1 item now, and still holds 0 ETH');
  expect(await itemsOf(page).textContent()).toBe('1');
  await page.getByRole('link', { name: 'See this decision in the console' }).click();
  await consolePane(page).getByText('mint(1)').first().waitFor();
  expect(browser().errors).toEqual([]);
});
