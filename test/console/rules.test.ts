import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { gameItems } from '../support/operations.ts';
import { seriousErrors } from './axe.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
let dir: string;
let engine: ServingEngine;
beforeAll(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir });
  await engine.dapp({});
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

test('the form of the first contract says that deployments end, and sponsors them in the same step', async () => {
  const { paymasterId } = await engine.dapp({});
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy?form=contracts`), paymasterId);
  const form = page.getByRole('complementary', { name: 'Register a contract' });
  await form.getByText('With it, Gasdesk denies operations that deploy their account').waitFor();
  await form.getByRole('textbox', { name: 'Name' }).fill('Items');
  await form.getByRole('textbox', { name: 'Address' }).fill(`0x${'17'.repeat(20)}`);
  await form.getByRole('textbox', { name: 'ABI' }).fill(gameItems.formatJson());
  await form.getByText('Also sponsor deployments').click();
  await form.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByRole('listitem', { name: 'New accounts' }).waitFor();
  await page.getByRole('listitem', { name: 'Items' }).waitFor();
});

test('a change that was left and is there again is saved, and a new name alone keeps the data', async () => {
  const { paymasterId } = await engine.dapp({});
  const policyData = { expression: 'op.nonce < 9', message: 'Nine times.' };
  const rule = { name: 'Few', policyType: 'CONDITION', policyData };
  await engine.service.call('rules.create', { paymasterId, rule });
  const stored = async () => (await engine.service.call('rules.list', { paymasterId })).at(-1);
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  const edit = async (named: string) => {
    await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), paymasterId);
    await page.getByRole('listitem', { name: named }).getByRole('button', { name: 'Edit' }).click();
    return page.getByRole('complementary', { name: `Edit ${named}` });
  };
  await (await edit('Few')).getByLabel('Message to a denied user').fill('At most nine times.');
  await page.evaluate(() => (window.location.hash = '#/costs'));
  await page.getByRole('heading', { name: 'Costs', level: 1 }).waitFor();
  const form = await edit('Few');
  await expect.poll(() => form.getByLabel('Message to a denied user').inputValue()).toBe('At most nine times.');
  await form.getByRole('button', { name: 'Save condition' }).click();
  const changed = { ...policyData, message: 'At most nine times.' };
  await expect.poll(stored).toMatchObject({ name: 'Few', policyData: changed });

  const renaming = await edit('Few');
  await renaming.getByLabel('Name').fill('Nine');
  await renaming.getByRole('button', { name: 'Save condition' }).click();
  await expect.poll(stored).toMatchObject({ name: 'Nine', policyData: changed });
});

test('a factory that Gasdesk cannot read is trusted by its address, in the form of the rule', async () => {
  const factory = `0x${'fa'.repeat(20)}`;
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/rules'));
  await page.getByRole('button', { name: 'Sponsor deployments' }).click();
  const dialog = page.getByRole('complementary', { name: 'Sponsor deployments' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('New accounts');
  // A rule that allows is not said to deny.
  await dialog.getByText('The rule applies as soon as you save it.').waitFor();
  const factories = dialog.getByRole('textbox', { name: 'Factories' });
  await factories.fill('0x12');
  await dialog.getByText('An address is 0x and 40 hex digits.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Add rule', exact: true }).isDisabled()).toBe(true);
  await factories.fill(factory);
  expect(await seriousErrors(page)).toEqual([]);
  await page.screenshot({ path: join(import.meta.dirname, '../../test-artifacts/console-rules-deployment.png') });
  await dialog.getByRole('button', { name: 'Add rule', exact: true }).click();
  await page
    .getByRole('listitem', { name: 'New accounts' })
    .getByText(`also by ${factory}, which Gasdesk trusts without reading`)
    .waitFor();
});
