import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { allFindings, seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const addLimit = (dapp: SponsoredDapp, name: string, type: string, threshold: string): Promise<unknown> =>
  world().engine.service.call('rules.create', {
    paymasterId: dapp.paymasterId,
    rule: {
      name,
      policyType: 'PAYMASTER_SA_LIMIT',
      policyData: { type, thresholdType: 'COUNT', threshold, cycleDuration: { value: 1, unit: 'hour' } },
    },
  });

test.each([1280, 800, 400])(
  'the tab Policy shows what an attacker can cost, and how to lower it, at %i px',
  async (width) => {
    const { engine } = world();
    const dapp = await world().dapp(10n ** 18n);
    await addLimit(dapp, 'Each user', 'SMART_ACCOUNT', '5');
    const url = `${engine.url}/console/#token=${engine.operatorToken.reveal()}`;
    const page = await browser().open(url, { width });
    await page.getByText('Engine running').waitFor();
    await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), dapp.paymasterId);
    await page.getByText('the most an attacker with your API key could spend').click();
    const hour = page.getByRole('region', { name: 'In any hour' });
    await hour.getByText('then the gas tank stops it').waitFor();
    await page
      .getByText('The spending limit "Each user" stops no attacker: it counts each account, and new accounts are free.')
      .waitFor();

    // The number stands in the header, too, with what stops it and what lowers it.
    const number = page.locator('summary', { hasText: 'an hour with this key' });
    await number.focus();
    expect((await number.innerText()).trim()).toMatch(
      /^At most [\d.,]+ ETH an hour with this key\s+· then the gas tank stops it$/,
    );
    await page.keyboard.press('Enter');
    await page.getByText('Each of these changes was tried:').waitFor();
    await page.screenshot({ path: join(artifacts, `console-worst-hour-${width}-light.png`) });

    // What is changed elsewhere shows without being asked for.
    await addLimit(dapp, 'All users', 'PAYMASTER', '3');
    await hour.getByText('then the spending limit "All users" stops it').waitFor();
    await expect.poll(() => number.innerText()).toContain('then the spending limit "All users" stops it');
    const title = page.getByText('In any hour: show the simulated attack');
    await title.click();
    const attack = page.getByRole('group').filter({ has: title }).last();
    await attack.getByText('One more: LIMIT_REACHED').click();
    await attack.getByText('All users', { exact: true }).last().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.getByText('the most an attacker with your API key could spend').scrollIntoViewIfNeeded();
      await page.screenshot({ path: join(artifacts, `console-worst-case-${width}-${colorScheme}-bounds.png`) });
      await page.getByText('How to lower it').scrollIntoViewIfNeeded();
      expect(await seriousErrors(page), colorScheme).toEqual([]);
      await page.screenshot({ path: join(artifacts, `console-worst-case-${width}-${colorScheme}.png`) });
    }
    expect(await allFindings(page)).toEqual([]);
    const { paymasterId } = dapp;
    await engine.service.call('paymasters.pause', { paymasterId });
    await page.getByText('How to lower it once sponsorship is resumed').waitFor();
    await engine.service.call('paymasters.resume', { paymasterId });
    await hour.getByText('then the spending limit "All users" stops it').waitFor();
    const changes = page.getByRole('region', { name: 'How to lower it' });
    await changes.getByRole('link', { name: 'Add a limit' }).first().click();
    await page.getByRole('heading', { name: /limit/i }).first().waitFor();
    // From the number, one link leads to the limit that stops the attacker.
    await page.reload();
    await page.getByText('then the spending limit "All users" stops it').first().waitFor();
    await number.click();
    await page.getByRole('link', { name: 'Try other thresholds of the limit' }).click();
    await page.getByRole('heading', { name: 'Edit All users' }).waitFor();
  },
);
