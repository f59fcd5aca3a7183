import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();
/** No node: what is attached there is not checked. */
const CHAIN = 900_002;

test('a new DApp gets the version that is attached to its chain; for another one, what is missing is said', async () => {
  await desk().dapp();
  await desk().call('chains.set', { chainId: CHAIN, name: 'Quiet' });
  await desk().call('signers.create', { chainId: CHAIN });
  const contract = { chainId: CHAIN, version: 'singleton-0.7', address: `0x${'ab'.repeat(20)}` };
  await desk().call('paymasterContracts.use', contract);
  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/dapps'));
  await page.getByRole('button', { name: 'Register a DApp' }).click();
  const dialog = page.getByRole('dialog', { name: 'Register a DApp' });
  const choose = async (option: string): Promise<void> => {
    await dialog.locator('.n-select').nth(1).click();
    await page.locator('.n-base-select-option').filter({ hasText: option }).click();
  };
  await dialog.getByLabel('Name').fill('Shop');
  await dialog.locator('.n-select').first().click();
  await page.keyboard.type('Quiet');
  await page
    .locator('.n-base-select-option')
    .filter({ hasText: `(${CHAIN})` })
    .click();
  await dialog.getByText('Operations for EntryPoint 0.7 on Quiet can be sponsored').waitFor();
  const missing = dialog.getByText('No contract of this version is attached to Quiet yet');
  expect(await missing.count()).toBe(0);
  await choose('1.1.0');
  await missing.waitFor();
  await choose('singleton-0.7');
  await dialog.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: 'Shop' }).waitFor();
  const dapps = await desk().call<{ name: string; version: string }[]>('paymasters.list', {});
  expect(dapps.find(({ name }) => name === 'Shop')?.version).toBe('singleton-0.7');
});
