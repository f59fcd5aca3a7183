import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HDNodeWallet } from 'ethers';
import { expect, test } from 'vitest';
import { devWallet, fundGasTank } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { gameCall, gameItems, operation, sponsorRequest, useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const consoleUrl = (): string => {
  const { engine } = world();
  return `${engine.url}/console/#token=${engine.operatorToken.reveal()}`;
};

/** What the owner of the funding wallet does: proves it over HTTP with the operator's token, and fills the tank. */
const fund = async (authToken: string, apiKey: string, wallet: HDNodeWallet): Promise<void> => {
  const { engine, paymaster, operator } = world();
  const api = `${engine.url}/api/v2/public/sdk`;
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

test('an operator who has never seen it makes a token, a DApp and rules, and understands a denial', async () => {
  const { contracts, engine, chain } = world();
  const { errors } = browser();
  const before = errors.length;
  const page = await browser().open(consoleUrl());
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  const picture = (name: string) => page.screenshot({ path: join(artifacts, `journey-${name}.png`) });
  const goTo = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click();
  await page.getByText('Engine running').waitFor();
  // The token is gone from where it could be read or kept.
  expect(page.url()).not.toContain('token');
  await picture('1-first-steps');

  // A token, shown once.
  await goTo('Make an auth token');
  await page.getByRole('textbox', { name: 'Label' }).fill('backend');
  await page.getByRole('button', { name: 'Create a token' }).click();
  await page.getByText('Copy the token now').waitFor();
  await page.getByRole('button', { name: 'Copy auth token' }).click();
  await page.getByText('Copied').waitFor();
  const authToken = await copied();
  expect(authToken).toMatch(/^gd_[\w-]{43}$/);
  await picture('2-token');

  // A DApp.
  await goTo('Paymasters');
  await page.getByRole('button', { name: 'Register a DApp' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Game Items');
  await page.getByRole('dialog').locator('.n-select').first().click();
  await page.locator('.n-base-select-option').filter({ hasText: 'Local chain (31337)' }).click();
  await picture('3-dapp');
  await page.getByRole('dialog').getByRole('button', { name: 'Register' }).click();
  await page.getByText('the funding wallet is not proved').waitFor();
  await page.getByRole('button', { name: 'Copy API key', exact: true }).click();
  const apiKey = await copied();
  await fund(authToken, apiKey, devWallet(100, chain.provider));

  // A contract with a method to sponsor, and a limit.
  await goTo('Contracts');
  await page.getByRole('button', { name: 'Register a contract' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Items');
  await page.getByRole('textbox', { name: 'Address' }).fill(contracts.gameItems);
  await page.getByRole('textbox', { name: 'ABI' }).fill(gameItems.formatJson());
  await page.getByRole('checkbox', { name: 'mint' }).click();
  await page.getByText('Calls of mint are sponsored').waitFor();
  await picture('4-contract');
  await page.getByRole('dialog').getByRole('button', { name: 'Register' }).click();
  await page.getByRole('listitem', { name: 'Items' }).waitFor();
  await goTo('Rules');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Five a day');
  await page.getByRole('textbox', { name: 'Allowed' }).fill('5');
  await page.getByText('Each user may have 5 operations sponsored per day.').waitFor();
  await picture('5-rule');
  await page.getByRole('button', { name: 'Add the rule' }).click();
  await page.getByRole('listitem', { name: 'Five a day' }).waitFor();

  // The code, pasted as it is, has its operation sponsored, and the overview shows it by itself.
  await goTo('Paymasters');
  await page.getByText('curl', { exact: true }).click();
  await page.getByRole('button', { name: 'Copy curl snippet' }).click();
  const snippet = await copied();
  await picture('6-snippet');
  await goTo('Overview');
  await page.getByText('Nothing has been decided yet').waitFor();
  const { stdout } = await promisify(execFile)('sh', ['-c', snippet]);
  expect(JSON.parse(stdout)).toMatchObject({
    result: { paymasterAndData: expect.stringMatching(/^0x[0-9a-f]{500,}$/) },
  });
  await page.getByRole('listitem').filter({ hasText: 'asked to sponsor' }).waitFor();

  // One that calls what was not ticked waits behind a button, and is explained.
  const burn = operation({ to: contracts.gameItems, data: gameCall('burn', 3n) });
  await engine.post(`/api/v2/31337/${apiKey}`, sponsorRequest([burn, { mode: 'SPONSORED' }]));
  await page.getByRole('button', { name: '1 new decision' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Denied' }).getByRole('link').click();
  const detail = page.getByRole('complementary', { name: 'Decision' });
  await detail.getByRole('heading', { name: 'Rule by rule' }).waitFor();
  const why = await detail.innerText();
  expect(why).toContain('burn(3) on Items');
  expect(why).toContain('METHOD_NOT_WHITELISTED');
  expect(why).toContain('What helps: Add burn(uint256)');
  expect(why).toMatch(/Allowed\s+5 operations\s+Used before\s+0 operations/);
  await picture('7-denial');

  // Its address can be given to somebody: it opens there again, once the console is opened.
  expect(page.url()).toMatch(/#\/decisions\/[\w-]{36}$/);
  expect(errors.slice(before)).toEqual([]);
}, 90_000);

test('without the token the page shows nothing but how to get one, and takes it however it is pasted', async () => {
  const page = await browser().open(`${world().engine.url}/console/`);
  await page.getByText('opens with the operator token').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-gate.png') });
  const field = page.getByLabel('Address or operator token');
  await field.fill('hello');
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('There is no token in this text').waitFor();
  await field.fill(consoleUrl());
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('Engine running').waitFor();
});

test('a token of a service that was started again is told from an engine that is away', async () => {
  const { url } = world().engine;
  const page = await browser().open(`${url}/console/#token=${'A'.repeat(43)}`);
  await page.getByText('This console was opened with an old token').waitFor();
  await page.getByText('Token not accepted').waitFor();
});
