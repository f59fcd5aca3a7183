import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { layoutShift } from '../support/layout-shift.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();

/** The scripts that a page has fetched, each with its bytes on the network. */
const scriptsOf = (page: Page): Promise<[name: string, bytes: number][]> =>
  page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => name.endsWith('.js'))
      .map(({ name, encodedBodySize }) => [name.slice(name.lastIndexOf('/') + 1), encodedBodySize]),
  );

const fonts = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family));

test('the first page needs less than 200 kB of compressed script; the charts come behind it and nothing moves', async () => {
  const page = await browser().open(desk().url);
  await page
    .getByRole('img', { name: /^Bar chart/ })
    .locator('canvas')
    .waitFor();
  await page.getByRole('region', { name: 'Limits nearly used up' }).waitFor();
  const scripts = await scriptsOf(page);
  const needed = scripts.filter(([name]) => !name.startsWith('DrawnChart-'));
  expect(scripts.length - needed.length).toBe(1);
  expect(needed.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(200_000);
  expect(await layoutShift(page)).toBeLessThan(0.02);
});

test('on a phone, a problem of a chain that is found later moves nothing', async () => {
  const page = await browser().open(desk().url, { width: 400 });
  await page.getByText('Local chain unchecked').waitFor();
  await page.getByRole('region', { name: 'Limits nearly used up' }).waitFor();
  expect(await layoutShift(page)).toBeLessThan(0.02);
});

test('the fonts of the console come with it', async () => {
  const page = await browser().open(desk().url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await expect.poll(() => fonts(page)).toEqual(expect.arrayContaining(['Inter Variable', 'Source Code Pro Variable']));
});
