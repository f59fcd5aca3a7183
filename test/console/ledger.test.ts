import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import vue from '@vitejs/plugin-vue';
import { Transaction, verifyMessage } from 'ethers';
import type { Locator, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readConsoleFile } from '../../src/engine/console-http/console-files.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { plugInto } from '../support/emulated-hid.ts';
import { type LedgerEmulator, createLedgerEmulator } from '../support/ledger-emulator.ts';
import { seriousErrors } from './axe.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

declare global {
  interface Window {
    readonly signer: Record<string, unknown>;
    readonly told: { account?: string; signed?: { address: string; signature: string } }[];
  }
}

const artifacts = join(import.meta.dirname, '../../test-artifacts');
const browser = useConsoleBrowser();
const UNSIGNED = Transaction.from({
  type: 2,
  chainId: 1,
  to: `0x${'11'.repeat(20)}`,
  data: '0x1234',
  gasLimit: 50_000,
}).unsignedSerialized;

let folder: string;
let server: Server;
let url: string;
beforeAll(async () => {
  folder = makeTempFolder();
  await build({
    configFile: false,
    logLevel: 'error',
    root: join(import.meta.dirname, 'ledger-page'),
    plugins: [vue()],
    build: { outDir: folder, modulePreload: false, chunkSizeWarningLimit: 10_000 },
  });
  // As in the window: with the console's own policy, which lets it connect to nothing.
  server = createServer((request, response) => {
    void readConsoleFile(folder, request.url ?? '/', { connect: "'none'" }).then((file) => {
      response.writeHead(file ? 200 : 404, { ...file?.headers }).end(file?.content);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  removeTempFolder(folder);
});

let device: LedgerEmulator;
beforeEach(() => {
  device = createLedgerEmulator();
});
afterEach(() => expect(browser().errors).toEqual([]));

/** The page, with the emulated Ledger plugged in. */
const open = async (
  props: Record<string, unknown> = {},
  view?: Parameters<ReturnType<typeof browser>['open']>[1],
): Promise<Page> => {
  const page = await browser().open('about:blank', view);
  await plugInto(page, device);
  await page.goto(url);
  await page.evaluate((given) => void Object.assign(window.signer, given), props);
  return page;
};
const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();
const told = (page: Page) => page.evaluate(() => window.told);
const accounts = (page: Page): Locator =>
  page.getByRole('radiogroup', { name: 'Account', exact: true }).getByRole('radio');
const picture = (page: Page, name: string) => page.screenshot({ path: join(artifacts, `ledger-${name}.png`) });

/** The owner of the device waits with the answer. @returns gives it */
const hold = () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  device.owner = () => promise;
  return resolve;
};

test('an operator connects a Ledger, compares the address, and signs a message with it', async () => {
  const page = await open({ message: 'Grüße ✓' });
  await picture(page, 'connect');
  await press(page, 'Connect a Ledger');
  await expect.poll(() => accounts(page).count()).toBe(5);
  await page.getByText("m/44'/60'/2'/0/0").click();
  expect(await accounts(page).nth(2).isChecked()).toBe(true);
  expect(await seriousErrors(page)).toEqual([]);
  await picture(page, 'accounts-1280-light');

  const letGo = hold();
  await press(page, 'Compare the address');
  const address = device.addressAt("m/44'/60'/2'/0/0");
  await page.getByRole('status').filter({ hasText: 'Approve it there only if' }).getByText(address).waitFor();
  await picture(page, 'compare');
  letGo(true);
  await page.getByText('Signs as').waitFor();

  const confirm = hold();
  await press(page, 'Sign the message on the Ledger');
  await page.getByText('Confirm on your Ledger').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await picture(page, 'confirm');
  confirm(true);
  await page.getByText('Signed on the Ledger').waitFor();
  const [first, second] = await told(page);
  expect(first).toEqual({ account: address });
  expect(second?.signed?.address).toBe(address);
  expect(verifyMessage('Grüße ✓', second!.signed!.signature)).toBe(address);
});

test('the account that has to sign is found among all, also by its number and as older programs count', async () => {
  const wanted = device.addressAt("m/44'/60'/0'/7");
  const page = await open({ address: wanted.toLowerCase() }, { width: 800, height: 900, colorScheme: 'dark' });
  await press(page, 'Connect a Ledger');
  await page.getByText('This account is not the one that has to sign').waitFor();
  expect(await page.getByRole('button', { name: 'Compare the address' }).isDisabled()).toBe(true);
  await picture(page, 'other-account-800-dark');
  await page.getByText('Older programs', { exact: true }).click();
  await page.getByText("m/44'/60'/0'/4").waitFor();
  await page.getByLabel('Another account, by its number').fill('7');
  await page.keyboard.press('Enter');
  await page.getByText("m/44'/60'/0'/7").waitFor();
  await press(page, 'Compare the address');
  await page.getByText('Signs as').waitFor();
  expect(await told(page)).toEqual([{ account: wanted }]);
});

test('what is rejected on the Ledger, or not allowed there, changes nothing and can be tried again', async () => {
  device.isBlindSigningOn = false;
  const page = await open({ purpose: 'transaction', message: undefined });
  await press(page, 'Connect a Ledger');
  device.owner = () => false;
  await press(page, 'Compare the address');
  const alert = page.getByRole('alert');
  await alert.getByText('You rejected this on the Ledger').waitFor();
  expect(await told(page)).toEqual([]);
  device.owner = () => true;
  await press(page, 'Try again');
  await page.getByText('It can be signed here once the transaction is prepared').waitFor();
  await page.evaluate((unsigned) => void Object.assign(window.signer, { unsigned }), UNSIGNED);

  await press(page, 'Sign the transaction on the Ledger');
  await alert.getByText('switch on “Blind signing”').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await picture(page, 'blind-signing');
  device.isBlindSigningOn = true;
  device.owner = () => false;
  await press(page, 'Try again');
  await alert.getByText('Nothing was signed, sent or changed').waitFor();
  expect(await told(page)).toHaveLength(1);
  device.owner = () => true;
  await press(page, 'Try again');
  await page.getByText('Signed on the Ledger').waitFor();
  const signature = (await told(page))[1]!.signed!.signature;
  const transaction = Transaction.from(UNSIGNED);
  transaction.signature = signature;
  expect(transaction.from).toBe(device.addressAt("m/44'/60'/0'/0/0"));
});

test('a Ledger that is unplugged while it signs is connected again, and no error was shown', async () => {
  const page = await open();
  await press(page, 'Connect a Ledger');
  await press(page, 'Compare the address');
  await page.getByText('Signs as').waitFor();
  device.owner = () => {
    device.isPlugged = false;
    return true;
  };
  await press(page, 'Sign the message on the Ledger');
  await page.getByRole('alert').getByText('The Ledger was unplugged').waitFor();
  await picture(page, 'unplugged');
  expect(await told(page)).toHaveLength(1);
  await press(page, 'Connect it again');
  await page.getByRole('alert').getByText('No Ledger was chosen').waitFor();
  device.isPlugged = true;
  device.owner = () => true;
  await press(page, 'Connect it again');
  await press(page, 'Compare the address');
  await press(page, 'Sign the message on the Ledger');
  await page.getByText('Signed on the Ledger').waitFor();
});

test('a browser without WebHID says where it works', async () => {
  const page = await browser().open('about:blank');
  await page.addInitScript(`Object.defineProperty(navigator, 'hid', { value: undefined })`);
  await page.goto(url);
  await press(page, 'Connect a Ledger');
  await page.getByRole('alert').getByText('Open the console in the desktop application').waitFor();
});
