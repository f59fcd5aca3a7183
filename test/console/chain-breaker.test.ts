import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { RESERVED_WEI, gameCall, operation } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

test('DApps that the breaker of their chain has paused are shown together, and resumed at once', async () => {
  const { service, url, operatorToken } = world().engine;
  const dapps = [];
  for (let count = 0; count < 3; count += 1) dapps.push(await world().dapp(10n * RESERVED_WEI));
  // Half of it is enough for one operation of each DApp, and all of it for two.
  const breaker = { amountWei: String((RESERVED_WEI * 5n) / 2n), seconds: 600 };
  await service.call('chains.set', { chainId: 31337, breaker });
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  const op = operation({ to: world().contracts.gameItems, data: gameCall('mint') });
  for (const dapp of dapps) await dapp.sponsor(op);

  const banner = page.getByRole('region', { name: /^Sponsorship for DApp \d+, DApp \d+, and DApp \d+ is paused$/ });
  await banner.getByText('Burn-rate breaker: operations on').waitFor();
  await page.getByText('3 DApps paused', { exact: true }).waitFor();
  await page.screenshot({ path: join(artifacts, 'console-chain-paused-1280-light.png') });
  expect(await seriousErrors(page)).toEqual([]);
  await banner.getByRole('button', { name: /^Resume DApp/ }).click();
  await banner.waitFor({ state: 'detached' });
  expect((await service.call('system.info', {})).pausedDapps).toEqual([]);
});
