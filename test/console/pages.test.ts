import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousFaults } from './axe.ts';
import { HOSTILE, useSeededConsole } from './seeded-console.ts';

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
  paymasters: { address: () => '#/paymasters', ready: (page) => page.getByText('Code to paste').waitFor() },
  contracts: { address: () => '#/contracts', ready: (page) => page.getByRole('listitem', { name: 'Items' }).waitFor() },
  rules: { address: () => '#/rules', ready: (page) => page.getByRole('listitem', { name: 'Five a day' }).waitFor() },
  webhooks: {
    address: () => '#/webhooks',
    ready: (page) => page.getByText('https://hooks.example/verify').first().waitFor(),
  },
  'webhook-test': {
    address: () => '#/webhooks',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Send a test call' }).first().click();
      await page.getByRole('dialog').getByText('gasdesk-preview').waitFor();
    },
  },
  log: { address: () => '#/log', ready: (page) => page.getByText('http.request').first().waitFor() },
  'rules-near': {
    address: () => '#/rules',
    ready: async (page) => {
      await page.getByText('Who is near it').first().click();
      await page
        .getByRole('meter', { name: /^Used by 0x/ })
        .first()
        .waitFor();
    },
  },
  'rules-new': {
    address: () => '#/rules',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add a rule' }).click();
      await page.getByLabel('Allowed').fill('3');
      await page.getByText("On the last 24 hours' traffic").waitFor();
    },
  },
  'gas-tank': {
    address: () => '#/gas-tank',
    ready: (page) => page.getByRole('region', { name: 'Balance' }).getByText('Low below').waitFor(),
  },
  'gas-tank-funding': {
    address: () => '#/gas-tank',
    ready: async (page) => {
      await page.getByRole('button', { name: /^(Set the funding wallet|Change it)$/ }).click();
      await page.getByRole('dialog').getByText('Elsewhere').click();
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
      await page.getByText('Sound, schema').waitFor();
      await page.getByText('rateLimitPerKey').waitFor();
    },
  },
};

const show = async (page: Page, name: string): Promise<void> => {
  await page.evaluate((hash) => (window.location.hash = hash), pages[name]!.address());
  await pages[name]!.ready(page);
};

describe.each([
  { width: 1280, height: 860 },
  { width: 800, height: 900 },
])('at $width px', ({ width, height }) => {
  test.each(['light', 'dark'] as const)(
    'every page can be read by everybody, and is kept as a picture: %s',
    async (colorScheme) => {
      const page = await browser().open(desk().url, { width, height, colorScheme });
      await page.getByText('Engine running').waitFor();
      const faults: string[] = [];
      for (const name of Object.keys(pages)) {
        await show(page, name);
        await page.screenshot({ path: join(artifacts, `console-${name}-${width}-${colorScheme}.png`) });
        faults.push(...(await seriousFaults(page)).map((fault) => `${name}: ${fault}`));
        const overflow = await page.evaluate(() => {
          const main = document.querySelector('main')!;
          return Math.max(
            main.scrollWidth - main.clientWidth,
            document.documentElement.scrollWidth - window.innerWidth,
          );
        });
        if (overflow > 0) faults.push(`${name}: wider than the window by ${overflow} px`);
      }
      expect(faults).toEqual([]);
    },
    120_000,
  );
});

test('names and answers that are markup are shown as text and run nothing', async () => {
  const page = await browser().open(desk().url);
  await page.getByText('Engine running').waitFor();
  for (const name of Object.keys(pages)) {
    await show(page, name);
    expect(await page.locator('img').count(), name).toBe(0);
    expect(await page.evaluate(() => window.hacked), name).toBeUndefined();
  }
  await show(page, 'paymasters');
  expect(await page.getByRole('row').filter({ hasText: HOSTILE }).count()).toBe(1);
  await show(page, 'decision-webhook');
  expect(await page.getByRole('complementary').innerText()).toContain(HOSTILE);
});
