import { afterAll, beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
let dir: string;
let engine: ServingEngine;
beforeAll(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir, flags: { logLevel: 'info' } });
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

/** Makes lines of the log: what is refused is written. */
const refused = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) await fetch(`${engine.url}/nowhere`, { method: 'PUT' });
};

test('the log is followed, waits for those who read, and is searched', async () => {
  await refused(80);
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.evaluate(() => (window.location.hash = '#/activity/service'));
  const lines = page.getByRole('region', { name: 'Log lines' });
  const rows = lines.getByRole('listitem');
  const shown = (count: number) => expect.poll(() => rows.count()).toBe(count);
  // The browser asks for things of its own, such as an icon.
  await page.getByRole('textbox', { name: 'Search' }).fill('method=PUT');
  await shown(80);
  expect(await rows.first().innerText()).toContain('http.request method=PUT route=none status=404');

  await refused(1);
  await shown(81);

  const box = lines.getByRole('group', { name: 'Lines' });
  await box.evaluate((element) => (element.scrollTop = 400));
  await refused(2);
  await page.getByRole('button', { name: '2 new lines' }).waitFor();
  expect(await rows.count()).toBe(81);
  expect(await box.evaluate((element) => element.scrollTop)).toBe(400);
  await page.getByRole('button', { name: '2 new lines' }).click();
  await shown(83);

  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await refused(1);
  await page.getByRole('button', { name: '1 new line' }).waitFor();
  await page.getByRole('button', { name: 'Follow' }).click();
  await shown(84);

  await rows.first().getByRole('button', { name: 'Copy line' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^\d{4}-.*Z info http\.request method=PUT route=none status=404/,
  );

  await page.getByRole('heading', { name: 'Activity' }).click();
  await page.keyboard.press('/');
  await page.keyboard.type(' no such thing');
  await page.getByText('No line matches').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await rows.nth(83).waitFor();
});

test('a log that leaves out refused requests says from which level on it is written', async ({ onTestFinished }) => {
  const folder = makeTempFolder();
  const quiet = await startEngine({ dir: folder, flags: { logLevel: 'error' } });
  onTestFinished(async () => {
    await quiet.stop();
    removeTempFolder(folder);
  });
  await fetch(`${quiet.url}/nowhere`);
  const page = await browser().open(`${quiet.url}/console/#token=${quiet.operatorToken.reveal()}`);
  await page.evaluate(() => (window.location.hash = '#/activity/service'));
  await page.getByText('Here, Gasdesk logs only from level error on. The setting logLevel changes that.').waitFor();
  expect(await page.getByText('Refused requests').count()).toBe(0);
});
