import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

declare global {
  interface Window {
    readonly axe: { run(): Promise<AxeResults> };
  }
}

/** What keeps somebody from using the page as it is now, by axe's rules: its serious and critical faults. */
export const seriousFaults = async (page: Page): Promise<string[]> => {
  // Not as a script of the page, which its policy forbids.
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(() => window.axe.run());
  if (passes.length < 10) throw new Error(`axe looked at next to nothing: ${passes.map(({ id }) => id).join(', ')}`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
};
