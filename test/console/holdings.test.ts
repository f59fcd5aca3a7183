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

const TOKEN = `0x${'7e'.repeat(20)}`;

test('a token holding is typed, shown in a sentence, added and edited; data that does not fit the standard is reported', async () => {
  const engine = desk().engine();
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}?tab=policy`), dapp.paymasterId);
  await page.getByText('Senders need not hold any token.').waitFor();
  await page.getByRole('button', { name: 'Add holding' }).click();
  const form = page.getByRole('complementary', { name: 'Add a token holding' });
  const field = (name: string) => form.getByRole('textbox', { name });
  const isReady = () => form.getByRole('button', { name: 'Add holding', exact: true }).isEnabled();
  await field('Name').fill('Members');
  await field('Contract of the token').fill('0x12');
  await form.getByText('Enter an address: 0x and 40 hex digits.').waitFor();
  await field('Contract of the token').fill(TOKEN);
  await field('At least').fill('1.5');
  await form.getByText('Enter a whole number of up to 256 bits.').waitFor();
  expect(await isReady()).toBe(false);
  await field('At least').fill('5000000');
  await form
    .getByText(`Sponsored only if the sender holds at least 5,000,000 units of the ERC-20 token ${TOKEN}.`)
    .waitFor();
  expect(await isReady()).toBe(true);
  await form.getByText('ERC-1155 token').click();
  expect(await isReady()).toBe(false);
  await field('Token id').fill('7');
  await form.getByText(`holds at least 5,000,000 units of token 7 of ${TOKEN} (ERC-1155).`).waitFor();
  await form.getByText('this rule denies every operation').waitFor();
  const shot = (name: string) =>
    page.screenshot({ path: join(import.meta.dirname, `../../test-artifacts/console-holding-${name}.png`) });
  for (const [width, scheme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [800, 'light'],
    [400, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await field('Token id').scrollIntoViewIfNeeded();
    // Colours move for a moment.
    await expect.poll(() => seriousErrors(page)).toEqual([]);
    await shot(`${width}-${scheme}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await form.getByText('ERC-721 NFT').click();
  await form.getByText(`Sponsored only if the sender owns NFT 7 of ${TOKEN} (ERC-721).`).waitFor();
  expect(await field('At least').count()).toBe(0);
  await shot('nft');
  await form.getByRole('button', { name: 'Add holding', exact: true }).click();
  const item = page.getByRole('listitem', { name: 'Members' });
  await item.getByText(`Sponsored only if the sender owns NFT 7 of ${TOKEN} (ERC-721).`).waitFor();

  await item.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('complementary', { name: 'Edit Members' });
  await edit.getByRole('textbox', { name: 'Token id' }).fill('');
  await edit.getByRole('textbox', { name: 'At least' }).fill('2');
  await edit.getByRole('button', { name: 'Save holding', exact: true }).click();
  await item.getByText(`Sponsored only if the sender holds at least 2 NFTs of ${TOKEN} (ERC-721).`).waitFor();
  await shot('added');
  const rules = await desk().call<unknown[]>('rules.list', { paymasterId: dapp.paymasterId });
  expect(rules).toMatchObject([
    { policyType: 'TOKEN_HOLDING', policyData: { standard: 'ERC721', address: TOKEN, minimum: '2' } },
  ]);
});
