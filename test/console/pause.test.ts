import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

let dapp: SponsoredDapp;
const ask = () => dapp.sponsor(operation({ to: world().contracts.gameItems, data: gameCall('mint') }));
beforeAll(async () => {
  dapp = await world().dapp(10n * RESERVED_WEI);
  const cycleDuration = { value: 1, unit: 'day' };
  const policyData = { type: 'SMART_ACCOUNT', thresholdType: 'COUNT', threshold: '2', cycleDuration };
  const rule = { name: 'Two a day', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  await world().engine.service.call('rules.create', { paymasterId: dapp.paymasterId, rule });
  await ask();
  await ask();
});

const open = (view: Parameters<ReturnType<typeof browser>['open']>[1] = {}) => {
  const { url, operatorToken } = world().engine;
  return browser().open(`${url}/console/#token=${operatorToken.reveal()}`, view);
};

test('an operator pauses all sponsorship in the top bar, sees it on every page, and resumes', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Pause all' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause all sponsorship?' });
  await dialog.getByText('Requests are denied').waitFor();
  await dialog.getByLabel(/^Reason/).fill('<b>Key rotation</b>');
  await page.screenshot({ path: join(artifacts, 'console-pause-dialog.png') });
  expect(await seriousErrors(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Pause all sponsorship' }).click();

  const banner = page.getByRole('region', { name: 'All sponsorship is paused' });
  await banner.getByText('<b>Key rotation</b>').waitFor();
  // The button that opened the dialog is still there, and leads back.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Resume');
  expect((await ask()).body.result?.reason?.code).toBe('SPONSORSHIP_PAUSED');
  // Another console learns of it by itself.
  const other = await open({ width: 800, height: 900, colorScheme: 'dark' });
  await other.getByText('Sponsorship paused', { exact: true }).waitFor();
  await other.getByRole('region', { name: 'All sponsorship is paused' }).waitFor();
  await other.screenshot({ path: join(artifacts, 'console-paused-800-dark.png') });
  await page.screenshot({ path: join(artifacts, 'console-paused-1280-light.png') });
  expect([...(await seriousErrors(page)), ...(await seriousErrors(other))]).toEqual([]);

  // In a narrow window, the banner is as wide as the page beneath it.
  await other.setViewportSize({ width: 400, height: 900 });
  const lefts = ['All sponsorship is paused', 'Latest decisions'].map((name) =>
    other.getByRole('region', { name }).evaluate((part) => Math.round(part.getBoundingClientRect().left)),
  );
  expect(new Set(await Promise.all(lefts)).size).toBe(1);

  await banner.getByRole('button', { name: 'Resume sponsorship' }).click();
  await banner.waitFor({ state: 'detached' });
  await other.getByRole('region', { name: 'All sponsorship is paused' }).waitFor({ state: 'detached' });
  expect((await ask()).body.result?.reason?.code).toBe('LIMIT_REACHED');
});

test('an operator sees which DApp is paused alone, resumes it, and says how long its sponsorships may be valid', async () => {
  const { paymasterId } = dapp;
  const { service } = world().engine;
  const { name } = (await service.call('paymasters.list', {})).find((one) => one.paymasterId === paymasterId)!;
  const page = await open();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}`), paymasterId);
  const pause = page.getByRole('button', { name: 'Pause this DApp' });
  await pause.click();
  const question = page.getByRole('dialog', { name: `Pause ${name}?` });
  await question.getByText('Requests are denied and listed under Decisions').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-pause-dapp-1280-light.png') });
  expect(await seriousErrors(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await pause.evaluate((button) => button === document.activeElement)).toBe(true);
  expect((await ask()).body.result?.reason?.code).toBe('LIMIT_REACHED');
  await pause.click();
  await question.getByRole('button', { name: 'Pause', exact: true }).click();
  const banner = page.getByRole('region', { name: `Sponsorship for ${name} is paused` });
  await banner.getByText('Other DApps are served').waitFor();
  await page.getByText('1 DApp paused', { exact: true }).waitFor();
  expect((await ask()).body.result?.reason).toMatchObject({ code: 'DAPP_PAUSED', rule: 'pause' });
  await page.screenshot({ path: join(artifacts, 'console-dapp-paused-1280-light.png') });
  expect(await seriousErrors(page)).toEqual([]);
  await banner.getByRole('button', { name: `Resume ${name}` }).click();
  await banner.waitFor({ state: 'detached' });
  expect((await ask()).body.result?.reason?.code).toBe('LIMIT_REACHED');

  await page.getByRole('link', { name: 'Connect', exact: true }).click();
  await page.getByRole('button', { name: 'Change the longest expiry' }).click();
  const dialog = page.getByRole('dialog', { name: `Longest expiry for ${name}` });
  await dialog.getByLabel('Seconds').fill('7200');
  await dialog.getByLabel('Seconds').blur();
  await dialog.getByText('valid for at most 2 hours').waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^2 hours/).waitFor();
  expect((await service.call('paymasters.list', {}))[0]).toMatchObject({ maxExpirySeconds: 7_200 });
});

test('what is reserved, what the tank has left and which limits are near their end stand on the overview', async () => {
  const page = await open();
  const tank = page.getByRole('listitem', { name: /^Gas tank of DApp/ }).first();
  await tank.getByText('more operations').waitFor();
  expect(await tank.innerText()).toMatch(/0\.014176 ETH free of 0\.01772 ETH, 0\.003544 ETH reserved/);
  await page.getByText('1 chain reachable').waitFor();
  await page
    .getByTitle(/^Signed, and neither mined/)
    .getByText('0.003544 ETH')
    .waitFor();
  const near = page.getByRole('region', { name: 'Limits nearly used up' });
  await near.getByText('the busiest has used 2 of 2 operations, 1 is at the limit').waitFor();
  await page.screenshot({ path: join(artifacts, 'console-exposure-1280-light.png') });
  expect(await seriousErrors(page)).toEqual([]);

  await world().engine.service.call('chains.set', { chainId: 31337, rpc: 'http://127.0.0.1:1' });
  await world().clock.advance(5_000);
  const lost = await open({ width: 800, height: 900, colorScheme: 'dark' });
  await lost.getByText(/unreachable$/).waitFor();
  expect(
    await lost
      .getByRole('listitem', { name: /^Gas tank of DApp/ })
      .first()
      .innerText(),
  ).toContain('Not known');
  await lost.screenshot({ path: join(artifacts, 'console-unreachable-800-dark.png') });
  await lost.evaluate(() => (window.location.hash = '#/dapps/last'));
  const header = lost.getByRole('main').locator('header').first();
  await header.getByText('Node unreachable').waitFor();
  expect(await header.getByText('Live', { exact: true }).count()).toBe(0);
  await lost.screenshot({ path: join(artifacts, 'console-unreachable-dapp-800-dark.png') });
  await world().engine.service.call('chains.set', { chainId: 31337, rpc: world().chain.url });
});
