import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';
import { HOSTILE } from './seeded-decisions.ts';

declare global {
  interface Window {
    hacked?: unknown;
  }
}

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

/** Pages by the name of their picture, and what says that they are there. */
const pages: Readonly<Record<string, { address: () => string; ready: (page: Page) => Promise<unknown> }>> = {
  overview: {
    address: () => '#/',
    ready: (page) =>
      page
        .getByRole('img', { name: /^Bar chart/ })
        .locator('canvas')
        .waitFor(),
  },
  decisions: { address: () => '#/decisions', ready: (page) => page.getByRole('row').nth(5).waitFor() },
  decision: {
    address: () => `#/decisions/${desk().deniedDecision}`,
    ready: (page) => page.getByRole('heading', { name: 'Rule by rule' }).waitFor(),
  },
  'decision-webhook': {
    address: () => `#/decisions/${desk().hostileDecision}`,
    ready: async (page) => {
      await page.getByText('What came back').click();
      await page.getByText('arePoliciesVerified').last().waitFor();
    },
  },
  dapps: { address: () => '#/dapps', ready: (page) => page.getByRole('row').nth(2).waitFor() },
  connect: { address: () => '#/dapps/last/connect', ready: (page) => page.getByText('Integration snippets').waitFor() },
  contracts: {
    address: () => '#/dapps/last?form=contracts&of=Items',
    ready: (page) => page.getByRole('complementary', { name: 'Methods of Items' }).waitFor(),
  },
  rules: {
    address: () => '#/dapps/last',
    ready: (page) => page.getByRole('listitem', { name: 'Five a day' }).waitFor(),
  },
  webhooks: {
    address: () => '#/dapps/last/webhooks',
    ready: (page) => page.getByText('https://hooks.example/verify').first().waitFor(),
  },
  'webhook-test': {
    address: () => '#/dapps/last/webhooks',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Send a test call' }).first().click();
      await page.getByRole('dialog').getByText('gasdesk-preview').waitFor();
    },
  },
  activity: { address: () => '#/activity', ready: (page) => page.getByText('Before and after').first().waitFor() },
  'service-log': {
    address: () => '#/activity/service',
    ready: (page) => page.getByText('http.request').first().waitFor(),
  },
  'rules-near': {
    address: () => '#/dapps/last',
    ready: async (page) => {
      await page.getByText('Top users').first().click();
      await page
        .getByRole('meter', { name: /^Used by 0x/ })
        .first()
        .waitFor();
    },
  },
  'rules-new': {
    address: () => '#/dapps/last',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add limit' }).click();
      await page.getByLabel('Allowed').fill('3');
      await page.getByText('Each user may have 3 operations sponsored per day.').waitFor();
    },
  },
  'gas-tank': {
    address: () => '#/dapps/last/tank',
    ready: (page) => page.getByRole('region', { name: 'Balance' }).getByText('Alert when').waitFor(),
  },
  'gas-tank-funding': {
    address: () => '#/dapps/last/tank',
    ready: async (page) => {
      await page.getByRole('button', { name: /^(Set the funding wallet|Change wallet)$/ }).click();
      await page.getByRole('dialog').getByText('Another device').click();
      await page.getByRole('img', { name: 'QR code of the message to sign' }).waitFor();
    },
  },
  tokens: {
    address: () => '#/tokens',
    ready: async (page) => {
      await page.getByText('A user pays about 3.39').waitFor();
      await page.getByText('No usable rate').or(page.getByText('has no RPC URL')).first().waitFor();
    },
  },
  'tokens-new': {
    address: () => '#/tokens',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add a token' }).click();
      await page.getByLabel('Address of the token').waitFor();
    },
  },
  settings: {
    address: () => '#/settings',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Check everything' }).click();
      await page.getByText('OK, schema').waitFor();
      await page.getByText('rateLimitPerKey').waitFor();
    },
  },
};

const show = async (page: Page, name: string): Promise<void> => {
  await page.evaluate((hash) => (window.location.hash = hash), pages[name]!.address());
  await pages[name]!.ready(page);
};

const VIEWS = [
  { width: 1280, height: 860 },
  { width: 800, height: 900 },
];

/** Keeps the page as it is now as a picture of that size. @returns by how much it is wider than the window */
const picture = async (page: Page, name: string, size: { width: number; height: number }): Promise<string[]> => {
  await page.setViewportSize(size);
  await page.screenshot({ path: join(artifacts, `console-${name}.png`) });
  const overflow = await page.evaluate(() => {
    const main = document.querySelector('main')!;
    return Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - window.innerWidth);
  });
  return overflow > 0 ? [`wider than ${size.width} px by ${overflow} px`] : [];
};

/** Markup of others that the page took for its own. */
const takenMarkup = async (page: Page): Promise<string[]> => [
  // The editor of conditions has one without a source, around a caret.
  ...((await page.locator('img:is([src], [srcset])').count()) > 0 ? ['a picture that somebody else named'] : []),
  ...((await page.evaluate(() => window.hacked)) === undefined ? [] : ['a script of somebody else']),
];

test.each(['light', 'dark'] as const)(
  'every page is accessible, fits the window, runs no foreign code, and is kept as a picture: %s',
  async (colorScheme) => {
    const page = await browser().open(desk().url, { ...VIEWS[0], colorScheme });
    await page.getByText('Engine running').waitFor();
    const errors: string[] = [];
    for (const name of Object.keys(pages)) {
      await show(page, name);
      const found = [...(await seriousErrors(page)), ...(await takenMarkup(page))];
      for (const view of VIEWS) found.push(...(await picture(page, `${name}-${view.width}-${colorScheme}`, view)));
      await page.setViewportSize(VIEWS[0]!);
      errors.push(...found.map((error) => `${name}: ${error}`));
    }
    expect(errors).toEqual([]);
  },
);

test('names and answers that are markup are shown as text', async () => {
  const page = await browser().open(desk().url);
  await page.getByText('Engine running').waitFor();
  await show(page, 'dapps');
  expect(await page.getByRole('row').filter({ hasText: HOSTILE }).count()).toBe(1);
  await show(page, 'decision-webhook');
  expect(await page.getByRole('complementary').innerText()).toContain(HOSTILE);
  expect(await takenMarkup(page)).toEqual([]);
});
