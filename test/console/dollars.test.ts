import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { operation } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

test('tanks and costs are also shown in dollars, if the price of the coin is known', async () => {
  const { engine } = world();
  const dapp = await world().dapp(10n ** 18n);
  await dapp.sponsor(operation({ to: `0x${'17'.repeat(20)}`, data: '0x' }));
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  const tank = page.getByRole('listitem', { name: /^Gas tank of / });
  await tank.getByText('1 ETH').first().waitFor();
  expect(await tank.innerText()).not.toContain('$');
  await engine.service.call('chains.set', { chainId: 31337, price: { source: 'static', usd: '3000.5' } });
  // What is set elsewhere shows without being asked for, and the wei stay in the hover.
  await tank.getByText('($3,000.50)').first().waitFor();
  expect(await tank.locator('.worth').nth(1).getAttribute('title')).toBe('$3,000.50 at $3,000.50 for one ETH');
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [800, 'dark'],
    [400, 'light'],
    [400, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 860 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => (window.location.hash = '#/'));
    await tank.scrollIntoViewIfNeeded();
    await expect.poll(() => seriousErrors(page)).toEqual([]);
    await page.screenshot({ path: join(artifacts, `console-dollars-overview-${width}-${colorScheme}.png`) });
    await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/tank`), dapp.paymasterId);
    await page.getByRole('region', { name: 'Balance' }).getByText('($3,000.50)').first().waitFor();
    await page.screenshot({ path: join(artifacts, `console-dollars-tank-${width}-${colorScheme}.png`) });
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), dapp.paymasterId);
  await page.getByText('the most an attacker with your API key could spend').click();
  const hour = page.getByRole('region', { name: 'In any hour' });
  await hour.locator('.worth').first().waitFor();
  await hour.scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(artifacts, 'console-dollars-worst-case-1280-dark.png') });
  expect(browser().errors).toEqual([]);
});
