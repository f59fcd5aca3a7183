import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type SponsoredDapp, useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousFaults } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const addLimit = (dapp: SponsoredDapp, name: string, type: string, threshold: string): Promise<unknown> =>
  world().engine.service.call('rules.create', {
    paymasterId: dapp.paymasterId,
    rule: {
      ...{ name, policyType: 'PAYMASTER_SA_LIMIT' },
      policyData: { type, thresholdType: 'COUNT', threshold, cycleDuration: { value: 1, unit: 'hour' } },
    },
  });

test.each([
  [1280, 'light'],
  [1280, 'dark'],
  [800, 'light'],
  [800, 'dark'],
  [400, 'light'],
  [400, 'dark'],
] as const)(
  'the tab Policy tells what an attacker can cost, and what would change it, at %i px, %s',
  async (width, colorScheme) => {
    const { engine } = world();
    const dapp = await world().dapp(10n ** 18n);
    await addLimit(dapp, 'Each user', 'SMART_ACCOUNT', '5');
    const url = `${engine.url}/console/#token=${engine.operatorToken.reveal()}`;
    const page = await browser().open(url, { width, colorScheme });
    await page.getByText('Engine running').waitFor();
    await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), dapp.paymasterId);
    await page.getByText('what a holder of the API key can cost at most').click();
    const hour = page.getByRole('region', { name: 'In any hour' });
    await hour.getByText('then the gas tank stops it').waitFor();
    await page
      .getByText('The spending limit "Each user" stops nobody: it counts each account, and new accounts are free.')
      .waitFor();

    // What is changed elsewhere shows without being asked for.
    await addLimit(dapp, 'All users', 'PAYMASTER', '3');
    await hour.getByText('then the spending limit "All users" stops it').waitFor();
    await page.getByText('In any hour: the attack, as it was decided').click();
    const more = page
      .getByRole('group')
      .filter({ has: page.getByText('One more: LIMIT_REACHED') })
      .last();
    await more.getByText('One more: LIMIT_REACHED').click();
    await more.getByText('All users', { exact: true }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByText('Worst case', { exact: true }).scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(artifacts, `console-worst-case-${width}-${colorScheme}.png`), fullPage: true });
    const { bounds } = await engine.service.call('policies.worstCase', { paymasterId: dapp.paymasterId });
    expect(bounds[1]?.stoppedBy?.name).toBe('All users');

    await page
      .getByRole('region', { name: 'What would change it' })
      .getByRole('link', { name: 'Add a limit' })
      .first()
      .click();
    await page.getByRole('heading', { name: /limit/i }).first().waitFor();
  },
);
