import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type PlayingCli, startPlaying } from '../support/cli.ts';
import { type View, useConsoleBrowser } from '../support/console-page.ts';
import { allFindings, seriousErrors } from './axe.ts';

/** `gasdesk demo`, as a visitor has it: the story has ended, and the playground is open in the browser. */

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
/** Resets the playground, and waits for the new one. */
const resetBy = async (page: Page): Promise<void> => {
  const before = await page.locator('iframe').getAttribute('src');
  await press(page, 'Reset');
  await page.waitForFunction((src) => {
    const now = document.querySelector('iframe')?.getAttribute('src');
    return typeof now === 'string' && now !== src;
  }, before);
  await page.getByText('0 ETH').waitFor();
};
const pipeline = (page: Page) => page.getByRole('region', { name: 'Pipeline' });
/** What happened to the last operation at a station: the name of a rule, `signed` or `mined`. */
const station = (page: Page, name: string, state: string) =>
  pipeline(page).locator(`[data-station=${name}][data-state=${state}]`).waitFor();
const tankOf = async (page: Page): Promise<number> =>
  Number.parseFloat((await page.locator('[data-tank]').textContent()) ?? '');

test('the playground opens on the pipeline, with one operation of another user and nothing to worry about', async () => {
  const page = await visit();
  await page.getByText('0 ETH').waitFor();
  await resetBy(page);
  await station(page, 'mined', 'pass');
  await pipeline(page).getByText('mint(1) on GameItems').waitFor();
  expect(await page.evaluate(() => document.fonts.check('14px "Inter Variable"'))).toBe(true);
  await press(page, 'Console');
  await consolePane(page).getByText('1 in total').waitFor();
  await consolePane(page).getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  expect(await consolePane(page).getByRole('button', { name: 'Sign out' }).count()).toBe(0);
});

test('an item that is minted is seen, and the gas tank sinks by what it took', async () => {
  const page = await visit();
  await page.getByText('0 ETH').waitFor();
  expect(await page.locator('[data-item]').count()).toBe(0);
  const before = await tankOf(page);
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
  await station(page, 'mined', 'pass');
  await page.locator('[data-item]').waitFor();
  await expect.poll(() => tankOf(page)).toBeLessThan(before);
  await pipeline(page)
    .getByText(/^− 0[.]\d+ ETH$/)
    .waitFor();
});

test('the fix under the rule that stopped an operation, pressed by keyboard: the same operation passes', async () => {
  const page = await visit();
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
  await press(page, 'Burn an item');
  await station(page, 'contracts', 'deny');
  await station(page, 'signed', 'beyond');
  const stopped = pipeline(page).getByRole('listitem').filter({ hasText: 'Contracts' });
  expect(await stopped.textContent()).toBe('Contracts: denies it: the operation stops here');
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'playground-stopped-1280-light.png') });
  await pipeline(page).getByRole('button', { name: 'Add burn(uint256) to GameItems' }).focus();
  await page.keyboard.press('Enter');
  // The method passes now; the user's operation of the day is used.
  await station(page, 'spendingLimit', 'deny');
  await pipeline(page).getByRole('button', { name: 'Raise "One a day" to 2' }).focus();
  await page.keyboard.press('Enter');
  await told(page, 'Sponsored: Burn an item');
  await station(page, 'mined', 'pass');
  expect(await itemsOf(page).textContent()).toBe('0');
  await page.screenshot({ path: join(artifacts, 'playground-passed-1280-light.png') });
  await resetBy(page);
});

test('what the user did wrong has no button for the operator', async () => {
  const page = await visit();
  await press(page, 'Mint with a fee too low');
  await station(page, 'fees', 'deny');
  await pipeline(page).getByText('What to do:').waitFor();
  expect(await pipeline(page).getByRole('button').count()).toBe(0);
});

test("the clock's buttons answer", async () => {
  const page = await visit();
  await page.getByText('0 ETH').waitFor();
  await press(page, '+1 hour');
  await told(page, 'Done: One hour later');
  await press(page, '+1 day');
  await told(page, 'Done: One day later');
  expect(await answer(page).textContent()).toMatch(/It is \d{4}-\d\d-\d\d \d\d:\d\d UTC.*you can mint again/);
});

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
  await consolePane(page).getByText('burn(1) on GameItems').filter({ visible: true }).first().waitFor();
  await press(page, 'Mint with a fee too low');
  await told(page, 'Denied: Mint with a fee too low');
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
  await page.screenshot({ path: join(artifacts, 'playground-1280-light.png') });
  expect(await allFindings(page)).toEqual([]);
});

test('in a narrow window the panes are stacked, and a link to a decision goes to the console below', async () => {
  const page = await visit({ width: 400 });
  await press(page, 'Burn an item');
  const link = page.getByRole('link', { name: 'See this decision in the console' });
  await link.waitFor();
  await page.screenshot({ path: join(artifacts, 'playground-400-light.png'), fullPage: true });
  await link.click();
  await consolePane(page).getByText('burn(1) on GameItems').filter({ visible: true }).first().waitFor();
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
  await press(page, 'Console');
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
  await press(page, 'Console');
  await consolePane(page)
    .getByRole('button', { name: /new decisions/ })
    .waitFor();
  await flip(page, 'Traffic');
  await page.getByRole('switch', { name: 'Traffic', checked: false }).waitFor();
});

test('reset: a new desk and a new chain, on which another user has minted once', async () => {
  const page = await visit();
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
  await resetBy(page);
  expect(await itemsOf(page).textContent()).toBe('0');
  await press(page, 'Mint an item');
  await told(page, 'Sponsored: Mint an item');
});
