import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Page, chromium } from 'playwright-core';
import sharp from 'sharp';
import { buildContracts } from './build-contracts.ts';
import { buildCli, buildConsole } from './build-stale.ts';

/**
 * `npm run docs:picture CHROMIUM`: plays the README's moving picture in the real playground, and writes it to `docs`. An
 * operation is denied, the button under the rule that stopped it is pressed, and in the end the same operation is mined.
 */

const [, , executablePath] = process.argv;
if (executablePath === undefined) throw new Error('Name the Chromium to draw with');
const FILE = join(import.meta.dirname, '..', 'docs', 'playground.webp');
const SIZE = { width: 1180, height: 620 };
/** Between two frames while something moves, ms. */
const STEP_MS = 120;

interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}
const frames: Frame[] = [];

/** Adds what the page shows. @param ms how long it is shown */
const show = async (page: Page, ms: number): Promise<void> => {
  frames.push({ png: await page.screenshot(), ms });
};
/** Adds frames until the page shows what a locator finds, and then one that stands still. */
const showUntil = async (page: Page, selector: string, restMs: number): Promise<void> => {
  const found = page.locator(selector).first().waitFor();
  let isFound = false;
  void found.then(() => (isFound = true));
  while (!isFound) await show(page, STEP_MS);
  await found;
  for (let step = 0; step < 6; step += 1) await show(page, STEP_MS);
  await show(page, restMs);
};
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const station = (name: string, state: string): string => `[data-station=${name}][data-state=${state}]`;

const play = async (page: Page): Promise<void> => {
  await page.getByText('0 ETH').waitFor();
  await page.locator(station('mined', 'pass')).waitFor();
  await show(page, 1_200);
  await press(page, 'Mint an item');
  await page.locator('[data-item]').waitFor();
  await showUntil(page, station('mined', 'pass'), 2_000);
  await press(page, 'Burn an item');
  await showUntil(page, station('contracts', 'deny'), 2_500);
  await press(page, 'Add burn(uint256) to GameItems');
  await showUntil(page, station('spendingLimit', 'deny'), 2_500);
  await press(page, 'Raise "One a day" to 2');
  await showUntil(page, station('mined', 'pass'), 4_000);
};

await buildContracts();
buildConsole();
const demo = spawn(process.execPath, [buildCli(), 'demo', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  let said = '';
  let url: string | undefined;
  for await (const chunk of demo.stdout) {
    said += String(chunk);
    url = /^The playground is at (\S+)\n/m.exec(said)?.[1];
    if (url !== undefined) break;
  }
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(url ?? '');
  await play(page);
  const image = sharp(
    frames.map(({ png }) => png),
    { join: { animated: true } },
  );
  const picture = await image
    .webp({ loop: 0, delay: frames.map(({ ms }) => ms), quality: 75, effort: 6, minSize: true })
    .toBuffer();
  await writeFile(FILE, picture);
  console.log(`${FILE}: ${frames.length} frames, ${Math.round(picture.length / 1024)} kB`);
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await once(demo, 'exit');
}
