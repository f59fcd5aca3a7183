import { afterEach, beforeEach, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { operation } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
let dir: string;
let engine: ServingEngine;
let dapp: SponsoredDapp;

beforeEach(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir });
  dapp = await engine.dapp({});
});
afterEach(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

/** Decisions in one burst; each is an error, since the DApp has no contract, and is stored and reported like any other. */
const decide = async (count: number): Promise<void> => {
  const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
  await Promise.all(Array.from({ length: count }, () => dapp.sponsor(op)));
};

test('the page counts every decision of a busy desk, and what is read stays where it is', async () => {
  await decide(1);
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('1 in total').waitFor();
  const feed = page.getByRole('region', { name: 'Latest decisions' }).getByRole('listitem');
  await feed.first().waitFor();
  const read = await feed.first().getByRole('link').getAttribute('href');

  for (let burst = 0; burst < 10; burst += 1) await decide(60);

  await page.getByText('601 in total').waitFor();
  // The page keeps the last 200 of them, however many come.
  const more = page.getByRole('button', { name: '200+ new decisions' });
  await more.waitFor();
  expect(await feed.count()).toBe(1);
  expect(await feed.first().getByRole('link').getAttribute('href')).toBe(read);
  await more.click();
  await expect.poll(() => feed.count()).toBe(15);

  // The table reads on as someone scrolls, and holds no more rows on the page than can be seen.
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await page.getByRole('row').nth(5).waitFor();
  const scrollDown = (): Promise<void> =>
    page.locator('.rows').evaluate((list) => {
      const scroller = list.querySelector('.v-vl') ?? list;
      scroller.scrollTop = scroller.scrollHeight;
    });
  await expect
    .poll(async () => {
      await scrollDown();
      return page.getByRole('table').getAttribute('aria-rowcount');
    })
    .toBe('602');
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  expect(browser().errors).toEqual([]);
});

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
