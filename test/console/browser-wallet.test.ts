import { join } from 'node:path';
import { Contract, HDNodeWallet, toQuantity } from 'ethers';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type PageWallet, createPageWallet, installWallet } from '../support/injected-wallet.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const ETHER = 10n ** 18n;

/** A red square, with code that would take over the page if the page took it for markup. */
const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='96' height='96' onload='window.hacked=1'><script>window.hacked=1</script><rect width='96' height='96' fill='red'/></svg>";
const HOSTILE_NAME = `<img src=x onerror="window.hacked=1">\u202e Wallet`;
const INFO = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Example Wallet', icon: ICON, rdns: 'com.example' };

/** A wallet with some money on the chain of the tests. */
const richWallet = async (): Promise<PageWallet> => {
  const { provider, chainId } = world().chain;
  const account = HDNodeWallet.createRandom().connect(provider);
  await provider.send('anvil_setBalance', [account.address, toQuantity(10n * ETHER)]);
  return createPageWallet(account, chainId);
};

const open = async (
  { paymasterId }: SponsoredDapp,
  view: Parameters<ReturnType<typeof browser>['open']>[1],
  ...install: ((page: Page) => Promise<void>)[]
): Promise<Page> => {
  const { engine } = world();
  const page = await browser().open('about:blank', view);
  for (const one of install) await one(page);
  await page.goto(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), `#/gas-tank?dapp=${paymasterId}`);
  return page;
};

const look = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(artifacts, `browser-wallet-${name}.png`), fullPage: true });
  expect(await seriousErrors(page), name).toEqual([]);
};

const connect = async (dialog: Locator, name = 'Example Wallet'): Promise<void> => {
  await dialog.getByText(name).click();
  await dialog.getByRole('button', { name: 'Connect this wallet' }).click();
  await dialog.getByText(/^0x/).first().waitFor();
};

const reviewDeposit = async (page: Page, dialog: Locator): Promise<void> => {
  await page.getByRole('button', { name: 'Deposit', exact: true }).click();
  await dialog.getByLabel('Amount').fill('1.5');
  await connect(dialog);
  await dialog.getByRole('button', { name: 'Review transaction' }).click();
  await dialog.getByText('Maximum fee').waitFor();
};

const sign = (dialog: Locator) => dialog.getByRole('button', { name: 'Sign with this wallet' });
const tankOf = (wallet: string): Promise<bigint> =>
  new Contract(
    world().paymaster,
    ['function getBalance(address) view returns (uint256)'],
    world().chain.provider,
  ).getFunction('getBalance')(wallet) as Promise<bigint>;
const methods = ({ asked }: PageWallet): string[] => asked.map(({ method }) => method);

test('a wallet in the browser proves a funding wallet and fills its tank, on a chain that is new to it', async () => {
  const dapp = await world().engine.dapp({});
  const wallet = await richWallet();
  wallet.chainId = 1;
  wallet.known.clear();
  const page = await open(dapp, {}, (page) => installWallet(page, wallet, INFO));
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Set the funding wallet' }).click();
  await dialog.getByText('Signing this links your wallet').waitFor();
  const icon = dialog.locator('img.wallet-icon');
  expect(await icon.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(96);
  await connect(dialog);
  await look(page, '1-message');
  await sign(dialog).click();
  await dialog.getByText('This wallet signed').waitFor();
  await dialog.getByText(wallet.account.address).first().waitFor();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await world().engine.service.call('paymasters.list', {})).toContainEqual(
    expect.objectContaining({ paymasterId: dapp.paymasterId, fundingWallet: wallet.account.address }),
  );

  await reviewDeposit(page, dialog);
  await look(page, '2-deposit');
  await sign(dialog).click();
  await dialog.getByText('Mined', { exact: true }).waitFor();
  await look(page, '3-mined');
  expect(await tankOf(wallet.account.address)).toBe((ETHER * 3n) / 2n);
  const chains = wallet.asked.filter(({ method }) => method.startsWith('wallet_'));
  expect(chains.map(({ method }) => method)).toEqual([
    'wallet_switchEthereumChain',
    'wallet_addEthereumChain',
    'wallet_switchEthereumChain',
  ]);
  expect(chains[1]?.params[0]).toMatchObject({ chainId: '0x7a69', rpcUrls: [world().chain.url] });
  expect(await world().engine.service.call('transactions.list', {})).toContainEqual(
    expect.objectContaining({ paymasterId: dapp.paymasterId, state: 'mined', outcome: 'The deposit is in the tank.' }),
  );
});

test('a wallet that says no, is busy, on another chain or another account sends nothing, and says so', async () => {
  const dapp = await world().engine.dapp({ fundingWallet: HDNodeWallet.createRandom() });
  const wallet = await richWallet();
  const page = await open(dapp, { width: 800, colorScheme: 'dark' }, (page) => installWallet(page, wallet, INFO));
  const dialog = page.getByRole('dialog');
  await reviewDeposit(page, dialog);
  const expectError = async (words: RegExp, behave: PageWallet['behave']): Promise<void> => {
    wallet.behave = behave;
    await sign(dialog).click();
    await dialog.getByText(words).waitFor();
    expect(await tankOf(dapp.fundingWallet)).toBe(0n);
  };
  const failing =
    (name: string, code: number): PageWallet['behave'] =>
    ({ method }) =>
      method === name ? { code, message: 'No.' } : undefined;
  await expectError(/You rejected this in the wallet/, failing('eth_sendTransaction', 4001));
  await look(page, '4-rejected');
  await expectError(/still waiting for your answer to an earlier request/, failing('eth_sendTransaction', -32002));
  await expectError(/does not give this page access/, failing('eth_accounts', 4100));
  wallet.chainId = 1;
  await expectError(/You rejected this in the wallet/, failing('wallet_switchEthereumChain', 4001));
  await expectError(/The wallet is on another chain. Switch it to .*31337/, ({ method }) => {
    if (method === 'wallet_switchEthereumChain') wallet.known.add(31337);
    if (method === 'eth_chainId') wallet.chainId = 1;
    return undefined;
  });
  await look(page, '5-other-chain');
  wallet.chainId = 31337;
  const { account } = wallet;
  Object.assign(wallet, { account: HDNodeWallet.createRandom() });
  await expectError(/no longer lets this page use 0x/, () => undefined);
  Object.assign(wallet, { account });
  expect(methods(wallet).filter((method) => method === 'eth_sendTransaction')).toHaveLength(2);
  // What was refused may still be sent, once.
  await sign(dialog).click();
  await dialog.getByText('Mined', { exact: true }).waitFor();
  // It pays into the tank of the funding wallet, no matter who pays.
  expect(await tankOf(dapp.fundingWallet)).toBe((ETHER * 3n) / 2n);
});

test('what a wallet calls itself is text, and an icon from elsewhere is not loaded', async () => {
  const dapp = await world().engine.dapp({});
  const wallet = await richWallet();
  const info = { ...INFO, name: HOSTILE_NAME, icon: 'https://wallet.example/icon.png' };
  const page = await open(dapp, { width: 400 }, (page) => installWallet(page, wallet, info));
  await page.getByRole('button', { name: 'Set the funding wallet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('<img src=x onerror="window.hacked=1">').waitFor();
  expect(await dialog.locator('.sign-with img').count()).toBe(0);
  const other = HDNodeWallet.createRandom();
  wallet.account.signMessage = (message) => other.signMessage(message);
  await connect(dialog, '<img src=x');
  await sign(dialog).click();
  await dialog.getByText('Gasdesk asked the wallet to sign as').waitFor();
  await look(page, '6-hostile');
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(browser().errors).toEqual([]);
});

test('where no wallet announces itself, none is offered', async () => {
  const page = await open(await world().engine.dapp({}), {});
  await page.getByRole('button', { name: 'Set the funding wallet' }).click();
  const signers = page.getByRole('dialog').getByRole('radio');
  await signers.first().waitFor({ state: 'attached' });
  expect(await signers.count()).toBe(4);
});
