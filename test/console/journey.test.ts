import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { join } from 'node:path';
import { firstRunJourney } from './first-run-journey.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const consoleUrl = (): string => {
  const { engine } = world();
  return `${engine.url}/console/#token=${engine.operatorToken.reveal()}`;
};

test('an operator who has never seen it makes a token, a DApp and rules, and understands a denial', async () => {
  const { errors } = browser();
  const before = errors.length;
  const page = await browser().open(consoleUrl());
  // The token is gone from where it could be read or kept.
  expect(page.url()).not.toContain('token');
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await firstRunJourney(world(), { page, url: world().engine.url, transport: 'browser', copied });
  expect(errors.slice(before)).toEqual([]);
});

test('without the token the page shows nothing but how to get one, and takes it however it is pasted', async () => {
  const page = await browser().open(`${world().engine.url}/console/`);
  await page.getByText('opens with the operator token').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-gate.png') });
  const field = page.getByLabel('Address or operator token');
  await field.fill('hello');
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('This text contains no token').waitFor();
  await field.fill(consoleUrl());
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('Engine running').waitFor();
});

test('a token of a restarted service is distinguished from an engine that is away', async () => {
  const { url } = world().engine;
  const page = await browser().open(`${url}/console/#token=${'A'.repeat(43)}`);
  await page.getByText('This console was opened with an old token').waitFor();
  await page.getByText('Token not accepted').waitFor();
  // It would ask on, and be refused while another test looks for errors.
  await page.close();
});
