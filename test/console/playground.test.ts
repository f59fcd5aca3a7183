import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type PlayingCli, startPlaying } from '../support/cli.ts';
import { type View, useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';

/** `gasdesk demo`, as a visitor has it: the story was played, and the playground is open in the browser. */

const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
let demo: PlayingCli;
beforeAll(async () => {
  demo = await startPlaying();
});
afterAll(() => demo.end());

/** What someone resets would be shown as errors by the tabs of others. */
let visited: Page | undefined;
const visit = async (view?: View): Promise<Page> => {
  visited = await browser().open(demo.url, view);
  return visited;
};
afterEach(() => visited?.close());

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const answer = (page: Page) => page.getByRole('region', { name: 'Answer' });
const consolePane = (page: Page) => page.frameLocator('iframe[name=console]');
const flip = (page: Page, name: string) => page.getByRole('switch', { name, exact: true }).click();
const told = (page: Page, text: string) => answer(page).getByText(text).waitFor();
const itemsOf = (page: Page) => page.locator('[data-items]');

test('a visitor without ether mints: the item is there, and the decision is in the console next to it', async () => {
  const before = browser().errors.length;
  const page = await visit();
  await page.getByText('0 ETH').waitFor();
  expect(await itemsOf(page).textContent()).toBe('0');
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
  expect(await answer(page).textContent()).toContain('your account owns 1 item now, and still holds 0 ETH');
  expect(await itemsOf(page).textContent()).toBe('1');
  await page.getByRole('link', { name: 'See this decision in the console' }).click();
  await consolePane(page).getByText('mint(1)').first().waitFor();
  expect(browser().errors.slice(before)).toEqual([]);
});

test('what the policy does not allow is denied in the words of the desk, with what helps', async () => {
  const page = await visit();
  await press(page, 'Burn an item');
  await told(page, 'Denied: Burn an item');
  expect(await answer(page).textContent()).toMatch(/which is not whitelisted.*What to do: Add burn\(uint256\)/);
  await page.getByRole('link', { name: 'See this decision in the console' }).click();
  await consolePane(page).getByText('burn(1) on GameItems').first().waitFor();
  await press(page, 'Mint with too low a fee');
  await told(page, 'Denied: Mint with too low a fee');
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
  await press(page, 'Mint with a used nonce');
  await told(page, 'Denied: Mint with a used nonce');
  expect(await answer(page).textContent()).toContain('The nonce 0 is already used');
});

test('the page is accessible: axe finds nothing serious, with answers and without, and the keyboard suffices', async () => {
  const page = await visit();
  await page.getByText('0 ETH').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.getByRole('button', { name: 'Burn an item' }).focus();
  await page.keyboard.press('Enter');
  await told(page, 'Denied: Burn an item');
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'playground-1280-light.png') });
});

test('in a narrow window the panes are stacked, and a link to a decision goes to the console below', async () => {
  const page = await visit({ width: 400 });
  await press(page, 'Burn an item');
  const link = page.getByRole('link', { name: 'See this decision in the console' });
  await link.waitFor();
  await page.screenshot({ path: join(artifacts, 'playground-400-light.png'), fullPage: true });
  await link.click();
  await consolePane(page).getByText('burn(1) on GameItems').first().waitFor();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(500);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
  expect(await seriousErrors(page)).toEqual([]);
});

test('a visitor pays in a token, once there is one to pay with', async () => {
  const page = await visit();
  await press(page, 'Pay in USDT');
  await told(page, 'Denied: Pay in USDT');
  await press(page, 'Get 10 USDT');
  await told(page, 'Your account holds 10 USDT now.');
  await press(page, 'Pay in USDT');
  await told(page, 'Sponsored: Pay in USDT');
  expect(await answer(page).textContent()).toMatch(/You paid \d[.]\d+ USDT: 10 USDT before, \d[.]\d+ USDT after/);
  expect(await itemsOf(page).textContent()).toBe('1');
});

test('a person with three accounts has one budget', async () => {
  const page = await visit();
  for (let account = 1; account <= 2; account += 1) {
    await press(page, 'Sign in as Ada');
    await told(page, 'Sponsored: Sign in as Ada');
    await expect.poll(() => itemsOf(page).textContent()).toBe('1');
    await press(page, 'Burn an item');
    await told(page, 'Denied: Burn an item');
  }
  await press(page, 'Sign in as Ada');
  await told(page, 'Denied: Sign in as Ada');
  expect(await answer(page).textContent()).toContain('allows 2 operations per person and window');
});

test('the limit of a day denies until the clock is moved by a day', async () => {
  const page = await visit();
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
  await press(page, 'Mint again');
  await told(page, 'Denied: Mint again');
  expect(await answer(page).textContent()).toContain('The limit "One a day" allows 1 operation per user and window');
  await press(page, '+1 day');
  await consolePane(page).getByText('1 day ago').first().waitFor();
  await press(page, 'Mint again');
  await told(page, 'Sponsored: Mint again');
  expect(await itemsOf(page).textContent()).toBe('2');
});

/** What each switch of the operator has the desk say to a new user. */
const SWITCHES: Readonly<Record<string, string>> = {
  'Pause all sponsorship': 'All sponsorship has been paused',
  'Empty the gas tank': 'The gas tank holds 0 ETH',
  'Lower the burn-rate breaker': 'The burn-rate breaker of the chain lets Gasdesk sign',
  'Do not pay for new accounts': 'deploys its account',
  'The DApp’s webhook says no': 'does not verify this operation',
  'The node is unreachable': 'The node of the chain is unreachable',
};

test('each switch of the operator has new users denied, until it is off again', async () => {
  const page = await visit();
  for (const [name, words] of Object.entries(SWITCHES)) {
    await flip(page, name);
    await page.getByRole('switch', { name, checked: true }).waitFor();
    await press(page, 'Mint as a new user');
    await told(page, 'Denied: Mint as a new user');
    expect(await answer(page).textContent()).toContain(words);
    await flip(page, name);
    await page.getByRole('switch', { name, checked: false }).waitFor();
  }
  await press(page, 'Mint as a new user');
  await told(page, 'Sponsored: Mint as a new user');
});

test('no other site can do anything to the playground', async () => {
  const reset = (headers: Record<string, string>) =>
    fetch(new URL('reset', demo.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
  expect((await reset({ origin: 'https://evil.example' })).status).toBe(403);
  expect((await fetch(new URL('scene', demo.url.replace('127.0.0.1', 'localhost')))).status).toBe(403);
});

test('traffic: good and bad users come until it is turned off', async () => {
  const page = await visit();
  await flip(page, 'Traffic');
  await page.getByRole('switch', { name: 'Traffic', checked: true }).waitFor();
  await consolePane(page)
    .getByRole('button', { name: /new decisions/ })
    .waitFor();
  await flip(page, 'Traffic');
  await page.getByRole('switch', { name: 'Traffic', checked: false }).waitFor();
});

test('reset: a new desk and a new chain, on which nothing has happened but the story', async () => {
  const page = await visit();
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
  const before = await page.locator('iframe').getAttribute('src');
  await press(page, 'Reset');
  await page.waitForFunction((src) => {
    const now = document.querySelector('iframe')?.getAttribute('src');
    return typeof now === 'string' && now !== src;
  }, before);
  await page.getByText('0 ETH').waitFor();
  expect(await itemsOf(page).textContent()).toBe('0');
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
});
