import { afterAll, beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { operation } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
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
