import { join } from 'node:path';
import { dataSlice } from 'ethers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { decidingRules } from '../../src/core/decision/rule-words.ts';
import { finishOperation, simpleAccount, submitOperation } from '../../src/demo/simple-account.ts';
import { devWallet } from '../../src/demo/world-contracts.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { startReceiver, verify } from '../support/webhook-receiver.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const picture = (page: Page, name: string) => page.screenshot({ path: join(artifacts, `console-place-${name}.png`) });

const go = (page: Page, address: string) => page.evaluate((hash) => (window.location.hash = hash), address);
const open = async (address: string, view = {}): Promise<Page> => {
  const { url, operatorToken } = world().engine;
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`, view);
  await page.getByText('Engine running').waitFor();
  await go(page, address);
  return page;
};
const call = (method: 'mint' | 'burn') => operation({ to: world().contracts.gameItems, data: gameCall(method) });
const day = { value: 1, unit: 'day' };
const limit = (dapp: SponsoredDapp, threshold: string) => {
  const policyData = { type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold, cycleDuration: day };
  const rule = { name: 'A few a day', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  return world().engine.service.call('rules.create', { paymasterId: dapp.paymasterId, rule });
};

test('the policy stands in the order in which every trace decides, with its live numbers', async () => {
  const { service } = world().engine;
  const dapp = await world().dapp(10n * RESERVED_WEI);
  const { paymasterId } = dapp;
  await world().registerGameItems(dapp);
  await limit(dapp, '2');
  await service.call('rules.create', {
    paymasterId,
    rule: { name: 'New accounts', policyType: 'WALLET_DEPLOYMENT', policyData: {} },
  });
  const receiver = await startReceiver(verify);
  await service.call('webhooks.create', { paymasterId, webhookUrl: `${receiver.url}/ask`, requestType: 'POST' });
  await service.call('chains.set', { chainId: 31337, breaker: { amountWei: String(10n ** 18n), seconds: 3600 } });
  await dapp.sponsor(call('mint'));
  const [decision] = await dapp.decisions();
  expect(decision!.outcome).toBe('sponsored');

  const page = await open(`#/dapps/${paymasterId}`);
  const list = page.getByRole('list', { name: 'Policy' });
  await list.getByText('Only mint on Game Items.').waitFor();
  await list.getByText('0 of 1 denied').waitFor();
  await list.getByText('1 user in this window; the busiest has used 1 of 2 operations').waitFor();
  const order = await list
    .locator('[data-rule]')
    .evaluateAll((steps) => steps.map((step) => (step as HTMLElement).dataset['rule'] ?? ''));
  expect(order).toEqual(decidingRules);
  const traced = [...new Set(decision!.trace.map(({ rule }) => rule))].filter((rule) => order.includes(rule));
  expect(traced.length).toBeGreaterThan(6);
  expect(order.filter((rule) => traced.includes(rule))).toEqual(traced);
  expect(await seriousErrors(page)).toEqual([]);
  await picture(page, 'policy-1280-light');
  await page
    .getByRole('navigation', { name: /parts$/ })
    .getByRole('link', { name: 'Decisions' })
    .click();
  await page.getByRole('row').nth(1).getByRole('link').click();
  const life = page.getByRole('list', { name: 'What happened to it' });
  await life.getByText('Not mined yet: the maximum cost is reserved').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Decision' }).waitFor({ state: 'detached' });
  await service.call('chains.set', { chainId: 31337, breaker: null });
});

test('from a denial the keyboard alone leads to the filled-in change, and says what the policy makes of it', async () => {
  const dapp = await world().dapp(10n * RESERVED_WEI);
  await world().registerGameItems(dapp);
  await dapp.sponsor(call('burn'));
  const [decision] = await dapp.decisions();
  const before = await world().engine.service.call('system.info', {});
  const page = await open(`#/decisions/${decision!.id}`);
  const detail = page.getByRole('complementary', { name: 'Decision' });
  const way = (name: string) => page.getByRole('list', { name });
  const stations = way('The operation on its way through the rules').getByRole('listitem');
  await stations.getByText('Contracts: denies it: the operation stops here').waitFor();
  const traced = [...new Set(decision!.trace.map(({ rule }) => rule))];
  const drawn = await stations.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['station']));
  expect(drawn).toEqual([...traced, 'signed', 'mined']);
  expect(await seriousErrors(page)).toEqual([]);
  await picture(page, 'stopped-1280-light');
  const fix = detail.getByRole('button', { name: 'Add burn(uint256) to Game Items' });
  await fix.focus();
  await page.keyboard.press('Enter');

  const form = page.getByRole('complementary', { name: 'Methods of Game Items' });
  await form.getByText('Not saved yet. After saving: 2 of 2 write methods sponsored.').waitFor();
  const again = page.getByRole('region', { name: 'Decided again' });
  await again.getByText('Under the policy now: still denied.').waitFor();
  expect(await form.evaluate((panel) => panel === document.activeElement)).toBe(true);
  expect(await seriousErrors(page)).toEqual([]);
  await picture(page, 'fix-1280-light');
  await form.getByRole('button', { name: 'Save methods' }).focus();
  await page.keyboard.press('Enter');
  await again.getByText('Under the policy now: sponsored.').waitFor();
  await way('The same operation under the policy now').getByText('Contracts: passes').waitFor();
  await form.waitFor({ state: 'detached' });
  await page.getByText('Only mint, burn on Game Items.').waitFor();
  // A form that is closed leads back to what opened it.
  const edit = page.getByRole('listitem', { name: 'Game Items' }).getByRole('button', { name: 'Edit' });
  await edit.focus();
  await page.keyboard.press('Enter');
  await form.waitFor();
  await form.getByText('2 of 2 write methods sponsored.').waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  expect(await page.getByText('Not saved yet').count()).toBe(0);
  expect(await edit.evaluate((button) => button === document.activeElement)).toBe(true);
  await picture(page, 'fixed-1280-light');
  // Deciding again stores nothing.
  expect((await world().engine.service.call('system.info', {})).decisions).toBe(before.decisions);
  expect((await dapp.sponsor(call('burn'))).body.result?.reason).toBeUndefined();
  await again.getByRole('link', { name: /^Decision #/ }).click();
  await detail.getByText('Under the policy now: sponsored.').waitFor();
});

test('a limit, deployments and a pause are changed from their denials', async () => {
  const dapp = await world().dapp(10n * RESERVED_WEI);
  await world().registerGameItems(dapp);
  await limit(dapp, '1');
  await dapp.sponsor(call('mint'));
  await dapp.sponsor(call('mint'));
  const page = await open(`#/decisions/${(await dapp.decisions())[0]!.id}`);
  await page.getByRole('button', { name: 'Raise "A few a day"' }).click();
  const form = page.getByRole('complementary', { name: 'Edit A few a day' });
  await form.getByLabel('Allowed').fill('3');
  await form.getByRole('button', { name: 'Save limit' }).click();
  const again = page.getByRole('region', { name: 'Decided again' });
  await again.getByText('Under the policy now: sponsored.').waitFor();

  const { chain, contracts } = world();
  const account = await simpleAccount(contracts.accountFactory, devWallet(4, chain.provider), 9n, chain.provider);
  await dapp.sponsor({ ...call('mint'), sender: account.address, initCode: account.initCode });
  await go(page, `#/decisions/${(await dapp.decisions())[0]!.id}`);
  await page.getByRole('button', { name: 'Sponsor deployments' }).click();
  const deployments = page.getByRole('complementary', { name: 'Sponsor deployments' });
  await deployments.getByRole('button', { name: 'Add rule' }).click();
  await deployments.waitFor({ state: 'detached' });
  await again.getByText('Under the policy now: sponsored.').waitFor();

  await world().engine.service.call('paymasters.pause', { paymasterId: dapp.paymasterId });
  await dapp.sponsor(call('mint'));
  await go(page, `#/decisions/${(await dapp.decisions())[0]!.id}`);
  await page
    .getByRole('button', { name: /^Resume DApp \d+$/ })
    .last()
    .click();
  const pause = page.locator('[data-rule="pause"]');
  await pause.getByText('has been paused since').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent.trim())).toBe('Resume');
  await page.keyboard.press('Enter');
  await again.getByText('Under the policy now: no rule denies it.').waitFor();
  await pause.getByText('Sponsorship is not paused.').waitFor();
});

test('an empty tank leads to its deposit, with what is missing filled in', async () => {
  const dapp = await world().dapp(0n);
  await dapp.sponsor(call('mint'));
  const page = await open(`#/decisions/${(await dapp.decisions())[0]!.id}`);
  await page.getByRole('button', { name: 'Top up the gas tank' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deposit' });
  await dialog.waitFor();
  expect(await dialog.getByLabel('Amount').inputValue()).toBe('0.001772');
});

test('a DApp waits for its first operation, and says by itself when it is there', async () => {
  const dapp = await world().dapp(10n * RESERVED_WEI);
  const page = await open(`#/dapps/${dapp.paymasterId}/connect`);
  await page.getByText('Waiting for the first operation…').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await picture(page, 'waiting-1280-light');
  await dapp.sponsor(call('mint'));
  await page.getByText('Receiving operations').waitFor();
  expect(await page.getByText('Waiting for the first operation…').count()).toBe(0);
  await page.getByRole('link', { name: 'see why' }).click();
  await page.getByRole('complementary', { name: 'Decision' }).getByText('Not mined yet').waitFor();
});

test('a sponsored decision shows its life: signed, mined in a transaction, settled at its actual cost', async () => {
  const { chain, contracts, operator, clock } = world();
  const dapp = await world().dapp(10n ** 18n);
  const account = await simpleAccount(contracts.accountFactory, devWallet(3, chain.provider), 7n, chain.provider);
  const deployment = { to: contracts.accountFactory, data: dataSlice(account.initCode, 20) };
  await (await operator.sendTransaction(deployment)).wait();
  const partial = call('mint');
  const typed = { ...partial, sender: account.address } as Record<string, string>;
  const { body } = await dapp.sponsor(typed);
  const onChain = { chainId: chain.chainId, entryPoint: contracts.entryPoint };
  const op = await finishOperation(account, typed, body.result!, onChain);
  const { transactionHash } = await submitOperation(op, contracts.entryPoint, operator);
  while ((await dapp.decisions())[0]?.settlement !== 'settled') {
    await chain.provider.send('anvil_mine', ['0x8']);
    await clock.advance(15_000);
  }
  const page = await open(`#/decisions/${(await dapp.decisions())[0]!.id}`);
  const life = page.getByRole('list', { name: 'What happened to it' });
  await life.getByText('Signed').waitFor();
  await life.getByText('Mined in block').waitFor();
  await life.getByText(transactionHash).waitFor({ state: 'attached' });
  await life.getByText('Settled at').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await picture(page, 'life-1280-light');
});

test('old addresses lead to what has taken their place', async () => {
  const dapp = await world().dapp(0n);
  const { paymasterId } = dapp;
  const page = await open(`#/rules?dapp=${paymasterId}`);
  const leadsTo = async (from: string, to: string): Promise<void> => {
    await go(page, from);
    await expect.poll(() => new URL(page.url()).hash).toBe(to);
  };
  await leadsTo(`#/contracts?dapp=${paymasterId}`, `#/dapps/${paymasterId}`);
  await leadsTo('#/', '#/');
  // Without a name, the DApp that was looked at last.
  await leadsTo('#/rules', `#/dapps/${paymasterId}`);
  await leadsTo('#/webhooks', `#/dapps/${paymasterId}/webhooks`);
  await leadsTo(`#/gas-tank?dapp=${paymasterId}`, `#/dapps/${paymasterId}/tank`);
  await leadsTo('#/paymasters', '#/dapps');
  await leadsTo(`#/paymasters?dapp=${paymasterId}`, `#/dapps/${paymasterId}`);
  await leadsTo('#/log', '#/activity/service');
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await go(page, '#/dapps/nobody');
  await page.getByText('No DApp has this address').waitFor();
});

test.each([1280, 400])(
  'in a window of %i px, the tabs of a DApp stay where they are while its worst hour is computed',
  async (width) => {
    const dapp = await world().dapp(10n * RESERVED_WEI);
    const page = await open('#/activity', { width });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/console/call', async (route) => {
      if (route.request().postData()?.includes('policies.worstCase') === true) await released;
      await route.continue();
    });
    await go(page, `#/dapps/${dapp.paymasterId}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('Last 24 hours:').waitFor();
    const top = () =>
      page.getByRole('navigation', { name: /parts$/ }).evaluate((tabs) => tabs.getBoundingClientRect().top);
    const before = await top();
    release();
    await page.getByText('an hour with this key').waitFor();
    expect(await top()).toBe(before);
  },
);

test('a policy and its form fit a narrow window, in both themes', async () => {
  const dapp = await world().dapp(0n);
  await world().registerGameItems(dapp);
  await limit(dapp, '5');
  for (const [width, colorScheme] of [
    [800, 'dark'],
    [400, 'light'],
    [400, 'dark'],
  ] as const) {
    const page = await open(`#/dapps/${dapp.paymasterId}?form=spendingLimit&of=A+few+a+day`, {
      width,
      height: 860,
      colorScheme,
    });
    await page.getByRole('complementary', { name: 'Edit A few a day' }).getByLabel('Allowed').waitFor();
    await picture(page, `form-${width}-${colorScheme}`);
    expect(await seriousErrors(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'Edit A few a day' }).waitFor({ state: 'detached' });
    await page.getByRole('main').evaluate((main) => main.scrollTo({ top: 0 }));
    await picture(page, `policy-${width}-${colorScheme}`);
    for (const tab of ['tank', 'connect', 'decisions', 'webhooks']) {
      await go(page, `#/dapps/${dapp.paymasterId}/${tab}`);
      await page.getByRole('heading', { level: 2 }).or(page.getByRole('button')).first().waitFor();
      await picture(page, `${tab}-${width}-${colorScheme}`);
      const wider = await page.evaluate(() => {
        const main = document.querySelector('main')!;
        return main.scrollWidth - main.clientWidth;
      });
      expect([tab, width, wider]).toEqual([tab, width, 0]);
      expect(await seriousErrors(page)).toEqual([]);
    }
  }
});
