import type { Page } from 'playwright-core';
import { layoutShift } from '../support/layout-shift.ts';
import type { BenchDesk } from './desk.ts';

/** The goals of the console with 60,000 decisions. Times in ms. */
export interface PageFigures {
  /** From opening the page until it shows all of its figures and decisions, the median of several; the goal is 500. */
  readonly overview: number;
  /** From opening the page until its charts are drawn, too. */
  readonly charts: number;
  /** The engine's time for what an attacker could spend, which the page of a DApp shows. */
  readonly worstCase: number;
  /** Of the first page, once its charts are drawn; the goal is 0.02. */
  readonly layoutShift: number;
  readonly thresholds: {
    /** From opening the form of a limit to the estimate for its threshold. */
    readonly opened: number;
    /** From moving the slider to the new estimate, before all decisions are read; the goal is 300. */
    readonly firstRecolouring: number;
    /** From opening the form to all decisions; the goal is 10,000. */
    readonly whole: number;
    /** From moving the slider to exact counts, the slowest of several. */
    readonly recolouring: number;
  };
}

const OPENINGS = 5;
const MOVES = 10;

const median = (values: readonly number[]): number =>
  Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN);

declare global {
  interface Window {
    /** When the parts of the overview were first shown, in ms since the start of the navigation. */
    firstShown: { overview?: number; charts?: number };
  }
}

/** Notes in the page when the overview is shown, because each step in which a test waits for it adds to the time. */
const watchOverview = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    window.firstShown = {};
    const isThere = (selector: string, shows: RegExp): boolean =>
      [...document.querySelectorAll(selector)].some(({ textContent }) => shows.test(textContent));
    const note = (part: keyof Window['firstShown']): void =>
      void requestAnimationFrame(() => (window.firstShown[part] ??= performance.now()));
    new MutationObserver(() => {
      if (!isThere('a', /Sponsored\s*[0-9]/) || !isThere('section li a', /^mint\(1\) on Game Items$/)) return;
      note('overview');
      if (document.querySelector('[aria-label^="Bar chart"] canvas') !== null) note('charts');
    }).observe(document, { childList: true, characterData: true, subtree: true });
  });

const openOverview = async (page: Page, url: string) => {
  await page.goto('about:blank');
  await page.goto(url);
  await page.waitForFunction(() => window.firstShown.charts !== undefined);
  const { overview = NaN, charts = NaN } = await page.evaluate(() => window.firstShown);
  return { overview, charts, shift: await layoutShift(page) };
};

/** Moves the slider, and waits for the counts to change. @returns ms */
const move = async (page: Page, key: 'ArrowLeft' | 'ArrowRight'): Promise<number> => {
  const counts = page.getByRole('region', { name: 'Last 7 days under this limit' }).getByRole('img');
  const before = (await counts.getAttribute('aria-label')) ?? '';
  return counts.evaluate(
    (strip, [pressed, last]) =>
      new Promise<number>((resolve) => {
        const slider = document.querySelector<HTMLInputElement>('input[type=range]');
        if (slider === null) throw new Error('There is no slider');
        const start = performance.now();
        new MutationObserver(() => {
          if (strip.getAttribute('aria-label') === last) return;
          requestAnimationFrame(() => resolve(performance.now() - start));
        }).observe(strip, { attributes: true });
        slider.value = String(Number(slider.value) + (pressed === 'ArrowLeft' ? -1 : 1));
        slider.dispatchEvent(new Event('input'));
      }),
    [key, before] as const,
  );
};

const measureThresholds = async (page: Page, desk: BenchDesk): Promise<PageFigures['thresholds']> => {
  const place = `#/dapps/${desk.paymasterId}/policy?form=spendingLimit&of=Per+user`;
  const start = performance.now();
  await page.evaluate((to) => (window.location.hash = to), place);
  const panel = page.getByRole('region', { name: 'Last 7 days under this limit' });
  await panel.getByRole('slider').waitFor();
  const opened = performance.now() - start;
  await page.getByRole('textbox', { name: 'Allowed' }).fill('4');
  await panel.getByRole('img', { name: /[0-9] now denied/ }).waitFor();
  const firstRecolouring = await move(page, 'ArrowLeft');
  await panel.getByRole('progressbar').waitFor({ state: 'detached' });
  const whole = performance.now() - start;
  let slowest = 0;
  for (let index = 0; index < MOVES; index += 1) {
    slowest = Math.max(slowest, await move(page, index % 2 === 0 ? 'ArrowRight' : 'ArrowLeft'));
  }
  return {
    opened: Math.round(opened),
    firstRecolouring: Math.round(firstRecolouring),
    whole: Math.round(whole),
    recolouring: Math.round(slowest),
  };
};

/** Opens the overview, and moves the threshold of a limit. @param url of the console, with its token */
export const measurePages = async (page: Page, desk: BenchDesk, url: string): Promise<PageFigures> => {
  await watchOverview(page);
  const openings = [];
  for (let index = 0; index < OPENINGS; index += 1) openings.push(await openOverview(page, url));
  const worstCases = [];
  for (let index = 0; index < OPENINGS; index += 1) {
    const start = performance.now();
    await desk.call('policies.worstCase', { paymasterId: desk.paymasterId });
    worstCases.push(performance.now() - start);
  }
  return {
    overview: median(openings.map(({ overview }) => overview)),
    charts: median(openings.map(({ charts }) => charts)),
    worstCase: median(worstCases),
    layoutShift: Math.max(...openings.map(({ shift }) => Number(shift.toFixed(3)))),
    thresholds: await measureThresholds(page, desk),
  };
};
