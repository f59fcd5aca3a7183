import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();

const goTo = (page: Page, hash: string) => page.evaluate((to) => (window.location.hash = to), hash);
const heads = (page: Page) => page.getByRole('columnheader').allInnerTexts();
const usual = ['Outcome', 'When', 'DApp', 'Sender', 'Operation', 'Reason', 'Cost'];

test('the operator chooses the columns, and this browser keeps them', async () => {
  const page = await browser().open(desk().url);
  await goTo(page, '#/decisions');
  await page.getByRole('row').nth(5).waitFor();
  expect(await heads(page)).toEqual(usual);
  await page
    .getByRole('cell', { name: /^mint\(\d+\) on / })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  const choice = page
    .getByRole('group', { name: 'Columns' })
    .or(page.getByLabel('Columns', { exact: true }))
    .first();
  await choice.getByText('Code').click();
  await choice.getByText('Sender').click();
  const chosen = ['Outcome', 'When', 'DApp', 'Operation', 'Reason', 'Code', 'Cost'];
  await expect.poll(() => heads(page)).toEqual(chosen);
  expect(await seriousErrors(page)).toEqual([]);
  await page.reload();
  await page.getByRole('row').nth(5).waitFor();
  expect(await heads(page)).toEqual(chosen);
});

test.each([1360, 1280, 1100, 1024, 800, 400])('in a window of %i px, no column is cut off', async (width) => {
  const page = await browser().open(desk().url);
  await page.setViewportSize({ width, height: 800 });
  await goTo(page, '#/decisions');
  await page.getByRole('row').nth(5).waitFor();
  const end = async (role: 'table' | 'columnheader'): Promise<number> => {
    const { x, width: own } = (await page.getByRole(role).locator('visible=true').last().boundingBox())!;
    return x + own;
  };
  expect(await end('columnheader')).toBeLessThan(await end('table'));
});

test.each([1360, 800, 400])('in a window of %i px, each decision says once when it was made', async (width) => {
  const page = await browser().open(desk().url, { width });
  await goTo(page, '#/decisions');
  const first = page.getByRole('row').nth(1);
  await first.waitFor();
  expect(await first.locator('time').locator('visible=true').count()).toBe(1);
  const fits = await first.evaluate((row) =>
    [...row.children].every(({ scrollHeight }) => scrollHeight <= row.clientHeight),
  );
  expect(fits).toBe(true);
});

test.each([1360, 800, 400])(
  'in a window of %i px, every column that the operator adds can be reached',
  async (width) => {
    const page = await browser().open(desk().url, { width });
    await goTo(page, '#/decisions');
    await page.getByRole('row').nth(5).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    const added = ['Number', 'Chain', 'Person', 'Code', 'Mode', 'Settlement'];
    for (const title of added) await page.getByRole('checkbox', { name: title }).click();
    await expect.poll(() => heads(page)).toEqual(expect.arrayContaining(added));
    const table = page.getByRole('table');
    for (const shown of [page.getByRole('columnheader'), page.getByRole('row').nth(1).getByRole('cell')]) {
      const last = shown.locator('visible=true').last();
      await last.scrollIntoViewIfNeeded();
      const [cell, frame] = [(await last.boundingBox())!, (await table.boundingBox())!];
      expect(cell.x + cell.width).toBeLessThanOrEqual(frame.x + frame.width);
      await table.evaluate((element) => element.scrollTo({ left: 0 }));
    }
    expect(await seriousErrors(page)).toEqual([]);
  },
);

test('a filter is saved under a name, found again, and removed', async () => {
  const page = await browser().open(desk().url);
  await goTo(page, '#/decisions?outcome=denied&text=burn');
  await page.getByRole('row').nth(5).waitFor();
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByLabel('Name of this filter').fill('Burns');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Burns' }).waitFor();
  expect(await seriousErrors(page)).toEqual([]);

  await goTo(page, '#/decisions');
  await page.reload();
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByRole('link', { name: 'Burns' }).click();
  await expect.poll(() => new URL(page.url()).hash).toBe('#/decisions?outcome=denied&text=burn');
  await page.getByRole('button', { name: 'Remove Burns' }).click();
  await page.getByRole('link', { name: 'Burns' }).waitFor({ state: 'hidden' });
});
