import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { accountOf, backend, voucherFor } from '../support/people.ts';
import { seriousErrors } from './axe.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
/** Digits of a person's keyed hash that the console shows. */
const SHOWN = 12;

const listed = (paymasterId: string) => desk().call<{ subject: string | null }[]>('decisions.list', { paymasterId });

test('the console shows people apart without naming them, and the worst case counts them', async () => {
  const dapp = await desk().dapp();
  const { paymasterId } = dapp;
  const policyData = { source: 'VOUCHER', signer: backend.address };
  await desk().call('rules.create', { paymasterId, rule: { name: 'People', policyType: 'IDENTITY', policyData } });
  await desk().limit(dapp, { name: 'Three each', type: 'SUBJECT', thresholdType: 'COUNT', threshold: 3 });
  const expiresAt = Math.floor(desk().clock.now() / 1000) + 3_600;
  for (const [account, subject] of ['ada', 'grace', 'ada'].entries()) {
    const sender = accountOf(account);
    const voucher = await voucherFor({ paymasterId, sender, subject, expiresAt });
    await dapp.sponsor(operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { sender }), { voucher });
  }
  const people = (await listed(paymasterId)).map(({ subject }) => subject!.slice(0, SHOWN));
  expect(people[0]).toBe(people[2]);
  expect(people[0]).not.toBe(people[1]);

  const { url, operatorToken } = desk().engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/decisions'));
  const table = page.getByRole('table', { name: 'Decisions' });
  await table.getByRole('row').nth(3).waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  const choice = page.getByRole('group', { name: 'Columns' }).or(page.getByLabel('Columns', { exact: true }));
  await choice.first().getByText('Person').click();
  await page.keyboard.press('Escape');
  await table.getByRole('columnheader', { name: 'Person' }).waitFor();
  for (const [person, count] of [
    [people[0]!, 2],
    [people[1]!, 1],
  ] as const)
    await expect.poll(() => table.getByText(person, { exact: true }).count()).toBe(count);
  expect(await page.content()).not.toContain('grace');
  await page.getByRole('textbox', { name: 'Search decisions' }).fill('grace');
  await expect.poll(() => table.getByText(people[0]!, { exact: true }).count()).toBe(0);
  await table.getByText(people[1]!, { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Export' }).getAttribute('title')).toContain(
    'Not available for a search',
  );
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await seriousErrors(page), colorScheme).toEqual([]);
    await page.screenshot({ path: join(artifacts, `console-people-${colorScheme}.png`) });
  }

  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), paymasterId);
  await page.getByText('the most an attacker with your API key could spend').click();
  const bound = page.getByRole('region', { name: 'People' });
  await bound.getByText('The spending limit "Three each" allows each person').waitFor();
  await bound.getByLabel('People that an attacker may be').fill('50');
  await page.keyboard.press('Tab');
  await bound.getByText('The spending limit "Three each" allows 50 people ×').waitFor();
  await bound.scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(artifacts, 'console-people-worst-case.png') });
});
