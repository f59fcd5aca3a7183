import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';

const browser = useConsoleBrowser();
const desk = useOfflineDesk();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const ITEMS = `0x${'17'.repeat(20)}` as const;
const HOUR_MS = 3_600_000;

let dapp: SponsoredDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
  const { paymasterId } = dapp;
  const contract = { paymasterId, name: 'Items', address: ITEMS, abi: gameItems.formatJson() };
  await desk().call('contracts.create', { ...contract, whitelistedMethods: ['mint'] });
  const perUser = { type: 'SMART_ACCOUNT', hours: 24, thresholdType: 'COUNT' } as const;
  await desk().limit(dapp, { name: 'Ten a day', threshold: 10, ...perUser });
  let nonce = 0;
  for (let quarter = 0; quarter < 24; quarter += 1) {
    const busy = 4 + ((quarter * 5) % 19);
    await Promise.all(
      Array.from({ length: busy }, (_, index) => {
        const call = { to: ITEMS, data: gameCall(index === 2 ? 'burn' : 'mint') };
        const sender = `0x${['a1', 'b2', 'c3', 'd4'][index % 4]!.repeat(20)}`;
        return dapp.sponsor(operation(call, { sender, nonce: `0x${(nonce += 1).toString(16)}` }));
      }),
    );
    await desk().clock.sleep(6 * HOUR_MS);
  }
});

const openLimit = async (view: Parameters<ReturnType<typeof browser>['open']>[1], query = '&of=Ten+a+day') => {
  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`, view);
  await page.getByText('Engine running').waitFor();
  const place = `#/dapps/${dapp.paymasterId}/policy?form=spendingLimit${query}`;
  await page.evaluate((to) => (window.location.hash = to), place);
  return page;
};
const panelOf = (page: Page) => page.getByRole('region', { name: 'Last 7 days under this limit' });
const sliderOf = (page: Page) => panelOf(page).getByRole('slider', { name: 'Move the threshold' });
const typedIn = (page: Page) => page.getByRole('textbox', { name: 'Allowed' });
const whole = (page: Page) =>
  panelOf(page)
    .getByRole('status')
    .getByText(/^On the \d+ decisions of the last 7 days/);
const nowDenied = (page: Page) =>
  panelOf(page)
    .getByRole('listitem')
    .filter({ hasText: /^\s*Now denied/ })
    .locator('b');

/** What the trial of the typed limit says. */
const trialOf = async (page: Page): Promise<string | null> => {
  const trial = page.getByRole('region', { name: 'Trial on past decisions' });
  const start = trial.getByRole('button', { name: 'Try on the last 7 days' });
  if (await start.isVisible()) await start.click();
  return trial.getByRole('status').textContent();
};

test.each([
  [1280, 'light'],
  [1280, 'dark'],
  [800, 'light'],
  [800, 'dark'],
  [400, 'light'],
  [400, 'dark'],
] as const)('last week follows the threshold as it is moved, at %i px, %s', async (width, colorScheme) => {
  const page = await openLimit({ width, colorScheme });
  const slider = sliderOf(page);
  await whole(page).waitFor();
  expect(await slider.getAttribute('aria-valuetext')).toBe('10 operations per 24 hours');

  // With the keyboard alone.
  await slider.focus();
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowLeft');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('5 operations per 24 hours');
  expect(await typedIn(page).inputValue()).toBe('5');
  await whole(page)
    .getByText(/this would have denied \d+ operations of \d users/)
    .waitFor();
  expect(Number(await nowDenied(page).textContent())).toBeGreaterThan(0);
  await panelOf(page)
    .getByRole('img', { name: /^Decisions over time: \d+ sponsored as before, \d+ now denied/ })
    .waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await panelOf(page).getByText('By day').click();
  await panelOf(page)
    .getByText(/^From .*sponsored as before/)
    .first()
    .waitFor();
  await panelOf(page).scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(artifacts, `console-thresholds-${width}-${colorScheme}.png`) });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
});

test('what is typed moves the slider, and says what the trial of the limit says', async () => {
  const page = await openLimit({ width: 1280, colorScheme: 'light' });
  await whole(page).waitFor();
  for (const typed of ['3', '20', '1000']) {
    await typedIn(page).fill(typed);
    await expect.poll(() => sliderOf(page).getAttribute('aria-valuetext')).toBe(`${typed} operations per 24 hours`);
    await expect.poll(async () => panelOf(page).getByRole('status').textContent()).toBe(await trialOf(page));
  }
  // A higher threshold than any that matters is at the end.
  expect(await sliderOf(page).inputValue()).toBe(await sliderOf(page).getAttribute('max'));
});

test('a new limit has a slider before a threshold is typed', async () => {
  const page = await openLimit({ width: 1280, colorScheme: 'light' }, '');
  await sliderOf(page).waitFor();
  expect(await panelOf(page).getByRole('status').count()).toBe(0);
  await sliderOf(page).focus();
  await page.keyboard.press('ArrowRight');
  expect(await typedIn(page).inputValue()).toBe('2');
  await whole(page)
    .getByText(/this would have denied \d+ operations/)
    .waitFor();
  expect(await seriousErrors(page)).toEqual([]);
});

interface ThresholdCall {
  readonly name?: string;
  readonly input: { readonly threshold: string };
}

/** Handles the requests for counts of a page. */
const onCounts = (page: Page, handle: (route: Route, threshold: string) => Promise<void>): Promise<unknown> =>
  page.route('**/console/call', async (route) => {
    const { name, input } = route.request().postDataJSON() as ThresholdCall;
    return name === 'policies.atThreshold' ? handle(route, input.threshold) : route.continue();
  });

test('until all is read, an estimate is shown, with its progress', async () => {
  const page = await openLimit({ width: 1280, colorScheme: 'light' });
  await whole(page).waitFor();
  await onCounts(page, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({
      response,
      body: text.replace('"isWhole":true', '"isWhole":false').replace(/"done":\d+/, '"done":60'),
    });
  });
  await typedIn(page).fill('4');
  await panelOf(page)
    .getByText(
      /^Estimate from a sample of \d+ decisions and the first 60 decisions of \d+: this would deny \d+ operations/,
    )
    .waitFor();
  await panelOf(page).getByRole('progressbar', { name: 'Decisions evaluated' }).waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-thresholds-estimate.png') });
  // The page asks again until all is read, and may do so when it is closed.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('an answer that comes late does not replace that of a newer position', async () => {
  const page = await openLimit({ width: 1280, colorScheme: 'light' });
  await whole(page).waitFor();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const asked: string[] = [];
  await onCounts(page, async (route, threshold) => {
    asked.push(threshold);
    if (threshold === '2') await held;
    await route.continue();
  });
  await typedIn(page).fill('2');
  await expect.poll(() => asked).toContain('2');
  await typedIn(page).fill('1000');
  release();
  await whole(page).getByText('this would have sponsored').waitFor();
  await expect.poll(() => asked.at(-1)).toBe('1000');
  expect(await nowDenied(page).textContent()).toBe('0');
});

test('the threshold is saved with the form', async () => {
  const page = await openLimit({ width: 1280, colorScheme: 'light' });
  await sliderOf(page).focus();
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('button', { name: 'Save limit' }).click();
  await page.getByText('Limit saved').waitFor();
  const { paymasterId } = dapp;
  const rules = await desk().call<{ _id: string; name: string; policyData: { threshold: unknown } }[]>('rules.list', {
    paymasterId,
  });
  const saved = rules.find(({ name }) => name === 'Ten a day');
  expect(saved?.policyData.threshold).toBe('9');
  await desk().call('rules.updateLimit', { paymasterId, ruleId: saved?._id, update: { threshold: 10 } });
});

test('nothing went wrong in any page', () => {
  expect(browser().errors.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});
