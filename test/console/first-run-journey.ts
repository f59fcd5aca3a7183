import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HDNodeWallet } from 'ethers';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { devWallet, fundGasTank } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { gameCall, gameItems, operation, sponsorRequest } from '../support/operations.ts';
import type { SponsoredWorld } from '../support/sponsored-world.ts';

const artifacts = join(import.meta.dirname, '../../test-artifacts');

/** The console of an empty desk, opened, whatever carries it. */
export interface OpenConsole {
  readonly page: Page;
  /** Where its engine serves HTTP. */
  readonly url: string;
  /** Names the pictures. */
  readonly transport: string;
  /** What is on the clipboard. */
  readonly copied: () => Promise<string>;
}

/** What the owner of the funding wallet does: proves it over HTTP with the operator's token, and fills the tank. */
const fund = async (
  { paymaster, operator }: SponsoredWorld,
  url: string,
  { authToken, apiKey, wallet }: { authToken: string; apiKey: string; wallet: HDNodeWallet },
): Promise<void> => {
  const api = `${url}/api/v2/public/sdk`;
  const headers = { authToken, apiKey, 'content-type': 'application/json' };
  const issued = (await (await fetch(`${api}/funding-message`, { headers })).json()) as {
    data: { fundingMessage: string; paymasterId: string };
  };
  const { fundingMessage, paymasterId } = issued.data;
  const signature = await wallet.signMessage(fundingMessage);
  const proof = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address };
  const proved = await fetch(`${api}/paymaster`, { method: 'PATCH', headers, body: JSON.stringify(proof) });
  expect(proved.status).toBe(200);
  await fundGasTank(paymaster, wallet.address as Address, 10n ** 18n, operator);
};

/**
 * The first-run journey: an operator who has never seen the console makes a token, a DApp and rules, has an operation
 * sponsored by the code they copied, and understands why another was denied.
 */
export const firstRunJourney = async (
  world: SponsoredWorld,
  { page, url, transport, copied }: OpenConsole,
): Promise<void> => {
  const { contracts, chain } = world;
  const picture = (name: string) => page.screenshot({ path: join(artifacts, `journey-${transport}-${name}.png`) });
  const goTo = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click();
  await page.getByText('Engine running').waitFor();
  await picture('1-first-steps');

  // A token, shown once.
  await goTo('Settings');
  await page.getByRole('textbox', { name: 'Label' }).fill('backend');
  await page.getByRole('region', { name: 'Auth tokens' }).getByLabel('Scope', { exact: true }).click();
  await page.getByText('Full access').last().click();
  await page.getByRole('button', { name: 'Create an auth token' }).click();
  await page.getByText('Copy this token now').waitFor();
  await page.getByRole('button', { name: 'Copy auth token' }).click();
  await page.getByText('Copied').waitFor();
  const authToken = await copied();
  expect(authToken).toMatch(/^gd_[\w-]{43}$/);
  await picture('2-token');

  // A DApp.
  await goTo('DApps');
  await page.getByRole('button', { name: 'Register a DApp' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Game Items');
  await page.getByRole('dialog').locator('.n-select').first().click();
  await page.locator('.n-base-select-option').filter({ hasText: 'Local chain (31337)' }).click();
  await picture('3-dapp');
  await page.getByRole('dialog').getByRole('button', { name: 'Register' }).click();
  await page.getByText('Verify a funding wallet').waitFor();
  await goTo('Connect');
  // The list of keys below has it once more.
  await page.getByRole('button', { name: 'Copy API key', exact: true }).first().click();
  await expect.poll(copied).not.toBe(authToken);
  const apiKey = await copied();
  await fund(world, url, { authToken, apiKey, wallet: devWallet(100, chain.provider) });

  // A contract with a method to sponsor, and a limit.
  await goTo('Policy');
  await page.getByRole('button', { name: 'Add contract' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Items');
  await page.getByRole('textbox', { name: 'Address' }).fill(contracts.gameItems);
  await page.getByRole('textbox', { name: 'ABI' }).fill(gameItems.formatJson());
  await page.getByRole('checkbox', { name: 'mint' }).click();
  await page.getByText('Calls to mint are sponsored').waitFor();
  await picture('4-contract');
  const contract = page.getByRole('complementary', { name: 'Register a contract' });
  await contract.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('listitem', { name: 'Items' }).waitFor();
  await page.getByRole('button', { name: 'Add limit' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Five a day');
  await page.getByRole('textbox', { name: 'Allowed' }).fill('5');
  await page.getByText('Each user may have 5 operations sponsored per day.').waitFor();
  await picture('5-rule');
  const limit = page.getByRole('complementary', { name: 'Add a limit' });
  await limit.getByRole('button', { name: 'Add limit' }).click();
  await page.getByRole('listitem', { name: 'Five a day' }).waitFor();

  // The code, pasted as it is, has its operation sponsored, and the overview shows it by itself.
  await goTo('Connect');
  await page.getByText('curl', { exact: true }).click();
  await page.getByRole('button', { name: 'Copy curl snippet' }).click();
  // The API key was copied before it.
  await expect.poll(copied).toContain('curl');
  const snippet = await copied();
  await picture('6-snippet');
  await goTo('Overview');
  await page.getByText('No decisions yet').waitFor();
  const { stdout } = await promisify(execFile)('sh', ['-c', snippet]);
  const { result } = JSON.parse(stdout) as { result?: { paymasterAndData: string } };
  expect(result?.paymasterAndData).toMatch(/^0x[0-9a-f]{500,}$/);
  await page
    .getByRole('listitem')
    .filter({ hasText: /by 0x[\da-f]{4}…/i })
    .waitFor();

  // One that calls what was not ticked waits behind a button, and is explained.
  const burn = operation({ to: contracts.gameItems, data: gameCall('burn', 3n) });
  await fetch(`${url}/api/v2/31337/${apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sponsorRequest([burn, { mode: 'SPONSORED' }])),
  });
  await page.getByRole('button', { name: '1 new decision' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Denied' }).getByRole('link').click();
  const detail = page.getByRole('complementary', { name: 'Decision' });
  await detail.getByRole('heading', { name: 'Rule by rule' }).waitFor();
  const why = await detail.innerText();
  expect(why).toContain('burn(3) on Items');
  expect(why).toContain('METHOD_NOT_WHITELISTED');
  expect(why).toContain('What to do: Add burn(uint256)');
  expect(why).toMatch(/Allowed\s+5 operations\s+Already used\s+0 operations/);
  await picture('7-denial');

  // Its address can be given to someone: it opens there again, once the console is opened.
  expect(page.url()).toMatch(/#\/decisions\/[\w-]{36}$/);
};
