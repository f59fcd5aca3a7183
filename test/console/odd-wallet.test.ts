import { join } from 'node:path';
import { type HDNodeWallet, toQuantity } from 'ethers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ProcedureInput } from '../../src/api/index.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useFakeWallet } from '../support/fake-wallet.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const fake = useFakeWallet();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const ETHER = 10n ** 18n;

/** A DApp whose funding wallet can pay. */
const richDapp = async (tankWei: bigint): Promise<{ paymasterId: string; wallet: HDNodeWallet }> => {
  const dapp = await world().dapp(tankWei);
  await world().chain.provider.send('anvil_setBalance', [dapp.fundingWallet, toQuantity(ETHER)]);
  return { paymasterId: dapp.paymasterId, wallet: world().walletOf(dapp)! };
};

/** Has the wallet send what is drafted; whatever that is, it answers with this hash. */
const sendBy = async (
  action: ProcedureInput<'transactions.prepare'>['action'],
  from: HDNodeWallet,
  result: string,
): Promise<void> => {
  const { service } = world().engine;
  const address = from.address as Address;
  fake().behave(({ method }) => ({ result: method === 'eth_chainId' ? '0x7a69' : result }));
  const { draftId } = await service.call('transactions.prepare', { action, from: address });
  const signed = { key: { kind: 'wallet', url: fake().url, address } } as const;
  await service.call('transactions.send', { draftId, signed });
};

const open = async (paymasterId: string, width: number, colorScheme: 'light' | 'dark'): Promise<Page> => {
  const { engine } = world();
  const page = await browser().open('about:blank', { width, colorScheme });
  await page.goto(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), `#/dapps/${paymasterId}/tank`);
  return page;
};

const look = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(artifacts, `odd-wallet-${name}.png`), fullPage: true });
  expect(await seriousErrors(page), name).toEqual([]);
};

/** The newest one. */
const newest = (page: Page) => page.getByRole('region', { name: 'Transactions' }).getByRole('listitem').first();

test('money that a wallet sent elsewhere is an error, and no deposit', async () => {
  const { paymasterId, wallet } = await richDapp(0n);
  const elsewhere = `0x${'47'.repeat(20)}`;
  const { hash } = await wallet.sendTransaction({ to: elsewhere, value: ETHER / 20n });
  await sendBy({ kind: 'deposit', paymasterId, amountWei: String(ETHER / 20n) }, wallet, hash);
  const page = await open(paymasterId, 1280, 'light');
  const status = newest(page).locator('.state');
  await status.getByText('A different transaction was sent').waitFor();
  expect(await status.getAttribute('class')).not.toContain('mined');
  expect(await newest(page).locator('p').first().innerText()).toContain(`It sends 0.05 ETH to ${elsewhere}`);
  await look(page, '1-elsewhere');
});

test('a withdrawal under a hash that no chain has blocks the tank until the operator has it forgotten', async () => {
  const { paymasterId, wallet } = await richDapp(ETHER);
  const action = {
    kind: 'withdraw',
    paymasterId,
    amountWei: String(ETHER / 4n),
    to: wallet.address as Address,
  } as const;
  await sendBy(action, wallet, `0x${'ab'.repeat(32)}`);
  const page = await open(paymasterId, 800, 'dark');
  const leaving = page.getByText('Pending withdrawals', { exact: true });
  await leaving.waitFor();
  await look(page, '2-on-its-way-out');
  await newest(page).getByRole('button', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('What it withdraws counts as free again.').waitFor();
  await look(page, '3-forget');
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await newest(page).getByText('Removed', { exact: true }).waitFor();
  await leaving.waitFor({ state: 'detached' });
  const tank = await world().engine.service.call('tanks.get', { paymasterId });
  expect(tank).toMatchObject({ pendingWithdrawalsWei: '0', freeWei: String(ETHER) });
});
