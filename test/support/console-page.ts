import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type RunningChromium, startChromium } from './chromium.ts';
import { PATIENCE_MS } from './patience.ts';

export interface View {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

export interface ConsoleBrowser {
  /** Opens an address in a new profile. `errors` collects what the page logs as an error. */
  open(url: string, view?: View): Promise<Page>;
  /** Errors of the pages since the test began: exceptions of scripts, and refusals of the browser. */
  readonly errors: string[];
}

/** Gives the tests of the calling file a browser. Call the result inside tests: a page that a test opens ends with it. */
export const useConsoleBrowser = (): (() => ConsoleBrowser) => {
  let running: RunningChromium | undefined;
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  let sharedContexts = 0;
  const errors: string[] = [];
  beforeAll(async () => {
    running = await startChromium();
    browser = await chromium.connectOverCDP(running.endpoint);
  });
  beforeEach(() => {
    sharedContexts = contexts.length;
  });
  // A page that stayed open would report that its engine is gone, as an error of the next test.
  afterEach(async () => {
    await Promise.all(contexts.splice(sharedContexts).map((context) => context.close()));
    errors.length = 0;
  });
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await browser?.close();
    await running?.stop();
  });
  return () => ({
    errors,
    async open(url, { width = 1280, height = 860, colorScheme = 'light' } = {}) {
      if (browser === undefined) throw new Error('The browser is there only while tests run');
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await page.goto(url);
      return page;
    },
  });
};
