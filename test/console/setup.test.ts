import { join } from 'node:path';
import { Contract, Wallet, toQuantity } from 'ethers';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, deployEntryPoint, devWallet, fundDeposit } from '../../src/demo/world-contracts.ts';
import { canonicalContracts, canonicalCreation } from '../../src/engine/chain/canonical-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useFakeWallet } from '../support/fake-wallet.ts';
import { type TestChain, useLocalChain } from '../support/local-chain.ts';
import { gameItems } from '../support/operations.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';
import { reach } from './reach.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const PASSPHRASE = 'correct horse battery staple';
const PASSWORD = 'a password of the key';

/** An engine on an empty folder: no vault, no chain, no key. */
const emptyDesk = async (locked = true): Promise<{ engine: ServingEngine; stop: () => Promise<void> }> => {
  const dir = makeTempFolder();
  const engine = await startEngine({ dir, locked, flags: { settlementPollMs: 1_000 } });
  const stop = async (): Promise<void> => {
    await engine.stop();
    removeTempFolder(dir);
  };
  return { engine, stop };
};
const consoleUrl = ({ url, operatorToken }: ServingEngine): string => `${url}/console/#token=${operatorToken.reveal()}`;

/** A console that ends before its engine, which it would ask on. */
const openConsole = async (engine: ServingEngine): Promise<Page> => {
  const page = await browser().open(consoleUrl(engine));
  onTestFinished(() => page.close());
  return page;
};

/** What public chains have: the EntryPoint and the account factory. */
const likePublic = async ({ provider }: TestChain): Promise<void> => {
  const deployer = devWallet(0, provider);
  await deployEntryPoint(deployer);
  await (await deployer.sendTransaction(await canonicalCreation(canonicalContracts.accountFactory))).wait();
};

interface Counts {
  clicks: number;
  passwords: number;
}
declare global {
  interface Window {
    counts: Counts;
  }
}
/** Counts what the operator does, as the page hears of it. */
const count = (page: Page): Promise<void> =>
  page.evaluate(() => {
    window.counts = { clicks: 0, passwords: 0 };
    document.addEventListener('pointerdown', () => (window.counts.clicks += 1), true);
    document.addEventListener(
      'change',
      ({ target }) => {
        if (target instanceof HTMLInputElement && target.type === 'password') window.counts.passwords += 1;
      },
      true,
    );
  });

/** Pictures and errors of what is shown now, in all widths and both themes. */
const look = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [400, 800, 1280]) {
      await page.setViewportSize({ width, height: 860 });
      await page.screenshot({ path: join(artifacts, `setup-${name}-${width}-${colorScheme}.png`) });
    }
    expect(await seriousErrors(page)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
};

/** Sends the coins that the page asks for. */
const fund = async ({ provider }: TestChain, { service }: ServingEngine): Promise<void> => {
  const [key] = await service.call('keystores.list', {});
  const [dapp] = await service.call('paymasters.list', {});
  const from = key?.address ?? '0x';
  const costs = await service.call('setup.costs', { paymasterId: dapp?.paymasterId ?? '', from });
  const fees = Object.values(costs.maxFeeWei).reduce((sum, wei) => sum + BigInt(wei), 0n);
  await provider.send('anvil_setBalance', [from, toQuantity(fees + BigInt(costs.depositWei))]);
};

/** What the chain says: one operation mined with success, for which the tank of the DApp's funding wallet paid. */
const expectMined = async ({ provider }: TestChain, { service }: ServingEngine): Promise<void> => {
  const { address } = canonicalContracts.entryPoint;
  const { interface: abi } = await contractAt('EntryPoint', address, provider);
  const [dapp] = await service.call('paymasters.list', {});
  const tank = await service.call('tanks.get', { paymasterId: dapp?.paymasterId ?? '' });
  const event = abi.getEvent('UserOperationEvent')?.topicHash ?? '';
  const logs = await provider.getLogs({ address, fromBlock: 0, topics: [event] });
  const mined = logs.map((log) => abi.parseLog(log)?.args);
  expect(mined.map((args) => args?.getValue('success') as boolean)).toEqual([true]);
  expect(mined[0]?.getValue('paymaster')).toBe(tank.contract);
  const held = new Contract(tank.contract ?? '', ['function getBalance(address) view returns (uint256)'], provider);
  const balance = (await held.getFunction('getBalance')(dapp?.fundingWallet)) as bigint;
  const deposits = await service.call('transactions.list', {});
  const deposit = deposits.find(({ kind }) => kind === 'deposit');
  expect(BigInt(deposit?.valueWei ?? 0) - balance).toBeGreaterThanOrEqual(
    mined[0]?.getValue('actualGasCost') as bigint,
  );
};

/** That set-up proposes enough for the tank: it covers twenty operations at their maximum, so nothing is notified. */
const expectNoAlarm = async ({ service }: ServingEngine): Promise<void> => {
  const [dapp] = await service.call('paymasters.list', {});
  const [decision] = await service.call('decisions.list', {});
  const tank = await service.call('tanks.get', { paymasterId: dapp?.paymasterId ?? '' });
  expect(tank.level).toBe('good');
  expect(BigInt(tank.balanceWei ?? 0)).toBeGreaterThanOrEqual(20n * BigInt(decision?.maxCostWei ?? 0));
  expect(await service.call('notifications.list', { limit: 10 })).toEqual({ unseen: 0, notifications: [] });
};

describe('on a chain as public ones are', () => {
  const chain = useLocalChain();

  test('an empty folder comes to a mined operation in 15 clicks and two passwords at most', async ({
    onTestFinished,
  }) => {
    await likePublic(chain());
    const { engine, stop } = await emptyDesk();
    onTestFinished(stop);
    const errors = browser().errors.length;
    const page = await openConsole(engine);
    await page.getByText('Engine running').waitFor();
    await count(page);
    const type = async (label: string, text: string): Promise<void> => {
      await page.getByLabel(label, { exact: true }).click();
      await page.keyboard.type(text);
    };
    const press = (name: string): Promise<void> => page.getByRole('button', { name }).click();

    await type('Passphrase', PASSPHRASE);
    await look(page, '1-vault');
    await press('Create the vault');
    // A node that is none, first: the error names the button.
    await type('URL of the node', 'http://127.0.0.1:1');
    await press('Save the node');
    await page.getByText('No node answers at this URL. Check it, and save again.').waitFor();
    await look(page, '2-chain');
    await type('URL of the node', '');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(chain().url);
    await press('Save the node');
    await page
      .getByLabel('Version of the paymaster contract')
      .or(page.getByText('The DApp gets an API key'))
      .first()
      .waitFor();
    await look(page, '3-dapp');
    await type('Name', 'Game Items');
    await press('Register the DApp');
    await type('Password', PASSWORD);
    await press('Create the key');
    await page.getByText('Waiting for the funds…').waitFor();
    await look(page, '4-wallet');
    await fund(chain(), engine);
    await page.getByRole('button', { name: 'Deploy, verify and deposit' }).waitFor();
    await page.getByText('a fee of at most').first().waitFor();
    await look(page, '5-tank');
    await press('Deploy, verify and deposit');
    await page.getByRole('button', { name: 'Send a test operation' }).waitFor();
    await look(page, '7-try');
    await press('Send a test operation');
    await page.getByText('Everything works.').waitFor();
    await page.getByText('Settled').waitFor();
    await look(page, '8-done');

    const { clicks, passwords } = await page.evaluate(() => window.counts);
    console.log(`The setup took ${clicks} clicks and ${passwords} password entries.`);
    expect(clicks).toBeLessThanOrEqual(15);
    expect(passwords).toBe(2);
    await expectMined(chain(), engine);
    await expectNoAlarm(engine);
    expect(await page.getByRole('button', { name: 'Notifications', exact: true }).count()).toBe(1);
    expect(browser().errors.slice(errors)).toEqual([]);
    await page.getByRole('link', { name: 'See the decision' }).click();
    await page.getByRole('complementary', { name: 'Decision' }).getByText('Settled').waitFor();
  });
});

describe('on a chain without contracts', () => {
  const chain = useLocalChain();

  test('the keyboard alone suffices, with the local node on one press', async () => {
    const { engine, stop } = await emptyDesk();
    onTestFinished(stop);
    const page = await openConsole(engine);
    // The port of local nodes may be anyone's here: the chain of the test stands in for it.
    await page.route('**/console/call', (route) =>
      route.continue({ postData: (route.request().postData() ?? '').replace('http://127.0.0.1:8545', chain().url) }),
    );
    await page.getByText('Engine running').waitFor();
    await count(page);
    const press = async (name: string, key = 'Enter'): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).waitFor();
      await reach(page, name);
      await page.keyboard.press(key);
    };
    const type = async (label: string, text: string): Promise<void> => {
      await page.getByLabel(label, { exact: true }).waitFor();
      await reach(page, label);
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    await type('Passphrase', PASSPHRASE);
    await press('Use the local node: Local chain (31337)');
    await type('Name', 'Game Items');
    await type('Password', PASSWORD);
    await page.getByText('Waiting for the funds…').waitFor();
    await fund(chain(), engine);
    const plan = page.getByRole('list').filter({ hasText: 'Verify the funding wallet' }).last().getByRole('listitem');
    await expect.poll(() => plan.count()).toBe(4);
    // Steps to come look neither done nor as if they could be opened, and stay in the list once they are done.
    expect(await plan.locator('svg.lucide-circle-dashed').count()).toBe(4);
    await chain().provider.send('evm_setAutomine', [false]);
    await press('Deploy, verify and deposit', 'Space');
    await page.getByText('Pending').waitFor();
    await chain().provider.send('anvil_mine', ['0x1']);
    await plan.getByText('Deploy the EntryPoint, which this chain lacks, done').waitFor();
    expect(await plan.count()).toBe(4);
    await chain().provider.send('evm_setAutomine', [true]);
    await chain().provider.send('anvil_mine', ['0x1']);
    await page.getByText('This chain has no factory').waitFor();
    await press('Send a test operation');
    await page.getByText('Everything works.').waitFor();
    expect(await page.evaluate(() => window.counts)).toEqual({ clicks: 0, passwords: 2 });
    await expectMined(chain(), engine);
  });
});

describe('a setup that is begun', () => {
  const chain = useLocalChain();

  test('continues after a reload, in another window, and if new accounts are not sponsored', async ({
    onTestFinished,
  }) => {
    await likePublic(chain());
    const { engine, stop } = await emptyDesk(false);
    onTestFinished(stop);
    const { service } = engine;
    const { chainId, url } = chain();
    await service.call('chains.set', { chainId, rpc: url });
    await service.call('signers.create', { chainId });
    const { paymasterId } = await engine.dapp({ chainId });
    await service.call('keystores.create', { label: 'Treasury', password: PASSWORD });
    const items = { name: 'Items', address: Wallet.createRandom().address as Address, abi: gameItems.formatJson() };
    await service.call('contracts.create', { paymasterId, ...items, whitelistedMethods: ['mint'] });
    await fund(chain(), engine);

    const page = await openConsole(engine);
    const go = page.getByRole('button', { name: 'Deploy, verify and deposit' });
    const password = page.getByLabel('Password of the local key');
    // The policy may wait, and may be begun here: it keeps no one from the next step.
    await page.getByRole('button', { name: '6. Policy' }).click();
    await page.getByRole('button', { name: 'Add contract' }).waitFor();
    await page.getByRole('button', { name: 'Add limit' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Five a day');
    await page.getByRole('textbox', { name: 'Allowed' }).fill('5');
    await look(page, '6-policy');
    await page.getByRole('complementary').getByRole('button', { name: 'Add limit' }).click();
    await page.getByRole('button', { name: 'Add contract' }).waitFor();
    await page.getByText('Has rules').waitFor();
    expect(await service.call('rules.list', { paymasterId })).toHaveLength(2);
    await page.getByRole('button', { name: '5. Contract and gas tank' }).click();
    await password.fill('not the password');
    await go.click();
    await page.getByText('The password is wrong.').waitFor();
    await password.fill(PASSWORD);
    // What is sent waits for a block while the page is loaded again.
    await chain().provider.send('evm_setAutomine', [false]);
    await go.click();
    await page.getByText('Pending').waitFor();
    await page.reload();
    await page.getByText('Pending').waitFor();
    await password.fill(PASSWORD);
    await go.click();
    await chain().provider.send('evm_setAutomine', [true]);
    await chain().provider.send('anvil_mine', ['0x1']);
    await page.getByRole('button', { name: 'Send a test operation' }).waitFor();
    const sent = await service.call('transactions.list', {});
    expect(sent.map(({ kind }) => kind)).toEqual(['deposit', 'deploy']);

    const second = await openConsole(engine);
    await second.getByRole('button', { name: 'Send a test operation' }).waitFor();
    await page.getByRole('button', { name: 'Send a test operation' }).click();
    await page.getByRole('alert').getByText('which this DApp does not sponsor').waitFor();
    await page.getByRole('button', { name: 'Sponsor new accounts, and send again' }).click();
    await page.getByText('Everything works.').waitFor();
    await expectMined(chain(), engine);
  });
});

describe('with a contract whose deposit all DApps share, as gasdesk dev deploys it', () => {
  const chain = useLocalChain();

  test('no funding wallet is asked for', async () => {
    const version = 'singleton-0.7';
    const { chainId, url, provider } = chain();
    const owner = devWallet(0, provider);
    const entryPoint = await deployEntryPoint(owner, '0.7');
    const { engine, stop } = await emptyDesk(false);
    onTestFinished(stop);
    const { service } = engine;
    await service.call('chains.set', { chainId, rpc: url });
    await service.call('signers.create', { chainId });
    const contract = await attachNewContract(service, owner, { chainId, version });
    await fundDeposit(entryPoint, contract, 10n ** 18n, owner);
    await engine.dapp({ chainId, version });
    const page = await openConsole(engine);
    await page.getByText("The console's own test operation is for EntryPoint 0.6").waitFor();
    await look(page, 'shared');
    const step = page.getByRole('button', { name: '4. Funding wallet' });
    expect(await step.textContent()).toContain('4. Funding wallet, done');
    await step.click();
    await page.getByText('Not needed: the contract is deployed, and its gas tank is filled.').waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
  });
});

describe('with a wallet on this machine', () => {
  const chain = useLocalChain();
  const wallet = useFakeWallet();

  test('the wallet is asked for every signature, and no password is', async () => {
    await likePublic(chain());
    const { engine, stop } = await emptyDesk(false);
    onTestFinished(stop);
    const { service } = engine;
    const { chainId, url, provider } = chain();
    await service.call('chains.set', { chainId, rpc: url });
    await service.call('signers.create', { chainId });
    await engine.dapp({ chainId });
    const page = await openConsole(engine);
    await page.getByText('Engine running').waitFor();
    await page.evaluate(() => (window.location.hash = '#/setup'));
    await page.getByText('Each step tests itself').waitFor();
    await count(page);
    const ask = async (): Promise<void> => {
      await page.getByLabel('URL of the wallet').fill(wallet().url);
      await page.getByRole('button', { name: 'Ask for its accounts' }).click();
    };
    const sign = (): Promise<void> => page.getByRole('button', { name: 'Sign with this wallet' }).click();
    await page.getByText('A wallet or device').click();
    await ask();
    await page.getByText('Waiting for the funds…').waitFor();
    await provider.send('anvil_setBalance', [wallet().account.address, toQuantity(10n ** 18n)]);
    const go = page.getByRole('button', { name: 'Deploy, verify and deposit' });
    await go.waitFor();
    await ask();
    await go.click();
    // The contract, the funding message, the deposit.
    for (const [asked, what] of ['account_signTransaction', 'account_signData', 'account_signTransaction'].entries()) {
      await sign();
      await expect
        .poll(() => wallet().asked.filter(({ method }) => method.startsWith('account_sign')).length)
        .toBe(asked + 1);
      expect(wallet().asked.at(-1)?.method).toBe(what);
    }
    const send = page.getByRole('button', { name: 'Send a test operation' });
    await send.waitFor();
    await ask();
    await send.click();
    await sign();
    await page.getByText('Everything works.').waitFor();
    expect((await page.evaluate(() => window.counts)).passwords).toBe(0);
    await expectMined(chain(), engine);
  });
});
