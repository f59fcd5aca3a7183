import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';

const browser = useConsoleBrowser();
const desk = useOfflineDesk();
const ITEMS = `0x${'17'.repeat(20)}` as const;

let dapp: SponsoredDapp;
let shop: SponsoredDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
  shop = await desk().dapp();
  const contract = { paymasterId: shop.paymasterId, name: 'Items', address: ITEMS, abi: gameItems.formatJson() };
  await desk().call('contracts.create', { ...contract, whitelistedMethods: ['mint', 'burn'] });
  for (const policyId of ['summer', 'summer', 'winter', undefined]) {
    const op = operation({ to: ITEMS, data: gameCall('mint') });
    await dapp.sponsor(op, policyId === undefined ? {} : { policyId });
  }
  // A trial looks at what is past.
  await desk().clock.advance(3_600_000);
});

const openPolicy = async ({ paymasterId }: SponsoredDapp): Promise<Page> => {
  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((to) => (window.location.hash = to), `#/dapps/${paymasterId}`);
  return page;
};
const formOf = (page: Page) => page.getByRole('complementary', { name: 'Start from a template' });

const look = async (page: Page, name: string): Promise<void> => {
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [800, 'light'],
    [800, 'dark'],
    [400, 'light'],
    [400, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 1700 });
    await formOf(page).evaluateAll(([form]) => form?.scrollIntoView({ block: 'start' }));
    await page.emulateMedia({ colorScheme });
    // Colours move for a moment.
    await expect.poll(() => seriousErrors(page)).toEqual([]);
    const path = join(import.meta.dirname, `../../test-artifacts/console-template-${name}-${width}-${colorScheme}.png`);
    await page.screenshot({ path });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
};

test('a campaign is filled in by keyboard, read, tried on the past, and made in one step', async () => {
  const page = await openPolicy(dapp);
  await page.getByText('No rules yet').waitFor();
  await page.getByRole('button', { name: 'Start from a template' }).press('Enter');
  const form = formOf(page);
  const name = form.getByRole('textbox', { name: 'Name' });
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
  const save = form.getByRole('button', { name: 'Add to the policy' });
  expect(await save.isDisabled()).toBe(true);
  await form.getByText('Fill in the fields to read it.').waitFor();
  await page.keyboard.type('Summer');
  await page.keyboard.press('Tab');
  await page.keyboard.type('summer');
  await form.getByRole('textbox', { name: 'Total budget' }).fill('-5');
  await form.getByText(/^It must be a positive amount such as 0\.5/).waitFor();
  await form.getByRole('textbox', { name: 'Total budget' }).fill('500');
  await form.getByRole('textbox', { name: 'Operations per user (optional)' }).fill('1');
  const does = form.getByRole('region', { name: 'What it does', exact: true });
  await does.getByText('Summer: budget: All users together may have gas for $500 sponsored in total.').waitFor();
  await form.getByText('has no price of').waitFor();
  await form.getByRole('link', { name: 'Open chain settings' }).waitFor();
  await form.getByRole('region', { name: 'Remaining risks' }).getByText('Accounts are free').waitFor();
  await look(page, 'campaign');

  await form.getByText('native coin').click();
  await form.getByText('has no price of').waitFor({ state: 'detached' });
  const only = form.getByRole('checkbox', { name: 'Sponsor only operations of this campaign' });
  await only.press('Space');
  await form.getByText('Only your other rules and the gas tank limit anyone who leaves out the id').waitFor();
  await only.press('Space');
  await does.getByText('Summer: no others').waitFor();
  const until = form.getByLabel('Until (optional)');
  await until.fill('2020-01-01T00:00');
  await form.getByLabel('From (optional)').fill('2020-01-02T00:00');
  await form.getByText('It must be after the start.').waitFor();
  await form.getByLabel('From (optional)').fill('');
  await form.getByText(/^It ends the campaign at .*, which is in the past\. Choose a later time/).waitFor();
  await until.fill('');
  const trial = page.getByRole('region', { name: 'Trial on past decisions' });
  await trial.getByRole('button', { name: 'Try on the last 7 days' }).click();
  await trial.getByText('this would have denied').waitFor();
  await look(page, 'tried');
  await save.press('Enter');

  const item = page.getByRole('listitem', { name: 'Summer: budget' });
  await item.getByText('sponsored in total.').waitFor();
  await page.getByRole('listitem', { name: 'Summer: operations per user' }).waitFor();
  await form.waitFor({ state: 'detached' });
  await look(page, 'made');
  const op = operation({ to: ITEMS, data: gameCall('mint') }, { sender: `0x${'d7'.repeat(20)}` });
  const { body } = await dapp.sponsor(op, { policyId: 'summer' });
  expect(body.result?.reason).toBe(undefined);
  const again = operation({ to: ITEMS, data: gameCall('mint') }, { sender: `0x${'d7'.repeat(20)}`, nonce: '0x1' });
  expect((await dapp.sponsor(again, { policyId: 'summer' })).body.result?.reason?.code).toBe('LIMIT_REACHED');
});

test('one method of one contract is chosen among what is registered', async () => {
  const page = await openPolicy(shop);
  await page.getByRole('button', { name: 'Start from a template' }).click();
  const form = formOf(page);
  await form.getByText('One contract, one method').click();
  for (const [label, value] of [
    ['Contract', 'Items'],
    ['Method', 'burn'],
  ] as const) {
    await form.getByRole('textbox', { name: label }).press('Enter');
    await page.locator('.n-base-select-option').getByText(value, { exact: true }).click();
  }
  await form.getByText('Only burn on Items is sponsored.').waitFor();
  await look(page, 'one-method');
  // What someone else changes meanwhile stays.
  await desk().limit(shop, { name: 'Fifty an hour', thresholdType: 'COUNT', threshold: 50 });
  await page.getByRole('listitem', { name: 'Fifty an hour' }).waitFor();
  await form.getByRole('button', { name: 'Add to the policy' }).click();
  await page.getByRole('listitem', { name: 'Items' }).getByText('Only burn on Items.').waitFor();
  await page.getByRole('listitem', { name: 'Fifty an hour' }).waitFor();
});

test('the other templates are filled in already, or ask for little', async () => {
  const page = await openPolicy(shop);
  await page.getByRole('button', { name: 'Start from a template' }).click();
  const form = formOf(page);
  await form.getByText('Onboarding').click();
  await form.getByText('Onboarding: each operation: Each operation may cost at most $0.50.').waitFor();
  await form.getByText('Members of an NFT').click();
  await form.getByRole('textbox', { name: 'Contract of the NFT' }).fill('0x12');
  await form.getByText('It must be an address: 0x and 40 hex digits.').waitFor();
  await form.getByText('Weekend', { exact: true }).click();
  await form.getByText('Weekends are those of UTC').waitFor();
  await form.getByRole('button', { name: 'Add to the policy' }).click();
  await page.getByRole('listitem', { name: 'Weekend' }).waitFor();
});

test('a policy that is too long for a file is reported, and stays as it is', async () => {
  const { paymasterId } = shop;
  const addresses = Array.from({ length: 12_000 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`);
  const rule = { name: 'Many', policyType: 'SENDERS', policyData: { mode: 'DENY', addresses } };
  const { _id: ruleId } = await desk().call<{ _id: string }>('rules.create', { paymasterId, rule });
  const page = await openPolicy(shop);
  await page.getByRole('button', { name: 'Start from a template' }).click();
  await formOf(page).getByText('This policy does not fit into a file').waitFor();
  expect(await formOf(page).getByRole('button', { name: 'Add to the policy' }).isDisabled()).toBe(true);
  await desk().call('rules.delete', { paymasterId, ruleId });
});

test('nothing went wrong in any page', () => {
  expect(browser().errors).toEqual([]);
});
