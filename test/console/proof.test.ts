import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
const HOSTILE = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>';

let denied: string;
let sponsored: string;
beforeAll(async () => {
  const dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 2, name: HOSTILE });
  for (const nonce of ['0x0', '0x1', '0x2']) {
    await dapp.sponsor(operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce }));
  }
  const idOf = async (wanted: string) => (await dapp.decisions()).find(({ outcome }) => outcome === wanted)?.id ?? '';
  [denied, sponsored] = [await idOf('denied'), await idOf('sponsored')];
});

type View = Parameters<ReturnType<typeof browser>['open']>[1];

/** Opens a file in a browser that has no network. */
const opened = async (html: string, view: View = {}): Promise<Page> => {
  const file = join(tempFolder(), 'proof.html');
  writeFileSync(file, html);
  const page = await browser().open('about:blank', view);
  onTestFinished(() => page.close());
  await page.context().setOffline(true);
  await page.goto(pathToFileURL(file).href);
  return page;
};
const pageOf = async (decisionId: string): Promise<string> =>
  (await desk().call<{ html: string }>('log.proof', { decisionId })).html;

test.for([
  { width: 1280, colorScheme: 'light' },
  { width: 800, colorScheme: 'dark' },
  { width: 400, colorScheme: 'light' },
] as const)('a reader without a network sees that a denial is proved, $width pixels wide', async (view) => {
  const page = await opened(await pageOf(denied), view);
  await page.getByRole('heading', { name: 'This decision is proved' }).waitFor();
  expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringContaining('This decision is entry'),
    expect.stringContaining('The rules in this file are those'),
    expect.stringContaining('the result is the same, in every step'),
  ]);
  await page.screenshot({ path: join(artifacts, `proof-${view.width}.png`), fullPage: true });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  expect(await seriousErrors(page)).toEqual([]);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
});

test('a sponsored operation is proved with the bytes that were signed', async () => {
  const page = await opened(await pageOf(sponsored));
  await page.getByRole('heading', { name: 'This decision is proved' }).waitFor();
  await page.getByText('The signed bytes').click();
  await page.getByRole('rowheader', { name: 'validUntil' }).waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'proof-sponsored.png'), fullPage: true });
});

test('one altered character is named', async () => {
  const html = await pageOf(denied);
  const page = await opened(html.replace(/(\\"sender\\":\\"0x)./, '$1d'));
  await page.getByRole('heading', { name: 'This file proves nothing' }).waitFor();
  expect(await page.getByText('Altered since').innerText()).toContain('entry.body.sender');
  await page.screenshot({ path: join(artifacts, 'proof-altered.png'), fullPage: true });
});

test('a file that was cut off says that it is damaged', async () => {
  const html = await pageOf(denied);
  const page = await opened(html.replace('"checkpoint":', '"checkpoint"'));
  await page.getByText('It is damaged, and cannot be read').waitFor();
});

test('the key that the operator gives is compared with that of the file', async () => {
  const page = await opened(await pageOf(denied));
  const { key } = await desk().call<{ key: string }>('log.key', {});
  const field = page.getByLabel('Is it the right log?');
  const result = page.locator('#key-result');
  await field.fill('gasdesk/none');
  expect(await result.innerText()).toContain('not a whole key');
  await field.fill('gasdesk/1+00fc4c9d+AUxJw1hgn6qnyf/sZ6fl5n6FNzLqQzqkFrRZBH0ocMxW');
  expect(await result.innerText()).toMatch(/another key|not a whole key/);
  await field.fill(` ${key} `);
  expect(await result.innerText()).toBe('It is the key in this file.');
});

test('the console saves the page of a decision with the keyboard alone', async () => {
  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  onTestFinished(() => page.close());
  await page.getByRole('navigation').first().waitFor();
  await page.evaluate((id) => void (location.hash = `#/decisions/${id}`), denied);
  const fits = () =>
    page
      .getByRole('region', { name: 'Why it was decided this way' })
      .evaluate((region) => region.scrollWidth <= region.clientWidth);
  await page.getByRole('button', { name: /^Raise/ }).waitFor();
  await page.screenshot({ path: join(artifacts, 'decision-long-name.png') });
  expect(await fits()).toBe(true);
  await page.getByRole('button', { name: 'Share' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Share this decision' });
  await dialog.getByText('key of your log').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'share.png') });
  const saving = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as HTML' }).press('Enter');
  const download = await saving;
  expect(download.suggestedFilename()).toBe(`gasdesk-proof-${denied}.html`);
  await opened(readFileSync(await download.path(), 'utf8')).then((proof) =>
    proof.getByRole('heading', { name: 'This decision is proved' }).waitFor(),
  );
  await dialog.waitFor({ state: 'hidden' });
});
