import type { Page } from 'playwright-core';

/** How far what was shown has moved since the page was opened, as Chromium counts it. */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
        // The observer gets what is buffered before the second frame.
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum), 0)));
      }),
  );
