import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Page, chromium } from 'playwright-core';
import { startChromium } from '../support/chromium.ts';
import { measurePages } from './console-pages.ts';
import { type BenchDesk, limit, startDesk, whitelistGame } from './desk.ts';
import { drive } from './drive.ts';
import { sponsorTraffic } from './operations.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { storeDecisions } from './stored-decisions.ts';

/**
 * `npm run bench:console`: the browser console on a desk with many decisions of a week, then under a steady feed of them;
 * prints one JSON document. Without minutes, there is no feed. Linux only.
 */

const WEEK_MS = 7 * 86_400_000;

const { values: flags } = parseArgs({
  options: {
    stored: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '10' },
  },
});
const stored = Number(flags.stored);
const rate = Number(flags.rate);
const minutes = Number(flags.minutes);

declare global {
  interface Window {
    longTasks: number[];
  }
}

/** Milliseconds of each task of the page over 50 ms since the last call. */
const takeLongTasks = (page: Page): Promise<number[]> => page.evaluate(() => window.longTasks.splice(0));

const watchLongTasks = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    window.longTasks = [];
    const observer = new PerformanceObserver((list) =>
      window.longTasks.push(...list.getEntries().map(({ duration }) => Math.round(duration))),
    );
    observer.observe({ type: 'longtask' });
  });

/** Bytes of the page's heap that are in use once what is unused has been collected. */
const heapMB = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return Number((usedSize / 1_000_000).toFixed(1));
};

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await act();
  return Math.round(performance.now() - start);
};

/** Scrolls as fast as a page comes, which takes the list through some thousands of rows. */
const scroll = async (page: Page, screens: number): Promise<void> => {
  for (let screen = 0; screen < screens; screen += 1) {
    await page.locator('.rows').evaluate((list) => {
      const scroller = list.querySelector('.v-vl') ?? list;
      scroller.scrollTop += 1_000;
    });
    await sleep(50);
  }
};

/** Reads, scrolls and searches a long list. Times in ms, from the click to the rows. */
const readDecisions = async (page: Page): Promise<Record<string, unknown>> => {
  const rows = page.getByRole('row');
  const firstRows = await timed(async () => {
    await page.getByRole('link', { name: 'Decisions', exact: true }).first().click();
    await rows.nth(5).waitFor();
  });
  const scrolled = await timed(() => scroll(page, 200));
  const opened = await timed(async () => {
    await rows.nth(10).click();
    await page.getByRole('heading', { name: 'Rule by rule' }).waitFor();
  });
  const longTasks = await takeLongTasks(page);
  return { firstRows, scrolled, opened, worstTask: Math.max(0, ...longTasks), rowsOnPage: await rows.count() };
};

/** Sends operations evenly at the rate of the bench. @returns how many were answered a second */
const feed = async (desk: BenchDesk, seconds: number): Promise<number> => {
  const SLICE_MS = 100;
  const traffic = sponsorTraffic(desk.url, desk.path);
  let sent = 0;
  const start = performance.now();
  for (let slice = 1; slice <= (seconds * 1_000) / SLICE_MS; slice += 1) {
    const due = Math.round((slice * SLICE_MS * rate) / 1_000) - sent;
    sent += (await drive(desk.url, traffic, { connections: 1, requests: due })).requests;
    await sleep(Math.max(0, start + slice * SLICE_MS - performance.now()));
  }
  return Math.round(sent / ((performance.now() - start) / 1_000));
};

const followFeed = async (page: Page, desk: BenchDesk): Promise<unknown[]> => {
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  const rows = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    const perSecond = await feed(desk, 60);
    const longTasks = await takeLongTasks(page);
    rows.push({
      minute,
      perSecond,
      heapMB: await heapMB(page),
      tasksOver50: longTasks.length,
      worstTask: Math.max(0, ...longTasks),
      deskRssMB: Math.round(desk.usage().rssBytes / 1_000_000),
    });
    // Collecting garbage on demand is the benchmark's doing.
    await takeLongTasks(page);
    console.error(`bench: ${JSON.stringify(rows.at(-1))}`);
  }
  return rows;
};

const dir = mkdtempSync(join(tmpdir(), 'gasdesk-bench-'));
const log = openSync(join(dir, 'desk.log'), 'a');
const desk = await startDesk(join(dir, 'desk'), log, []);
const running = await startChromium();
const browser = await chromium.connectOverCDP(running.endpoint);
try {
  await whitelistGame(desk, desk.paymasterId);
  await desk.call('rules.create', { paymasterId: desk.paymasterId, rule: limit('Per user', 'SMART_ACCOUNT') });
  await drive(desk.url, sponsorTraffic(desk.url, desk.path), { connections: 1, requests: 1 });
  await desk.whileStopped(() => storeDecisions(desk.database, stored, Math.floor(WEEK_MS / stored)));
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  page.setDefaultTimeout(PATIENCE_MS);
  await watchLongTasks(page);
  if (!desk.console) throw new Error('There is no console: npm run build makes it');
  const shown = await timed(async () => {
    await page.goto(desk.console ?? '');
    await page.getByText('Engine running').waitFor();
  });
  const pages = await measurePages(page, desk, desk.console);
  await takeLongTasks(page);
  const reading = { shown, ...(await readDecisions(page)) };
  console.log(JSON.stringify({ stored, rate, pages, reading, feed: await followFeed(page, desk) }, null, 2));
} finally {
  await browser.close();
  await running.stop();
  await desk.stop();
  closeSync(log);
  rmSync(dir, { recursive: true, force: true });
}
