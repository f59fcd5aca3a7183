import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { gameCall, operation } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();

test('the operator narrows a policy to what was sponsored, and applies it', async () => {
  const { engine, contracts } = world();
  const dapp = await world().dapp(10n ** 18n);
  await world().registerGameItems(dapp);
  const { paymasterId } = dapp;
  await engine.service.call('contracts.update', {
    paymasterId,
    address: contracts.gameItems,
    whitelistedMethods: ['mint', 'burn'],
  });
  await dapp.sponsor(operation({ to: contracts.gameItems, data: gameCall('mint') }));

  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), paymasterId);
  await page.getByRole('button', { name: 'Narrow' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/contract Game Items: methods mint, burn → mint/).waitFor();
  await dialog.getByText('this policy denies none of the operations that were sponsored').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(import.meta.dirname, '../../test-artifacts/narrow-policy.png') });
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const { policy } = await engine.service.call('policies.show', { paymasterId });
  expect(policy.contracts[0]?.whitelistedMethods).toEqual(['mint']);
});
