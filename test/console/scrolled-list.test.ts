import { afterAll, beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { operation } from '../support/operations.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
let dir: string;
let engine: ServingEngine;
let dapp: SponsoredDapp;

beforeAll(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir });
  dapp = await engine.dapp({});
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

const decide = async (count: number): Promise<void> => {
  const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
  await Promise.all(Array.from({ length: count }, () => dapp.sponsor(op)));
};

test('a list that is scrolled to its end while it is read again continues there', async () => {
  await decide(150);
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await page.getByRole('row').nth(5).waitFor();
  const reading = Promise.withResolvers<undefined>();
  const held = Promise.withResolvers<undefined>();
  await page.route('**/console/call', async (route) => {
    if (route.request().postData()?.includes('decisions.list') === true) {
      reading.resolve(undefined);
      await held.promise;
    }
    await route.continue();
  });
  await decide(1);
  await page.getByRole('button', { name: '1 new decision' }).click();
  await reading.promise;
  await page.locator('.rows .v-vl').evaluate(async (list) => {
    const scrolled = new Promise((resolve) => list.addEventListener('scroll', resolve, { once: true }));
    list.scrollTop = list.scrollHeight;
    await scrolled;
  });
  held.resolve(undefined);
  await expect.poll(() => page.getByRole('table').getAttribute('aria-rowcount')).toBe('152');
});
