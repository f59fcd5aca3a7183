import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();

test('what a filter finds is saved as a table, or as lines for review and replay', async () => {
  const page = await browser().open(desk().url);
  const save = async (format: RegExp): Promise<string> => {
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export decisions' });
    await dialog.getByText(format).click();
    expect(await seriousErrors(page)).toEqual([]);
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save file' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toMatch(/^gasdesk-decisions\.(csv|jsonl)$/);
    await dialog.waitFor({ state: 'hidden' });
    return readFileSync(await download.path(), 'utf8');
  };
  await page.evaluate(() => (window.location.hash = '#/decisions?outcome=denied'));
  await page.getByRole('row').nth(5).waitFor();

  const table = Papa.parse<Record<string, string>>((await save(/^CSV/)).trimEnd(), { header: true });
  expect(table.errors).toEqual([]);
  expect(new Set(table.data.map(({ outcome }) => outcome))).toEqual(new Set(['denied']));

  const lines = (await save(/^JSON Lines/)).trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as { id: string; trace: unknown[] });
  expect(records.map(({ id }) => id)).toEqual(table.data.map(({ id }) => id));
  expect(records.every(({ trace }) => trace.length > 0)).toBe(true);
});
