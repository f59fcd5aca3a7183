import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';

const browser = useConsoleBrowser();
const desk = useOfflineDesk();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const ITEMS = `0x${'17'.repeat(20)}` as const;
const HOUR = 3_600_000;

let dapp: SponsoredDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
  const { paymasterId } = dapp;
  const contract = { paymasterId, name: 'Items', address: ITEMS, abi: gameItems.formatJson() };
  await desk().call('contracts.create', { ...contract, whitelistedMethods: ['mint'] });
  await desk().limit(dapp, {
    name: 'Fifty a day',
    type: 'SMART_ACCOUNT',
    hours: 24,
    thresholdType: 'COUNT',
    threshold: 50,
  });
  let nonce = 0;
  for (let quarter = 0; quarter < 24; quarter += 1) {
    const busy = 3 + ((quarter * 5) % 9);
    await Promise.all(
      Array.from({ length: busy }, (_, index) => {
        const call = { to: ITEMS, data: gameCall(index === 2 ? 'burn' : 'mint') };
        const sender = `0x${['a1', 'b2', 'c3', 'd4'][index % 4]!.repeat(20)}`;
        return dapp.sponsor(operation(call, { sender, nonce: `0x${(nonce += 1).toString(16)}` }));
      }),
    );
    await desk().clock.sleep(6 * HOUR);
  }
});

const openPolicy = async (query: string, view: Parameters<ReturnType<typeof browser>['open']>[1]): Promise<Page> => {
  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`, view);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((to) => (window.location.hash = to), `#/dapps/${dapp.paymasterId}/policy${query}`);
  return page;
};
const panelOf = (page: Page) => page.getByRole('region', { name: 'Trial on past decisions' });

test.each([
  [1280, 'light'],
  [1280, 'dark'],
  [800, 'dark'],
  [400, 'light'],
] as const)('a limit is tried while it is edited, at %i px, %s', async (width, colorScheme) => {
  const page = await openPolicy('?form=spendingLimit&of=Fifty+a+day', { width, colorScheme });
  const panel = panelOf(page);
  await panel.waitFor();
  await page.getByRole('textbox', { name: 'Allowed' }).fill('2');
  await panel.getByRole('button', { name: 'Try on the last 7 days' }).click();
  const sentence = panel.getByRole('status');
  await sentence.getByText(/of the last 7 days this would have denied \d+ operations of \d users, and saved/).waitFor();
  const chart = panel.getByRole('img', {
    name: /^Line chart over time: \d+ operations sponsored before, \d+ with the change$/,
  });
  await chart.locator('canvas').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await panel.scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(artifacts, `console-policy-trial-${width}-${colorScheme}.png`) });

  const flips = panel.getByRole('list', { name: 'Decisions that would change' });
  await flips.getByRole('button').first().click();
  const sides = page.getByRole('dialog');
  await sides
    .getByRole('region', { name: 'Original decision' })
    .getByText('Sponsored', { exact: true })
    .first()
    .waitFor();
  await sides
    .getByRole('region', { name: 'With the change' })
    .getByText(/allows 2 operations per user/)
    .waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, `console-policy-trial-flip-${width}-${colorScheme}.png`) });
  await sides.getByRole('button', { name: 'Close' }).click();

  // What is typed next is tried by itself.
  await page.getByRole('textbox', { name: 'Allowed' }).fill('50');
  await sentence.getByText('this would have changed nothing').waitFor();
  // A form that is not whole has nothing to try.
  await page.getByRole('textbox', { name: 'Allowed' }).fill('');
  expect(await panel.getByRole('button').isDisabled()).toBe(true);
});

test('what is deleted is tried before it is gone, and a trial can be cancelled', async () => {
  const page = await openPolicy('', { width: 1280, colorScheme: 'light' });
  await page.getByRole('listitem', { name: 'Items' }).getByRole('button', { name: 'Delete' }).click();
  const panel = panelOf(page);
  // A trial that finds no end: its news do not come.
  await page.route('**/console/call', async (route) => {
    const { name } = route.request().postDataJSON() as { name?: string };
    if (name !== 'policies.trial') await route.continue();
  });
  await panel.getByRole('button', { name: 'Try on the last 7 days' }).click();
  await panel.getByRole('progressbar', { name: 'Decisions tried' }).waitFor();
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await page.unroute('**/console/call');
  await panel.getByRole('button', { name: 'Try on the last 7 days' }).click();
  await panel.getByText(/this would have sponsored \d+ operations of \d users?, and cost at most/).waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-policy-trial-delete.png') });
});

test.each(['contracts', 'walletDeployment', 'webhook'])('the form of %s has a trial', async (form) => {
  const page = await openPolicy(`?form=${form}`, { width: 1280, colorScheme: 'light' });
  await panelOf(page).waitFor();
});

test('what was not read or called can be assumed, and is said apart', async () => {
  const page = await openPolicy('?form=webhook', { width: 800, colorScheme: 'light' });
  await page.getByLabel('URL', { exact: true }).fill('https://hooks.example/verify');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Try on the last 7 days' }).click();
  await panel.getByText(/[\d,]+ could not be evaluated: a webhook was not called at the time/).waitFor();
  await panel.getByText('Assume that webhooks agree').click();
  await panel
    .getByText(/^Not counted above: assuming that each webhook that was not called agreed, on [\d,]+ further decisions/)
    .waitFor();
  expect(await panel.getByText('could not be evaluated').count()).toBe(0);
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(artifacts, 'console-policy-trial-assumed-800-light.png') });
});

test("today's price is offered only if it is known; otherwise the trial says that it is not", async () => {
  const page = await openPolicy('?form=spendingLimit&of=Fifty+a+day', { width: 800, colorScheme: 'light' });
  await page.getByText('gas cost in US dollars').click();
  await page.getByRole('textbox', { name: 'Allowed' }).fill('1');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Try on the last 7 days' }).click();
  await panel
    .getByText(
      /the price of the coin was not read at the time[.] \w+ has no price today that could be assumed instead[.]$/,
    )
    .waitFor();
  expect(await panel.getByText("Use today's price").count()).toBe(0);
  await desk().call('chains.set', { chainId: 31_337, price: { source: 'static', usd: '3000' } });
  await panel.getByText("Use today's price").click();
  await panel
    .getByText(/^Not counted above: assuming that one \w+ cost \$3,?000, on [\d,]+ further decisions/)
    .waitFor();
  expect(await panel.getByText('has no price today').count()).toBe(0);
  await desk().call('chains.set', { chainId: 31_337, price: null });
});

test('nothing went wrong in any page', () => {
  expect(browser().errors.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});
