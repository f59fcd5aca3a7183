import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { RESERVED_WEI } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

test('the list of DApps shows which one is live, paused, or not live yet, also in narrow windows', async () => {
  const { engine } = world();
  const { paymasterId } = await world().dapp(10n * RESERVED_WEI);
  await engine.dapp({});
  const { name } = (await engine.service.call('paymasters.list', {})).find((one) => one.paymasterId === paymasterId)!;
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.evaluate(() => (window.location.hash = '#/dapps'));
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Not live yet', { exact: true }).waitFor();
  await engine.service.call('paymasters.pause', { paymasterId });
  await row.getByText('Paused', { exact: true }).waitFor();
  expect(await row.getByText('Live', { exact: true }).count()).toBe(0);
  for (const width of [900, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const hidden = () => page.locator('.table-place').evaluate((place) => place.scrollWidth - place.clientWidth);
    await expect.poll(hidden).toBe(0);
    await page.screenshot({ path: join(artifacts, `console-dapps-${width}-light.png`) });
  }
  const label = await row.locator('td.states').evaluate((cell) => {
    return [getComputedStyle(cell, '::before').content, getComputedStyle(cell).paddingLeft];
  });
  expect(label).toEqual([expect.stringContaining('State'), '128px']);
  expect(await seriousErrors(page)).toEqual([]);
});
