import { afterAll, expect, test } from 'vitest';
import { firstRunJourney } from '../console/first-run-journey.ts';
import { type Shell, startShell } from '../support/shell.ts';
import { PASSPHRASE } from '../support/quick-engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
let shell: Shell | undefined;

afterAll(() => shell?.quit());

test('in the desktop window too, an operator makes a token, a DApp and rules, and understands a denial', async () => {
  const { engine, home } = world();
  // The application takes over the desk.
  await engine.stop();
  shell = await startShell(home, { GASDESK_PASSPHRASE: PASSPHRASE });
  const { page } = shell;
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  const info = await page.evaluate(() => window.gasdesk.call('system.info', {}));
  const { url } = (info as { output: { url: string } }).output;
  const { evaluate } = shell;
  const copied = (): Promise<string> => evaluate(({ clipboard }) => clipboard.readText());
  await firstRunJourney(world(), { page, url, transport: 'window', copied });
  expect(errors).toEqual([]);
});
