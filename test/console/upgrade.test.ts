import { cpSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { CONSOLE_FOLDER } from '../../src/cli/desk.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { seriousErrors } from './axe.ts';

const browser = useConsoleBrowser();
const tempFolder = useTempFolders();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
let folder: string;
let engine: ServingEngine;

beforeEach(async () => {
  folder = tempFolder();
  cpSync(CONSOLE_FOLDER, folder, { recursive: true });
  engine = await startEngine({ dir: tempFolder(), consoleFolder: folder });
});
afterEach(() => engine.stop());

/** Gives the scripts and styles of the console other names, as if each had another content. */
const upgrade = (): void => {
  const assets = join(folder, 'assets');
  const names = readdirSync(assets).filter((name) => /-[\w-]{8}[.](?:css|js)$/.test(name));
  const renamed = (name: string): string => name.replace(/-[\w-]{8}(?=[.]\w+$)/, (hash) => `-Z${hash.slice(2)}`);
  const files = [join(folder, 'index.html'), ...names.map((name) => join(assets, name))];
  for (const file of files.filter((one) => !one.endsWith('.css'))) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      names.reduce((rest, name) => rest.replaceAll(name, renamed(name)), text),
    );
  }
  for (const name of names) renameSync(join(assets, name), join(assets, renamed(name)));
};

const open = async (): Promise<Page> => {
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  return page;
};

test('a page that an upgrade replaced is loaded again and opened, and says so once', async () => {
  const page = await open();
  upgrade();
  await page.getByRole('link', { name: 'Inspect', exact: true }).click();
  await page.getByRole('heading', { name: 'Inspect', exact: true }).waitFor();
  await page.getByText('The page was loaded again').waitFor();
  expect(page.url()).toMatch(/#\/inspect$/);
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-upgraded.png') });
  await page.reload();
  await page.getByText('Engine running').waitFor();
  expect(await page.getByText('The page was loaded again').count()).toBe(0);
});

test('an open page keeps what is typed in when another part of it is gone, and offers to reload', async () => {
  const page = await open();
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Label' }).fill('half a word');
  upgrade();
  await page.keyboard.press('Control+k');
  await page.getByText('Gasdesk was upgraded while this page was open').waitFor();
  expect(await page.getByRole('textbox', { name: 'Label' }).inputValue()).toBe('half a word');
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-upgrade-offer.png') });
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByText('The page was loaded again').waitFor();
  expect(page.url()).toMatch(/#\/settings$/);
});

test('a page that reloading does not mend is not loaded again and again', async () => {
  const page = await open();
  await page.evaluate(() => {
    const own = document.querySelector('script[type="module"]')?.getAttribute('src') ?? '';
    sessionStorage.setItem('gasdesk.reloadedFrom', own);
  });
  upgrade();
  await page.getByRole('link', { name: 'Inspect', exact: true }).click();
  await page.getByText('Gasdesk was upgraded while this page was open').waitFor();
  expect(page.url()).not.toContain('inspect');
});

test('a part that cannot be loaded for another reason is reported, and not mistaken for an upgrade', async () => {
  const page = await open();
  await page.route('**/assets/InspectPage-*', (route) => route.abort());
  await page.getByRole('link', { name: 'Inspect', exact: true }).click();
  await page.getByText('Part of the console could not be loaded').waitFor();
  expect(await page.getByText('Gasdesk was upgraded').count()).toBe(0);
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-part-missing.png') });
  await page.unroute('**/assets/InspectPage-*');
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByText('Engine running').waitFor();
  expect(await page.getByText(/could not be loaded|was upgraded/).count()).toBe(0);
  await page.getByRole('link', { name: 'Inspect', exact: true }).click();
  await page.getByRole('heading', { name: 'Inspect', exact: true }).waitFor();
});
