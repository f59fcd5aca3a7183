import type { Page } from 'playwright-core';

/** Walks on with Tab until what is named has the focus. */
export const reach = async (page: Page, name: string): Promise<void> => {
  for (let steps = 0; steps < 150; steps += 1) {
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      const label = activeElement instanceof HTMLInputElement ? activeElement.labels?.[0]?.textContent : undefined;
      return activeElement?.getAttribute('aria-label') ?? label ?? activeElement?.textContent ?? '';
    });
    if (focused.trim() === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach "${name}"`);
};
