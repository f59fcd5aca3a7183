import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();
let dapp: SponsoredDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
});

const accounts = Array.from({ length: 1_200 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`);

test('a list of senders is chosen from a file, searched and changed; a condition is checked as it is typed', async () => {
  const engine = desk().engine();
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}?form=senders`), dapp.paymasterId);
  const form = page.getByRole('complementary', { name: 'Add a list of senders' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Members');
  const file = join(desk().dir, 'members.csv');
  writeFileSync(file, `name,address\n${accounts.map((account, index) => `u${index},${account}`).join('\n')}`);
  await form.locator('input[type=file]').setInputFiles(file);
  await form.getByText('Adds 1,200.').waitFor();
  await form.getByRole('textbox', { name: 'Add addresses' }).fill('hello');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await form.getByText('Line 1 contains no address: hello').waitFor();
  await form.getByRole('textbox', { name: 'Add addresses' }).fill(`0x${'ff'.repeat(20)}`);
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await form.getByText('Adds 1,201.').waitFor();
  await form.getByRole('textbox', { name: 'Search the list' }).fill('FFFF');
  await form.getByText('1 found.').waitFor();
  await form.getByRole('textbox', { name: 'Applies when (optional)' }).fill('op.nothing > 1');
  await form.getByText('No such key: nothing (character 4)').waitFor();
  expect(await form.getByRole('button', { name: 'Add list', exact: true }).isDisabled()).toBe(true);
  await form.getByRole('textbox', { name: 'Applies when (optional)' }).fill('!op.deploys');
  const shot = (name: string) =>
    page.screenshot({ path: join(import.meta.dirname, `../../test-artifacts/console-senders-${name}.png`) });
  for (const [width, scheme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [800, 'light'],
    [400, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    // Colours move for a moment.
    await expect.poll(() => seriousErrors(page)).toEqual([]);
    await shot(`${width}-${scheme}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await form.getByRole('button', { name: 'Add list', exact: true }).click();
  const item = page.getByRole('listitem', { name: 'Members' });
  await item.getByText('Allow list: only 1,201 listed accounts may be sponsored.').waitFor();
  await item.getByText('Applies when !op.deploys.').waitFor();
  await item.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('complementary', { name: 'Edit Members' });
  await edit.getByRole('textbox', { name: 'Search the list' }).fill('ffff');
  await edit.getByRole('button', { name: `Remove 0x${'ff'.repeat(20)}` }).click();
  await edit.getByText('Removes 1.').waitFor();
  await shot('edit');
  await edit.getByRole('button', { name: 'Save list', exact: true }).click();
  await item.getByText('Allow list: only 1,200 listed accounts may be sponsored.').waitFor();
  await page.getByRole('button', { name: 'Add condition' }).click();
  const condition = page.getByRole('complementary', { name: 'Add a condition' });
  await condition.getByRole('textbox', { name: 'Name' }).fill('Small mints');
  await condition.getByRole('textbox', { name: 'Must be true (CEL)' }).fill('op.sender > 5');
  await condition.getByText('no such overload: string > int (character 1)').waitFor();
  await condition.getByRole('textbox', { name: 'Must be true (CEL)' }).fill('op.maxCostWei <= wei("0.001")');
  await condition.getByRole('textbox', { name: 'Message to a denied user' }).fill('Too expensive.');
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    // Colours move for a moment.
    await expect.poll(() => seriousErrors(page)).toEqual([]);
    await shot(`condition-${scheme}`);
  }
  await condition.getByRole('button', { name: 'Add condition', exact: true }).click();
  await page
    .getByRole('listitem', { name: 'Small mints' })
    .getByText('Sponsored only if op.maxCostWei <= wei("0.001"). Otherwise: "Too expensive."')
    .waitFor();
});
