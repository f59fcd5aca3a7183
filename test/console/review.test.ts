import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { afterAll } from 'vitest';
import { exportDecisions } from '../../src/cli/export-decisions.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { type Review, createReview } from '../../src/engine/review/review.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';
import { HOSTILE } from './seeded-decisions.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const tempFolder = useTempFolders();
const root = join(import.meta.dirname, '../..');
const artifacts = join(root, 'test-artifacts');

let review: Review;
let url: string;
beforeAll(async () => {
  const file = join(tempFolder(), 'november.jsonl');
  const out = createWriteStream(file);
  const { service } = desk().engine;
  await exportDecisions((name, input) => service.call(name, input), {}, out);
  out.end();
  await once(out, 'close');
  const log = createLog({ level: 'silent' });
  review = await createReview({ file, log, consoleFolder: join(root, 'out', 'renderer') });
  const address = await review.serve({ host: '127.0.0.1', port: 0 });
  url = `${address}/console/#token=${review.operatorToken.reveal()}`;
});
afterAll(() => review.stop());

const opened = async (view: Parameters<ReturnType<typeof browser>['open']>[1]): Promise<Page> => {
  const page = await browser().open(url, view);
  await page.getByText('Review of november.jsonl').waitFor();
  return page;
};

const goTo = (page: Page, hash: string) => page.evaluate((to) => (window.location.hash = to), hash);

describe.each([
  { width: 1280, height: 860 },
  { width: 800, height: 900 },
])('at $width px', (size) => {
  test.each(['light', 'dark'] as const)(
    'a review says that it is one and is accessible: %s',
    async (colorScheme) => {
      const page = await opened({ ...size, colorScheme });
      const errors: string[] = [];
      const keep = async (name: string): Promise<void> => {
        await page.screenshot({ path: join(artifacts, `review-${name}-${size.width}-${colorScheme}.png`) });
        errors.push(...(await seriousErrors(page)).map((error) => `${name}: ${error}`));
      };
      await page
        .getByRole('img', { name: /^Bar chart/ })
        .locator('canvas')
        .waitFor();
      await keep('overview');
      await goTo(page, '#/decisions');
      await page.getByRole('row').nth(5).waitFor();
      await keep('decisions');
      await goTo(page, `#/decisions/${desk().deniedDecision}`);
      await page.getByRole('heading', { name: 'Rule by rule' }).waitFor();
      await keep('decision');
      await goTo(page, '#/decisions?outcome=denied');
      await page.getByRole('button', { name: 'Report' }).click();
      await page.getByRole('button', { name: 'Save as HTML' }).waitFor();
      await keep('report-dialog');
      expect(errors).toEqual([]);
    },
    120_000,
  );
});

test('there is no way to what only a desk has', async () => {
  const before = browser().errors.length;
  const page = await opened({});
  expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts()).toEqual([
    'Overview',
    'Decisions',
    'Inspect',
  ]);
  // A limit's slider is there only for those who can change the limit.
  for (const place of ['#/settings', '#/dapps/last/policy?form=spendingLimit&of=Five+a+day']) {
    await goTo(page, '#/decisions');
    await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor();
    await goTo(page, place);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
  expect(await page.getByRole('slider').count()).toBe(0);
  await expect(review.service.call('policies.endThresholds', { trialId: 'any' })).rejects.toThrow(/review|read-only/i);
  expect(browser().errors.slice(before)).toEqual([]);
});

test('the report of a filtered set is saved as one page that runs nothing and shows what it is about', async () => {
  const page = await opened({});
  await goTo(page, '#/decisions?rule=webhook');
  await page.getByRole('button', { name: 'Report' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as HTML' }).click();
  const html = readFileSync(await (await saving).path(), 'utf8');

  const report = await browser().open('about:blank', { width: 1000, height: 1200 });
  await report.setContent(html);
  await report.screenshot({ path: join(artifacts, 'review-report.png'), fullPage: true });
  expect(await report.locator('body').innerText()).toContain('Decisions decided by the rule Webhook: 1.');
  expect(await report.locator('article').innerText()).toContain(HOSTILE);
  expect(await report.locator('img, script').count()).toBe(0);
  expect(await report.locator('article').evaluate((node) => getComputedStyle(node).borderLeftWidth)).toBe('4px');
  await report.emulateMedia({ media: 'print' });
  const all = await review.service.call('decisions.report', {});
  await report.setContent(all.html);
  await report.screenshot({ path: join(artifacts, 'review-report-print.png') });
  expect(await report.locator('article').count()).toBe(desk().decisions);
});

test('a backup shows nothing before its passphrase, and then what the desk shows, without its keys', async () => {
  const file = join(tempFolder(), 'november.gasdesk-backup');
  const { service } = desk().engine;
  await service.call('backups.create', { file, passphrase: 'for the shelf' });
  const log = createLog({ level: 'silent' });
  const opened = await createReview({ file, log, consoleFolder: join(root, 'out', 'renderer') });
  onTestFinished(() => opened.stop());
  await expect(opened.service.call('decisions.summary', {})).rejects.toMatchObject({ code: 'VAULT_LOCKED' });

  const address = await opened.serve({ host: '127.0.0.1', port: 0 });
  const page = await browser().open(`${address}/console/#token=${opened.operatorToken.reveal()}`);
  await page.getByRole('heading', { name: 'Open the backup' }).waitFor();
  await page.getByLabel('Passphrase').fill('not this one');
  await page.getByRole('button', { name: 'Open the backup' }).click();
  await page.getByText("Couldn't open the backup").waitFor();
  await page.screenshot({ path: join(artifacts, 'review-backup-locked.png') });
  expect(await seriousErrors(page)).toEqual([]);
  await page.getByLabel('Passphrase').fill('for the shelf');
  await page.getByRole('button', { name: 'Open the backup' }).click();
  await page.getByText('Review of november.gasdesk-backup').waitFor();
  await page.getByText(`${desk().decisions} decisions`).first().waitFor();

  for (const filter of [{ limit: 1000 }, { outcome: 'denied', limit: 1000 }]) {
    expect(await opened.service.call('decisions.list', filter)).toEqual(await service.call('decisions.list', filter));
  }
  await expect(opened.service.call('webhooks.list', { paymasterId: 'any' })).rejects.toMatchObject({
    code: 'REVIEW_READ_ONLY',
  });
  const [dapp] = await opened.service.call('paymasters.list', {});
  expect(dapp?.apiKey).toBe('');
  // It would ask on where no one answers any more.
  await page.close();
});
