import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** `node scripts/render-icon.ts CHROMIUM`: renders the icon's SVG as the PNG that packages and windows use. */

/** Pixels; the size that macOS requires. */
const SIZE = 1024;
const folder = join(import.meta.dirname, '..', 'src', 'renderer', 'public');

const [, , executablePath] = process.argv;
if (executablePath === undefined) throw new Error('Name the Chromium to draw with');

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
  await page.goto(`file://${join(folder, 'icon.svg')}`);
  await page.screenshot({ path: join(folder, 'icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
