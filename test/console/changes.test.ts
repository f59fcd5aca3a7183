import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calledBy } from '../../src/engine/base/caller.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

test.each(['light', 'dark'] as const)(
  'changes are shown with who, before and after; new ones appear by themselves: %s',
  async (colorScheme) => {
    const { service } = desk().engine;
    const [account] = await service.call('accounts.list', {});
    const dapp = (await service.call('paymasters.list', {})).find(({ name }) => name.startsWith('Game'))!;
    const page = await browser().open(desk().url, { colorScheme });
    await page.getByText('Engine running').waitFor();
    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    const rows = page.getByRole('list', { name: 'Changes' }).locator(':scope > li');
    await rows.first().waitFor();

    const name = `Game in ${colorScheme}`;
    await calledBy({ via: 'http', by: account!.accountId }, () =>
      service.call('paymasters.rename', { paymasterId: dapp.paymasterId, name }),
    );
    const renamed = rows.first();
    await renamed.getByText(`DApp ${name} changed: name`).waitFor();
    expect(await renamed.innerText()).toContain(`Auth token of account ${account!.name}`);
    await renamed.getByText('Before and after').focus();
    await page.keyboard.press('Enter');
    await renamed.getByRole('row', { name: `name ${dapp.name} ${name}`, exact: true }).waitFor();
    expect(await renamed.getByRole('row').count()).toBe(2);

    expect(await seriousErrors(page)).toEqual([]);
    const verify = page.getByRole('region', { name: 'Verify' });
    expect(await verify.innerText()).toMatch(/\d entries, signed up to [\d,]+/);
    await verify.getByRole('button', { name: 'Copy key of the log' }).click();
    const { key } = await service.call('log.key', {});
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);

    for (const width of [1280, 800, 400]) {
      await page.setViewportSize({ width, height: 860 });
      // The name of a field is not broken into letters.
      expect(
        await renamed
          .getByRole('row')
          .last()
          .locator('td')
          .first()
          .evaluate((cell) => cell.clientHeight),
      ).toBeLessThan(40);
      await page.screenshot({ path: join(artifacts, `console-changes-${width}-${colorScheme}.png`) });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await page.getByRole('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBe(0);
    }
    await renamed.getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(browser().errors).toEqual([]);
  },
);

test('older changes are shown when they are asked for', async () => {
  const { service } = desk().engine;
  for (let index = 0; index < 60; index += 1) {
    await service.call('config.set', { key: 'rateLimitPerKey', value: 100 + index });
  }
  const page = await browser().open(desk().url);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/activity'));
  const rows = page.getByRole('list', { name: 'Changes' }).locator(':scope > li');
  const older = page.getByRole('button', { name: 'Show older' });
  await older.waitFor();
  await expect.poll(() => rows.count()).toBe(50);
  await older.click();
  const all = (await service.call('log.list', { kind: 'action', limit: 1_000 })).length;
  await expect.poll(() => rows.count()).toBe(all);
  await older.waitFor({ state: 'detached' });
});
