import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

declare global {
  interface Window {
    readonly axe: { run(options: RunOptions): Promise<AxeResults> };
  }
}

/** Runs in the page: all that is found there takes longer to hand over than to find. */
const look = async () => {
  const { violations, passes } = await window.axe.run({ resultTypes: ['violations'] });
  const errors = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  return { errors, passed: passes.map(({ id }) => id) };
};

/** What keeps someone from using the page as it is now, by axe's rules: its serious and critical errors. */
export const seriousErrors = async (page: Page): Promise<string[]> => {
  // Not as a script of the page, which its policy forbids.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const { errors, passed } = await page.evaluate(look);
  if (passed.length < 10) throw new Error(`axe looked at next to nothing: ${passed.join(', ')}`);
  return errors;
};
