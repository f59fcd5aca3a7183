import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const CALLED = `0x${'17'.repeat(20)}` as const;
const NOBODYS_FEED = `0x${'fe'.repeat(20)}`;
let dapp: SponsoredDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
});

const open = async (): Promise<Page> => {
  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  return page;
};
const go = (page: Page, hash: string): Promise<string> => page.evaluate((to) => (window.location.hash = to), hash);
const policy = (): string => `#/dapps/${dapp.paymasterId}/policy`;
/** Opens the form of a new limit, once nothing on its page moves any more. */
const newLimit = async (page: Page): Promise<Locator> => {
  await go(page, policy());
  await page.getByText('Senders need not hold any token.').waitFor();
  await page.getByRole('button', { name: 'Add limit' }).first().click();
  return formOf(page, 'Add a limit');
};
/** Answers the question of a form that is closed although something was typed. */
const discard = (page: Page): Promise<void> =>
  page
    .getByRole('dialog', { name: 'Close without saving?' })
    .getByRole('button', { name: 'Discard', exact: true })
    .click();
const formOf = (page: Page, name: string): Locator => page.getByRole('complementary', { name });
/** Says what the coin is worth; null: no one does. */
const worth = (usd: string | null): Promise<unknown> =>
  desk().call('chains.set', { chainId: 31337, price: usd === null ? null : { source: 'static', usd } });
const sponsor = () => dapp.sponsor(operation({ to: CALLED, data: '0x' }));
const limits = () => desk().call<ProcedureOutput<'rules.list'>>('rules.list', { paymasterId: dapp.paymasterId });
/** Chooses in naive-ui's menu. */
const choose = async (page: Page, form: Locator, unit: string): Promise<void> => {
  await form.locator('.window .n-select').click();
  await page.locator('.n-base-select-menu').getByText(unit, { exact: true }).click();
};
/** Pictures in every width and scheme, in each of which nothing serious may be wrong. */
const shots = async (page: Page, name: string, part: Locator): Promise<void> => {
  for (const width of [1280, 800, 400]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 860 });
      await page.emulateMedia({ colorScheme });
      await part.scrollIntoViewIfNeeded();
      // Colours move for a moment.
      await expect.poll(() => seriousErrors(page)).toEqual([]);
      await page.screenshot({ path: join(artifacts, `console-${name}-${width}-${colorScheme}.png`) });
    }
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: 'light' });
};

test('a limit in dollars asks for a price of the coin, which is set where its link leads', async () => {
  await worth(null);
  const page = await open();
  const form = await newLimit(page);
  await form.getByText('gas cost in US dollars').click();
  await form.getByText('Local chain has no price for ETH. Without a price').waitFor();
  await shots(page, 'limit-without-price', form.getByRole('link', { name: 'Set a price' }));
  await form.getByRole('link', { name: 'Set a price' }).click();

  const dialog = page.getByRole('dialog', { name: 'Local chain' });
  await dialog.getByText('from a Chainlink feed').click();
  await dialog.getByLabel('Feed of ETH in USD').fill(NOBODYS_FEED);
  await dialog.getByText('ETH has no usable price: the chain has no RPC URL, so its feed cannot be read.').waitFor();
  await shots(page, 'coin-price-feed', dialog.getByText('ETH has no usable price'));
  await dialog.getByText('set by me').click();
  await dialog.getByLabel('One ETH is').fill('0');
  await dialog.getByText('It must be a number of US dollars between 0.0001 and 10,000,000').waitFor();
  expect(await dialog.getByRole('button', { name: 'Set the price' }).isDisabled()).toBe(true);
  await dialog.getByLabel('One ETH is').fill('3000');
  await dialog.getByLabel('One ETH is').press('Enter');
  await page.getByText('Price saved').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-coin-price-1280-light.png') });
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Chains' }).getByText('1 ETH = $3,000').waitFor();
  const chains = await desk().call<ProcedureOutput<'chains.list'>>('chains.list', {});
  expect(chains.find(({ chainId }) => chainId === 31337)?.price).toEqual({ source: 'static', usd: '3000' });

  await newLimit(page);
  await form.getByText('gas cost in US dollars').click();
  await form.getByText('One ETH is $3,000 now.').waitFor();
  await form.getByText(/^gas cost in ETH$/).click();
  await form.getByLabel('Allowed').fill('0.05');
  await form.getByText('0.05 ETH are $150 now.').waitFor();
});

test('a limit in dollars of some weeks is typed by the keyboard alone', async () => {
  await worth('3000');
  const page = await open();
  const form = await newLimit(page);
  await form.getByLabel('Name').fill('Twenty dollars');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await form.getByText('One ETH is $3,000 now.').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('20');
  await page.keyboard.press('Tab');
  await page.keyboard.type('53');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await form.getByText('It must be at most 366 days.').waitFor();
  expect(await form.getByRole('button', { name: 'Add limit' }).isDisabled()).toBe(true);
  await form.getByLabel('Length of the window').fill('2');
  await page.keyboard.press('Tab');
  await form.getByText('Each user may have gas for $20 sponsored per 2 weeks.').waitFor();
  await shots(page, 'limit-usd', form.getByText('Each user may have gas for $20'));
  await form.getByRole('button', { name: 'Add limit' }).press('Enter');
  await page.getByRole('listitem', { name: 'Twenty dollars' }).getByText('Not used in this window.').waitFor();
  expect((await limits()).at(-1)?.policyData).toMatchObject({
    type: 'SMART_ACCOUNT',
    thresholdType: 'USD',
    threshold: '20',
    cycleDuration: { value: 2, unit: 'week' },
  });
});

test('a limit of each operation counts none and has no window; a lifetime never resets', async () => {
  await worth('3000');
  const page = await open();
  const form = await newLimit(page);
  await form.getByLabel('Name').fill('Small ones');
  await form.getByLabel('Allowed').fill('5');
  await form.getByText('each operation by itself').click();
  expect(await form.getByText('operations', { exact: true }).count()).toBe(0);
  expect(await form.getByLabel('Length of the window').count()).toBe(0);
  // Five operations are not five of the coin.
  expect(await form.getByLabel('Allowed').inputValue()).toBe('');
  await form.getByLabel('Allowed').fill('0.02');
  await form.getByText('Each operation may cost at most 0.02 ETH.').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-limit-operation-1280-light.png') });
  await form.getByRole('button', { name: 'Add limit' }).click();
  const small = page.getByRole('listitem', { name: 'Small ones' });
  await small.getByText('Each operation may cost at most 0.02 ETH.').waitFor();
  expect((await limits()).at(-1)?.policyData).toMatchObject({ type: 'OPERATION', thresholdType: 'NATIVE_ASSET' });

  await newLimit(page);
  await form.getByLabel('Name').fill('A budget');
  await form.getByText('all users together').click();
  await form.getByText(/^gas cost in ETH$/).click();
  await form.getByLabel('Allowed').fill('2');
  await choose(page, form, 'Lifetime');
  expect(await form.getByLabel('Length of the window').count()).toBe(0);
  await form.getByText('All users together may have gas for 2 ETH sponsored in total.').waitFor();
  await form.getByRole('button', { name: 'Add limit' }).click();
  const budget = page.getByRole('listitem', { name: 'A budget' });
  await budget.getByText('It never resets.').waitFor();

  await sponsor();
  await expect
    .poll(() => budget.innerText())
    .toMatch(/0\.\d+ ETH \(\$[\d.]+\) of 2 ETH \(\$6,000\) used\. It never resets\./);
  await shots(page, 'limit-usage', budget);
  await budget.getByRole('button', { name: 'Edit' }).click();
  const edit = formOf(page, 'Edit A budget');
  await edit.getByText('Past usage still counts').waitFor();
  await edit.getByLabel('Allowed').fill('3');
  await edit.getByRole('button', { name: 'Save limit' }).click();
  await expect.poll(() => budget.innerText()).toMatch(/0\.\d+ ETH \(\$[\d.]+\) of 3 ETH \(\$9,000\) used\./);
  await small.getByRole('button', { name: 'Edit' }).click();
  await formOf(page, 'Edit Small ones').getByLabel('Allowed').waitFor();
  expect(await page.getByText('starts a new window').count()).toBe(0);
});

test('a limit that gets another name keeps its window and its usage; another threshold starts a new window', async () => {
  const { paymasterId } = dapp;
  const perDay = { type: 'SMART_ACCOUNT', cycleDuration: { value: 1, unit: 'day' }, thresholdType: 'COUNT' };
  const rule = { name: 'Five', policyType: 'PAYMASTER_SA_LIMIT', policyData: { ...perDay, threshold: 5 } };
  await desk().call('rules.create', { paymasterId, rule });
  await sponsor();
  // A new window would begin at another time.
  await desk().clock.advance(60_000);
  const page = await open();
  await go(page, policy());
  const used = /the busiest has used 1 of 5/;
  const before = (await limits()).at(-1)?.policyData;
  await expect.poll(() => page.getByRole('listitem', { name: 'Five' }).innerText()).toMatch(used);
  await page.getByRole('listitem', { name: 'Five' }).getByRole('button', { name: 'Edit' }).click();
  const form = formOf(page, 'Edit Five');
  await form.getByText('A change of anything but the name starts a new window without usage.').waitFor();
  await form.getByLabel('Name').fill('Five a day');
  await form.getByRole('button', { name: 'Save limit' }).click();
  const renamed = page.getByRole('listitem', { name: 'Five a day' });
  await expect.poll(() => renamed.innerText()).toMatch(used);
  expect((await limits()).at(-1)).toMatchObject({ name: 'Five a day', policyData: before });

  await renamed.getByRole('button', { name: 'Edit' }).click();
  await formOf(page, 'Edit Five a day').getByLabel('Allowed').fill('6');
  await formOf(page, 'Edit Five a day').getByRole('button', { name: 'Save limit' }).click();
  await renamed.getByText('Not used in this window.').waitFor();
});

test('a limit that is changed elsewhere while its form is open is not overwritten unnoticed', async () => {
  const { paymasterId } = dapp;
  const perDay = { type: 'SMART_ACCOUNT', cycleDuration: { value: 1, unit: 'day' }, thresholdType: 'COUNT' };
  const rule = { name: 'Ours', policyType: 'PAYMASTER_SA_LIMIT', policyData: { ...perDay, threshold: 5 } };
  const { _id: ruleId } = await desk().call<{ _id: string }>('rules.create', { paymasterId, rule });
  const page = await open();
  await go(page, policy());
  await page.getByRole('listitem', { name: 'Ours' }).getByRole('button', { name: 'Edit' }).click();
  const form = formOf(page, 'Edit Ours');
  await form.getByLabel('Allowed').fill('9');
  const warning = page.getByText('Changed elsewhere while this form was open');
  await desk().call('rules.deactivate', { paymasterId, ruleId });
  await page.getByRole('listitem', { name: 'Ours' }).getByText('Paused').waitFor();
  expect(await warning.count()).toBe(0);

  await desk().call('rules.updateLimit', { paymasterId, ruleId, update: { threshold: 2 } });
  await warning.waitFor();
  expect(await form.getByLabel('Allowed').inputValue()).toBe('9');
  await shots(page, 'limit-changed-elsewhere', warning);
  await form.getByRole('button', { name: 'Close' }).click();
  await discard(page);
  await page.getByRole('listitem', { name: 'Ours' }).getByRole('button', { name: 'Edit' }).click();
  await expect.poll(() => form.getByLabel('Allowed').inputValue()).toBe('2');
  expect(await warning.count()).toBe(0);
});

test('Escape asks before it discards what was typed, and closes a form without changes at once', async () => {
  const { paymasterId } = dapp;
  const perDay = { type: 'SMART_ACCOUNT', cycleDuration: { value: 1, unit: 'day' }, thresholdType: 'COUNT' };
  const rule = { name: 'Typed', policyType: 'PAYMASTER_SA_LIMIT', policyData: { ...perDay, threshold: 5 } };
  await desk().call('rules.create', { paymasterId, rule });
  const page = await open();
  await go(page, policy());
  const edit = page.getByRole('listitem', { name: 'Typed' }).getByRole('button', { name: 'Edit' });
  await edit.click();
  const form = formOf(page, 'Edit Typed');
  await form.waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });

  await edit.click();
  await form.getByLabel('Allowed').fill('9');
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Close without saving?' });
  await shots(page, 'limit-unsaved', question.getByText('What you have entered'));
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect(await form.getByLabel('Allowed').inputValue()).toBe('9');
  await expect.poll(() => form.getByLabel('Allowed').evaluate((it) => it === document.activeElement)).toBe(true);

  await page.keyboard.press('Escape');
  await discard(page);
  await form.waitFor({ state: 'detached' });
  await expect.poll(() => edit.evaluate((button) => button === document.activeElement)).toBe(true);
  await edit.click();
  expect(await form.getByLabel('Allowed').inputValue()).toBe('5');
  expect((await limits()).find(({ name }) => name === 'Typed')?.policyData).toMatchObject({ threshold: '5' });
});

test('a form whose rule is deleted elsewhere says why it closes; deleting it here needs no word', async () => {
  const { paymasterId } = dapp;
  const perDay = { type: 'SMART_ACCOUNT', cycleDuration: { value: 1, unit: 'day' }, thresholdType: 'COUNT' };
  const add = (name: string) => {
    const rule = { name, policyType: 'PAYMASTER_SA_LIMIT', policyData: { ...perDay, threshold: 5 } };
    return desk().call<{ _id: string }>('rules.create', { paymasterId, rule });
  };
  const { _id: ruleId } = await add('Short');
  await add('Own');
  const page = await open();
  await go(page, policy());
  await page.getByRole('listitem', { name: 'Short' }).getByRole('button', { name: 'Edit' }).click();
  await formOf(page, 'Edit Short').getByLabel('Allowed').fill('9');
  await desk().call('rules.delete', { paymasterId, ruleId });
  const told = page.getByRole('alert').filter({ hasText: 'The rule of this form no longer exists' });
  await shots(page, 'limit-deleted-elsewhere', told);
  const close = told.getByRole('button', { name: 'Close' });
  expect(await close.evaluate((button) => button === document.activeElement)).toBe(true);
  await close.click();
  await told.waitFor({ state: 'detached' });
  const focusedStep = () =>
    page.evaluate(() => document.activeElement?.closest('[data-rule]')?.getAttribute('data-rule'));
  await expect.poll(focusedStep).toBe('spendingLimit');

  const own = page.getByRole('listitem', { name: 'Own' });
  await own.getByRole('button', { name: 'Edit' }).click();
  await formOf(page, 'Edit Own').waitFor();
  await own.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await own.waitFor({ state: 'detached' });
  await formOf(page, 'Edit Own').waitFor({ state: 'detached' });
  expect(await told.count()).toBe(0);
});

test('a decision is shown by the price of its own time, whatever the coin is worth today', async () => {
  await worth('3000');
  await sponsor();
  await worth('1');
  const page = await open();
  const [decision] = await dapp.decisions();
  await go(page, `#/decisions/${decision!.id}`);
  const detail = page.getByRole('complementary', { name: 'Decision' });
  const told = detail.locator('.sentence .worth').first();
  await told.waitFor();
  expect(await told.getAttribute('title')).toMatch(/ at \$3,000 for one ETH$/);
  const life = detail.getByRole('list', { name: 'What happened to it' });
  await shots(page, 'decision-dollars', life.getByText('Signed'));
});

test('nothing went wrong in any page', () => {
  expect(browser().errors).toEqual([]);
});

test('what was typed is there again after a look at another page, and gone once the form is closed', async () => {
  const page = await open();
  let form = await newLimit(page);
  await form.getByLabel('Name').fill('Weekly');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await page.goBack();
  form = formOf(page, 'Add a limit');
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Weekly');
  await form.getByRole('button', { name: 'Close' }).click();
  await discard(page);
  await form.waitFor({ state: 'detached' });
  expect(await (await newLimit(page)).getByLabel('Name').inputValue()).toBe('');
});

test('a limit below what one operation reserves is warned of while it is typed', async () => {
  await sponsor();
  const [newest] = await dapp.decisions();
  expect(newest?.outcome).toBe('sponsored');
  const page = await open();
  const form = await newLimit(page);
  await form.getByText('gas cost in ETH').click();
  const amount = form.getByLabel('Allowed');
  await amount.fill('0.000000000000000001');
  await form.getByText('This is less than one operation reserves').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await amount.fill('1000');
  await form.getByText('This is less than one operation reserves').waitFor({ state: 'detached' });
});
