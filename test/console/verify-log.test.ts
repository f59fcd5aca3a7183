import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { seriousErrors } from './axe.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();
const tempFolder = useTempFolders();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

let dapp: Awaited<ReturnType<ReturnType<typeof desk>['dapp']>>;
let nonce = 0;
const sponsorMore = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await dapp.sponsor(
      operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce: `0x${(nonce += 1).toString(16)}` }),
    );
  }
};
beforeAll(async () => {
  dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 20 });
  await sponsorMore(25);
});

const opened = async (): Promise<Page> => {
  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  onTestFinished(() => page.close());
  await page.getByRole('navigation').first().waitFor();
  await page.evaluate(() => (window.location.hash = '#/activity'));
  return page;
};
const panelOf = (page: Page) => page.getByRole('region', { name: 'Verify' });
const compared = async (page: Page, file: string): Promise<void> => {
  const picking = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Compare with an earlier file' }).click();
  await (await picking).setFiles(file);
};

test('the page verifies every entry and every verdict, with the signers', async () => {
  const page = await opened();
  const panel = panelOf(page);
  await panel.getByRole('checkbox', { name: 'Check who signed, too' }).check();
  await panel.getByRole('button', { name: 'Verify now' }).press('Enter');
  await panel.getByText('Every verdict and every amount follows from the entries.').waitFor();
  expect(await panel.innerText()).toMatch(/entries, complete, signed by gasdesk\//);
  expect(await panel.innerText()).not.toContain('Signers were not checked');
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-verify-log.png') });
});

test('a log that continues an earlier export says so, and a file of another kind is refused', async () => {
  const page = await opened();
  const saving = page.waitForEvent('download');
  await panelOf(page).getByRole('button', { name: 'Export' }).click();
  const file = join(tempFolder(), 'earlier.jsonl');
  await (await saving).saveAs(file);
  expect(readFileSync(file, 'utf8')).toContain('"format":"gasdesk-log"');
  await sponsorMore(3);
  await compared(page, file);
  await panelOf(page).getByText('They continue the earlier log of').waitFor();

  const other = join(tempFolder(), 'nothing.txt');
  writeFileSync(other, 'This is no checkpoint');
  await compared(page, other);
  await panelOf(page).getByText('is not a checkpoint, a receipt or a complete export').waitFor();
});

test('a decision that was altered in the database is named, with a way to it', async () => {
  const [denied] = (await dapp.decisions()).filter(({ outcome }) => outcome === 'denied');
  const alter = (from: string, to: string) =>
    desk().restart(() => {
      const database = new Database(join(desk().dir, 'gasdesk.db'));
      database
        .prepare(`UPDATE decision SET record = replace(record, ?, ?) WHERE id = ?`)
        .run(`"code":"${from}"`, `"code":"${to}"`, denied?.id);
      database.close();
    });
  await alter('LIMIT_REACHED', 'SENDER_DENIED');
  onTestFinished(() => alter('SENDER_DENIED', 'LIMIT_REACHED'));
  const page = await opened();
  await panelOf(page).getByRole('button', { name: 'Verify now' }).click();
  const faults = panelOf(page).getByRole('list', { name: 'What is wrong' });
  await faults.getByText('The hash stored with the entry is not its own').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-verify-log-altered.png') });
  await faults.getByRole('link', { name: 'Open the decision' }).first().click();
  await page.getByRole('complementary', { name: 'Decision' }).waitFor();
});
