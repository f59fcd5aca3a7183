import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();
let dapp: SponsoredDapp;
beforeAll(async () => {
  dapp = await desk().dapp();
});

const op = (nonce: number) => operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce });

test('a limit is added in shadow, shows what it would deny, and is then enforced', async () => {
  const engine = desk().engine();
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}`), dapp.paymasterId);
  await page.getByRole('button', { name: 'Add limit' }).click();
  const form = page.getByRole('complementary', { name: 'Add a limit' });
  await form.getByRole('textbox', { name: 'Name' }).fill('At most two');
  await form.getByRole('textbox', { name: 'Allowed' }).fill('2');
  await form.getByText('Shadow (count only)').click();
  await form.getByLabel('Until (optional)').fill('2020-01-01T00:00');
  await form.getByLabel('From (optional)').fill('2020-01-02T00:00');
  await form.getByText('The end must be after the start.').waitFor();
  await form.getByLabel('Until (optional)').fill('');
  expect(await seriousErrors(page)).toEqual([]);
  const shot = (name: string) =>
    page.screenshot({ path: join(import.meta.dirname, `../../test-artifacts/console-shadow-${name}.png`) });
  await shot('form');
  await form.getByRole('button', { name: 'Add limit', exact: true }).click();
  const item = page.getByRole('listitem', { name: 'At most two' });
  await item.getByText('In shadow').waitFor();
  for (let nonce = 0; nonce < 5; nonce += 1) await dapp.sponsor(op(nonce));
  await item.getByText('It would have denied 3 of 5 sponsored operations, of 1 user.').waitFor();
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
    await shot(`item-${width}-${scheme}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await item.getByRole('link', { name: 'Decisions' }).click();
  await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(4);
  await page.getByRole('table').getByRole('row').nth(1).click();
  await page.getByText('Spending limit would deny').waitFor();
  await shot('trace');
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}`), dapp.paymasterId);
  await item.getByRole('button', { name: 'Schedule' }).click();
  await page
    .getByRole('complementary', { name: 'Schedule of At most two' })
    .getByText('The rule keeps its counters.')
    .waitFor();
  await shot('when');
  await item.getByRole('button', { name: 'Enforce' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Enforce' }).click();
  await item.getByText('Active', { exact: true }).waitFor();
  const { body } = await dapp.sponsor(op(5));
  expect(body.result?.reason?.code).toBe('LIMIT_REACHED');
});
