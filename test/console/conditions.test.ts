import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, gameItems, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';
import { HOSTILE } from './seeded-decisions.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();
const ITEMS = `0x${'17'.repeat(20)}` as const;
let dapp: SponsoredDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
  const { paymasterId } = dapp;
  const contract = { name: 'Items', address: ITEMS, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
  await desk().call('contracts.create', { paymasterId, ...contract });
  const hostile = { tier: HOSTILE.repeat(500), policyId: 'summer' };
  for (const [nonce, amount] of [3n, 7n, 12n].entries()) {
    const op = operation({ to: ITEMS, data: gameCall('mint', amount) }, { nonce });
    const { body } = await dapp.sponsor(op, { sponsorshipInfo: { webhookData: hostile } });
    expect(body.error).toBeUndefined();
  }
});

const VIEWS = [
  [1280, 'light'],
  [1280, 'dark'],
  [800, 'light'],
  [800, 'dark'],
  [400, 'light'],
  [400, 'dark'],
] as const;

const shot = async (page: Page, form: Locator, name: string): Promise<void> => {
  for (const [width, scheme] of VIEWS) {
    await page.setViewportSize({ width, height: 1100 });
    await page.emulateMedia({ colorScheme: scheme });
    await form.evaluate((element) => element.scrollIntoView());
    // Colours move for a moment.
    await expect.poll(() => seriousErrors(page)).toEqual([]);
    const file = `../../test-artifacts/console-conditions-${name}-${width}-${scheme}.png`;
    await page.screenshot({ path: join(import.meta.dirname, file) });
  }
  await page.setViewportSize({ width: 1280, height: 1100 });
};

const openForm = async (form: string, title: string): Promise<{ page: Page; panel: Locator }> => {
  const engine = desk().engine();
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`, { height: 1100 });
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), `#/dapps/${dapp.paymasterId}?form=${form}`);
  return { page, panel: page.getByRole('complementary', { name: title }) };
};

test('names are completed by the keyboard, an error stands at its place, and Tab leaves the field', async () => {
  const { page, panel } = await openForm('condition', 'Add a condition');
  const field = panel.getByRole('textbox', { name: 'Must be true (CEL)' });
  const list = page.getByRole('listbox', { name: 'What can be typed' });
  await field.click();
  await page.keyboard.press('Control+Space');
  await list.getByRole('option', { name: /^calls/ }).waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  // Escape has closed the list, and not the form.
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type('cal');
  await list.getByRole('option', { name: /^calls/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => field.innerText()).toBe('calls');
  await page.keyboard.type('.all(c, c.method == "m');
  await list.getByRole('option', { name: /^mint Items/ }).waitFor();
  await page.keyboard.type('int" && c.args.');
  await list.getByRole('option', { name: /^amount/ }).waitFor();
  await shot(page, panel, 'completion');
  await page.keyboard.type('amount <= 10) && op.nothing');
  await panel.getByText('No such key: nothing (character 63)').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await panel.locator('.condition-error').innerText()).toBe('nothing');
  const described = await field.getAttribute('aria-describedby');
  expect(await page.locator(`[id="${described}"]`).innerText()).toContain('No such key: nothing');
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('Tab');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(false);
  await shot(page, panel, 'error');
  expect(browser().errors).toEqual([]);
});

test('what an expression comes to is shown on one decision after another, with what it reads', async () => {
  const { page, panel } = await openForm('condition', 'Add a condition');
  const field = panel.getByRole('textbox', { name: 'Must be true (CEL)' });
  await field.fill('calls.all(c, c.args.amount <= 10) && context.tier != ""');
  const example = panel.getByRole('region', { name: 'On a decision that was made' });
  await example.getByText('On this decision it is false.').waitFor();
  await example.getByText('mint(12) on Items').waitFor();
  await expect.poll(() => example.getByRole('definition').first().innerText()).toBe('12');
  const tier = example.getByRole('definition').nth(1);
  expect(await tier.innerText()).toContain('<img src=x');
  expect((await tier.innerText()).length).toBeLessThan(120);
  await shot(page, panel, 'example');
  expect(await example.getByRole('button', { name: 'Newer' }).isDisabled()).toBe(true);
  await example.getByRole('button', { name: 'Older' }).click();
  await example.getByText('mint(7) on Items').waitFor();
  await example.getByText('On this decision it is true.').waitFor();
  await field.fill('context.level > 5');
  await example.getByText('On this decision it cannot be evaluated: No such key: level.').waitFor();
  await example.getByText('is not there').waitFor();
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(browser().errors).toEqual([]);
});

test('the common conditions are written by a form, and saved', async () => {
  const { page, panel } = await openForm('condition', 'Add a condition');
  const field = panel.getByRole('textbox', { name: 'Must be true (CEL)' });
  await panel.getByText('Insert an example').first().click();
  const choose = async (kind: string): Promise<void> => {
    await panel.locator('.n-select').first().click();
    await page.locator('.n-base-select-option', { hasText: kind }).click();
  };
  const writes = async (expression: string): Promise<void> => {
    await panel.getByRole('button', { name: /^(?:Insert|Replace with) it$/ }).click();
    await expect.poll(() => field.innerText()).toBe(expression);
  };
  const OTHERS = 'c.contract != "Items" || c.signature != "mint(uint256)"';
  await panel.getByRole('textbox', { name: 'At most' }).fill('10');
  await writes(`calls.all(c, ${OTHERS} || c.args.amount <= 10)`);
  await panel.getByText('On this decision it is false.').waitFor();
  await shot(page, panel, 'common');
  await choose('An argument in a list');
  await panel.getByRole('textbox', { name: 'One of' }).fill('3, 12');
  await writes(`calls.all(c, ${OTHERS} || c.args.amount in [3, 12])`);
  await panel.getByText('On this decision it is true.').waitFor();
  await choose('A gas price ceiling');
  await panel.getByRole('textbox', { name: 'Max fee per gas, at most' }).fill('50');
  await writes('op.maxFeePerGas <= 50000000000');
  await choose('A cost ceiling');
  await panel.getByRole('textbox', { name: 'Maximum cost, at most' }).fill('0.001');
  await writes('op.maxCostWei <= wei("0.001")');
  await choose('Only with this policy id');
  await panel.getByRole('textbox', { name: 'Policy id' }).fill('summer');
  await writes('has(context.policyId) && context.policyId == "summer"');
  await choose('Only on weekdays');
  await panel.getByText('Mon', { exact: true }).click();
  await panel.getByRole('button', { name: 'Add with &&' }).click();
  const both = 'has(context.policyId) && context.policyId == "summer"\n&& time.getDayOfWeek() in [2, 3, 4, 5]';
  await expect.poll(() => field.innerText()).toBe(both);
  await panel.getByRole('textbox', { name: 'Name' }).fill('Summer');
  await panel.getByRole('textbox', { name: 'Message to a denied user' }).fill('Not today.');
  await panel.getByRole('button', { name: 'Add condition', exact: true }).click();
  const item = page.getByRole('listitem', { name: 'Summer' });
  await item.getByText(`Sponsored only if ${both}. Otherwise: "Not today."`).waitFor();
  await item.getByRole('button', { name: 'Schedule' }).click();
  const when = page.getByRole('complementary', { name: 'Schedule of Summer' });
  const where = when.getByRole('textbox', { name: 'Applies when (optional)' });
  await expect.poll(() => where.evaluate((element) => element === document.activeElement)).toBe(true);
  await where.fill('calls.all(c, c.args.amount > 5)');
  await when.getByText('On this decision it is true.').waitFor();
  await shot(page, when, 'when');
  await when.getByRole('button', { name: 'Save' }).click();
  await item.getByText('Applies when calls.all(c, c.args.amount > 5).').waitFor();
  expect(browser().errors).toEqual([]);
});
