import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exportDecisions } from '../../src/cli/export-decisions.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { createReview } from '../../src/engine/review/review.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { vectorCases } from '../support/vectors.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const tempFolder = useTempFolders();
const root = join(import.meta.dirname, '../..');

const [vector] = vectorCases('paymaster-layouts').filter(({ id }) => id === 'pimlico-singleton-v7-erc20/2');
const operation = JSON.stringify(vector?.userOp);

const inspect = async (page: Page, value: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Value' }).fill(value);
  await page.getByRole('button', { name: 'Inspect', exact: true }).click();
};

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

describe.each([
  { width: 1280, height: 900 },
  { width: 800, height: 900 },
  { width: 400, height: 900 },
])('at $width px', (size) => {
  test.each(['light', 'dark'] as const)('every byte has an accessible name: %s', async (colorScheme) => {
    const page = await browser().open(desk().url, { ...size, colorScheme });
    await page.evaluate(() => (window.location.hash = '#/inspect'));
    await inspect(page, operation);
    await page
      .getByRole('heading', { name: /^User operation of EntryPoint/, level: 2 })
      .first()
      .waitFor();
    const data = page.getByRole('region', { name: /^Paymaster data:/ });
    await data.getByText('exchangeRate', { exact: true }).waitFor();
    expect(await data.getByRole('listitem').count()).toBe(14);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    const picture = (part: string) => join(root, 'test-artifacts', `inspect-${part}-${size.width}-${colorScheme}.png`);
    await page.screenshot({ path: picture('head') });
    await data.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await page.screenshot({ path: picture('data') });
    expect(await seriousErrors(page)).toEqual([]);
    await data.getByRole('button', { name: 'Copy bytes of treasury' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^0x[\da-f]{40}$/);
  });
});

test('the palette and the decisions lead to the page, and a hash leads to its decision', async () => {
  const page = await browser().open(desk().url);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('inspect');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Inspect', level: 1 }).waitFor();
  await page.evaluate(() => (window.location.hash = '#/decisions'));
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Inspect' }).click();

  const { service } = desk().engine;
  const [row] = await service.call('decisions.list', { outcome: 'sponsored', limit: 1 });
  const { id, userOpHash, paymasterAndData } = await service.call('decisions.show', { decisionId: row?.id ?? '' });
  await inspect(page, userOpHash ?? '');
  await page.getByRole('region', { name: 'Matching decisions' }).getByRole('link').click();
  await expect.poll(() => page.evaluate(() => window.location.hash)).toBe(`#/decisions/${id}`);

  const detail = page.getByRole('complementary', { name: 'Decision' });
  await detail.getByRole('link', { name: 'Inspect', exact: true }).click();
  await page.getByText('Not recognised: what was tried').waitFor();
  expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe(paymasterAndData);
  await page.getByText('too short: 120 bytes, needs 149').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
});

test('an error is explained, and what is no text of any kind is refused with the reason', async () => {
  const page = await browser().open(desk().url);
  await page.evaluate(() => (window.location.hash = '#/inspect'));
  await inspect(page, 'FailedOp(0, "AA25 invalid account nonce")');
  await page.getByText('Read the nonce from EntryPoint.getNonce').waitFor();
  await inspect(page, `0x${'ab'.repeat(70_000)}`);
  await page.getByText('value must have at most 131072 characters').waitFor();
});

test('a review takes values apart, too', async () => {
  const file = join(tempFolder(), 'november.jsonl');
  const out = createWriteStream(file);
  const { service } = desk().engine;
  await exportDecisions((name, input) => service.call(name, input), {}, out);
  out.end();
  await once(out, 'close');
  const log = createLog({ level: 'silent' });
  const review = await createReview({ file, log, consoleFolder: join(root, 'out', 'renderer') });
  onTestFinished(() => review.stop());
  const address = await review.serve({ host: '127.0.0.1', port: 0 });
  const page = await browser().open(`${address}/console/#token=${review.operatorToken.reveal()}`);
  await page.getByText('Review of november.jsonl').waitFor();
  await page.evaluate(() => (window.location.hash = '#/inspect'));
  await inspect(page, vector?.paymasterAndData ?? '');
  await page.getByText('exchangeRate', { exact: true }).waitFor();
});

test('no page has logged an error of its own', () => {
  // Refused values, and the review that has ended.
  expect(browser().errors.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});
