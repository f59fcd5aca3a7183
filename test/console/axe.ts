import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

declare global {
  interface Window {
    readonly axe: { run(options: RunOptions): Promise<AxeResults> };
  }
}

type Impact = AxeResults['violations'][number]['impact'];

/** Runs in the page: all that is found there takes longer to hand over than to find. */
const look = async ({ options, impacts }: { options: RunOptions; impacts: readonly Impact[] }) => {
  const { violations, passes } = await window.axe.run({ resultTypes: ['violations'], ...options });
  const errors = violations
    .filter(({ impact }) => impacts.length === 0 || impacts.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  return { errors, passed: passes.map(({ id }) => id) };
};

const run = async (page: Page, options: RunOptions, impacts: readonly Impact[] = []) => {
  // Not as a script of the page, which its policy forbids.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(look, { options, impacts });
};

/** Throws unless axe looked at more than next to nothing. */
const requireRules = (passed: readonly string[]): void => {
  if (passed.length < 10) throw new Error(`axe looked at next to nothing: ${passed.join(', ')}`);
};

/** What keeps someone from using the page as it is now, by axe's rules: its serious and critical errors. */
export const seriousErrors = async (page: Page): Promise<string[]> => {
  const { errors, passed } = await run(page, {}, ['serious', 'critical']);
  requireRules(passed);
  return errors;
};

/** Runs in the page: resolves once it has been drawn in the theme that it was given. */
const drawn = (): Promise<unknown> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/** Everything that axe finds in the page as it is now, best practice included, and its contrast in the other theme. */
export const allFindings = async (page: Page): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.evaluate(drawn);
  const { errors, passed } = await run(page, {});
  requireRules(passed);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(drawn);
  const dark = await run(page, { runOnly: ['color-contrast'] });
  return [...errors, ...dark.errors.map((error) => `dark: ${error}`)];
};
