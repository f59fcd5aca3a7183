import { join } from 'node:path';
import { Contract } from 'ethers';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import { ledgerPath } from '../../src/renderer/src/modules/signing/ledger-paths.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { plugInto } from '../support/emulated-hid.ts';
import { type LedgerEmulator, createLedgerEmulator } from '../support/ledger-emulator.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';
import { chooseWallet } from './choose-wallet.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const ETHER = 10n ** 18n;
const PASSWORD = 'a password of four words';

const open = async (address: string, device?: LedgerEmulator): Promise<Page> => {
  const { engine } = world();
  const page = await browser().open('about:blank');
  if (device !== undefined) await plugInto(page, device);
  await page.goto(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), address);
  return page;
};

/** Keeps a picture, and finds what people with impairments could not use. */
const look = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(artifacts, `gas-tank-${name}.png`) });
  expect(await seriousErrors(page), name).toEqual([]);
};

const tankOf = (wallet: string): Promise<bigint> =>
  new Contract(
    world().paymaster,
    ['function getBalance(address) view returns (uint256)'],
    world().chain.provider,
  ).getFunction('getBalance')(wallet) as Promise<bigint>;

const hasFocus = (field: Locator): Promise<boolean> => field.evaluate((it) => it === document.activeElement);

const shownBalance = (page: Page) =>
  page.getByRole('region', { name: 'Balance' }).locator('.figure').first().locator('dd');

/** Has the contract with one signer accept the next key, and waits until the desk signs with it. */
const changeOnlySigner = async (page: Page): Promise<void> => {
  const section = page.getByRole('region', { name: 'Contract and signing key' });
  const dialog = page.getByRole('dialog');
  await section.getByRole('button', { name: 'Make the contract accept it' }).click();
  await chooseWallet(dialog, world().chain.url);
  await dialog.getByRole('button', { name: 'Review transaction' }).click();
  await dialog.getByText('Maximum fee').waitFor();
  await look(page, '11-one-signer');
  await dialog.getByRole('button', { name: 'Sign with this wallet' }).click();
  await dialog.getByText('Mined', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await section.getByText('Next key', { exact: true }).waitFor({ state: 'detached' });
  await section.getByText('The contract accepts it').waitFor();
  await look(page, '12-rotated');
};

/** A contract whose signer is fixed for good never accepts the next key: another one is offered in its place. */
const expectNewContractForNextKey = async (): Promise<void> => {
  const { chain, engine } = world();
  const target = { chainId: chain.chainId, version: 'verifying-0.6' };
  await attachNewContract(engine.service, devWallet(0, chain.provider), target);
  const dapp = await engine.dapp({ version: target.version });
  await engine.service.call('signers.prepareNext', { chainId: chain.chainId });
  const page = await open(`#/dapps/${dapp.paymasterId}/tank`);
  await page.getByRole('button', { name: 'Deploy a contract that accepts it' }).waitFor();
  expect(await page.getByRole('button', { name: 'Make the contract accept it' }).count()).toBe(0);
};

test('a funding wallet is proved, its tank filled and emptied again, as the chain has it', async () => {
  const dapp = await world().engine.dapp({});
  const page = await open(`#/dapps/${dapp.paymasterId}/tank`);
  await page.getByText('No funding wallet is set').waitFor();
  // The chain's contract is attached already, so the page does not ask the operator to deploy another.
  const contract = page.getByRole('region', { name: 'Contract and signing key' });
  await contract.getByText(world().paymaster).waitFor({ state: 'attached' });
  await contract.getByText('The contract accepts it').waitFor();
  expect(await page.getByRole('button', { name: 'Deploy' }).count()).toBe(0);
  await look(page, '1-empty');

  // Three steps: read, sign, send.
  await page.getByRole('button', { name: 'Set the funding wallet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Signing this links your wallet').waitFor();
  await chooseWallet(dialog, world().chain.url);
  await look(page, '2-sign');
  await dialog.getByRole('button', { name: 'Sign with this wallet' }).click();
  await dialog.getByText('This wallet signed').waitFor();
  const owner = devWallet(0, world().chain.provider).address;
  await dialog.getByText(owner).first().waitFor();
  await look(page, '3-proved');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const wallet = page.getByRole('region', { name: 'Funding wallet' });
  await wallet.getByRole('cell').getByText(owner).first().waitFor({ state: 'attached' });
  const before = await tankOf(owner);

  // Money in.
  await page.getByRole('button', { name: 'Deposit', exact: true }).click();
  await expect.poll(() => hasFocus(dialog.getByLabel('Amount'))).toBe(true);
  await dialog.getByLabel('Amount').fill('1.5');
  await dialog.getByText('Gas tank holds').waitFor();
  await chooseWallet(dialog, world().chain.url);
  await dialog.getByText('Wallet holds').waitFor();
  await dialog.getByRole('button', { name: 'Review transaction' }).click();
  await dialog.getByText('Maximum fee').waitFor();
  await look(page, '4-deposit');
  // Who hears the page hears what is signed before the button that signs it.
  const [what, sign] = ['The transaction', 'Sign with this wallet'];
  const order = await dialog.evaluate(
    (element, names) => {
      const text = element.querySelector(`[aria-label="${names[0]}"]`);
      const button = [...element.querySelectorAll('button')].find(({ textContent }) => textContent.includes(names[1]!));
      return text!.compareDocumentPosition(button!) & Node.DOCUMENT_POSITION_FOLLOWING;
    },
    [what, sign],
  );
  expect(order).toBeGreaterThan(0);
  await dialog.getByRole('button', { name: 'Sign with this wallet' }).click();
  await dialog.getByText('Mined', { exact: true }).waitFor();
  await look(page, '5-mined');
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect.poll(() => tankOf(owner)).toBe(before + (ETHER * 3n) / 2n);

  // Money out: more than there is is refused before anything is signed.
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await expect.poll(() => hasFocus(dialog.getByLabel('Amount'))).toBe(true);
  await dialog.getByLabel('Amount').fill('10000');
  await chooseWallet(dialog, world().chain.url);
  await dialog.getByRole('button', { name: 'Review transaction' }).click();
  await dialog.getByText("Couldn't send the transaction", { exact: true }).waitFor();
  await dialog.getByLabel('Amount').fill('0.5');
  await dialog.getByRole('button', { name: 'Review transaction' }).click();
  await dialog.getByText('Maximum fee').waitFor();
  await dialog.getByRole('button', { name: 'Sign with this wallet' }).click();
  await dialog.getByText('Mined', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  const left = await tankOf(owner);
  expect(left).toBe(before + ETHER);
  await expect
    .poll(() => shownBalance(page).locator('.amount').getAttribute('title'))
    .toBe(`${String(left).replace(/\B(?=(\d{3})+$)/g, ',')} wei`);
  // Nothing is reserved: all of it is free, and the bar says so.
  const meter = page.getByRole('meter', { name: 'Free balance' });
  await expect.poll(() => meter.getAttribute('aria-valuenow')).toBe('100');
  const listed = page.getByRole('region', { name: 'Transactions' }).getByRole('listitem');
  const mined = listed.filter({ hasText: /1[.]5 ETH|0[.]5 ETH/ }).filter({ hasText: 'Mined' });
  await mined.nth(1).waitFor();
  expect(await mined.count()).toBe(2);
  await look(page, '6-filled');
});

test('a contract is deployed and its signing key replaced, with a local key, and the chain agrees', async () => {
  const { chain, engine } = world();
  await deployEntryPoint(devWallet(0, chain.provider), '0.7');
  const dapp = await engine.dapp({ version: 'singleton-0.7' });
  const page = await open('#/settings');
  await page.getByRole('button', { name: 'Add a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Label').fill('Owner');
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByLabel('Confirm password').fill(PASSWORD);
  await look(page, '7-new-key');
  await dialog.getByRole('button', { name: 'Add the key' }).click();
  await page.getByRole('cell', { name: 'Owner', exact: true }).waitFor();
  await look(page, '8-keys');
  const [owner] = await engine.service.call('keystores.list', {});
  await chain.provider.send('anvil_setBalance', [owner!.address, `0x${(ETHER * 10n).toString(16)}`]);

  const sign = async (): Promise<void> => {
    await dialog.getByRole('button', { name: 'Review transaction' }).click();
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign with this key' }).click();
    await dialog.getByText('Mined', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  };
  await page.evaluate((hash) => (window.location.hash = hash), `#/dapps/${dapp.paymasterId}/tank`);
  await page.getByRole('button', { name: 'Deploy contract' }).click();
  await look(page, '9-deploy');
  await sign();
  const section = page.getByRole('region', { name: 'Contract and signing key' });
  await section.getByText('The contract accepts it').waitFor();
  // Its summary has whole addresses, which break in a narrow window.
  await page.setViewportSize({ width: 400, height: 860 });
  const deployed = page.getByRole('region', { name: 'Transactions' }).getByRole('listitem').first();
  expect(await deployed.evaluate((row) => row.scrollWidth - row.clientWidth)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 860 });
  const contracts = await engine.service.call('paymasterContracts.list', {});
  const address = contracts.find(({ version }) => version === 'singleton-0.7')!.address;
  const contract = new Contract(address, ['function signers(address) view returns (bool)'], chain.provider);
  const accepts = (signer: string) => contract.getFunction('signers')(signer) as Promise<boolean>;

  await section.getByRole('button', { name: 'Replace the signing key' }).click();
  expect((await engine.service.call('tanks.get', { paymasterId: dapp.paymasterId })).signer.next).toBeNull();
  await dialog.getByRole('button', { name: 'Create the next key' }).click();
  await section.getByText('Next key', { exact: true }).waitFor();
  await look(page, '10-next-key');
  const next = (await engine.service.call('tanks.get', { paymasterId: dapp.paymasterId })).signer.next!;
  expect(await accepts(next)).toBe(false);
  await section.getByRole('button', { name: 'Make the contract accept it' }).click();
  await sign();
  expect(await accepts(next)).toBe(true);

  // The other contract on this chain has one signer: it changes, and the desk with it.
  await section.getByRole('button', { name: 'Switch to the next key' }).click();
  await section.getByText("Couldn't save").waitFor();
  const other = await engine.dapp({ fundingWallet: devWallet(0, chain.provider) });
  await page.close();
  await changeOnlySigner(await open(`#/dapps/${other.paymasterId}/tank`));
  expect((await engine.service.call('signers.list', {}))[0]!.address).toBe(next);
  await expectNewContractForNextKey();
});

test('a Ledger proves a funding wallet; rejected or unplugged, everything stays as it was', async () => {
  const { engine } = world();
  const dapp = await engine.dapp({ fundingWallet: devWallet(150, world().chain.provider) });
  const device = createLedgerEmulator();
  const page = await open(`#/dapps/${dapp.paymasterId}/tank`, device);
  await page.getByRole('button', { name: 'Change wallet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Ledger', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Connect a Ledger' }).click();
  await dialog.getByRole('button', { name: 'Compare the address on the Ledger' }).click();
  const sign = dialog.getByRole('button', { name: 'Sign the message on the Ledger' });
  await sign.waitFor();
  await look(page, '13-ledger');

  const state = async () => [
    (await engine.service.call('paymasters.list', {})).find(({ paymasterId }) => paymasterId === dapp.paymasterId),
    await engine.service.call('funding.history', { paymasterId: dapp.paymasterId }),
  ];
  const before = await state();
  device.owner = () => false;
  await sign.click();
  await dialog.getByRole('alert').waitFor();
  await look(page, '14-rejected');
  expect(await state()).toEqual(before);
  device.owner = () => true;
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('This wallet signed').waitFor();
  const address = device.addressAt(ledgerPath('ledger-live', 0));
  await dialog.getByText(address).first().waitFor();
  expect(await state()).toEqual(before);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await state())[0]).toMatchObject({ fundingWallet: address });
});
