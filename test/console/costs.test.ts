import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { weiToDecimal } from '../../src/shared/schema/decimal.ts';
import { clientDapp } from '../support/client-world.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { sponsoredBundles } from '../support/sponsored-bundles.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';
import { seriousErrors } from './axe.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

test('the operator sees what mined operations cost, and for what, and takes it along as CSV and as a statement', async () => {
  const { engine, chain } = world();
  await engine.service.call('chains.set', { chainId: chain.chainId, price: { source: 'static', usd: '3000' } });
  const dapp = await clientDapp(world(), 'singleton-0.7');
  const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, 3, ['mint']);
  await mineOne();
  await world().registerGameItems(dapp);
  await mineOne();
  const { total } = await settledCosts(6);

  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.getByRole('link', { name: 'Costs' }).click();
  await page.getByText('6 mined operations, 0 reverted').waitFor();
  const shown = page.getByRole('list', { name: 'Parts of the cost' });
  await shown.getByText('Unused gas limits').waitFor();
  await page.getByRole('cell', { name: 'Game Items.mint' }).waitFor();
  expect(await page.getByTitle(`${BigInt(total.costWei).toLocaleString('en-US')} wei`).count()).toBeGreaterThan(0);
  for (const width of [1280, 800, 400]) {
    await page.setViewportSize({ width, height: 860 });
    await page.screenshot({ path: join(artifacts, `costs-${width}.png`) });
    expect(await seriousErrors(page), `at ${width} px`).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 860 });

  const csv = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const lines = readFileSync(await (await csv).path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  // Also the operations from before the contract was registered.
  expect(lines.find((line) => line.startsWith('Game Items.mint,'))).toMatch(
    /^Game Items\.mint,Game Items\.mint,31337,ETH,6,0,0\.\d+,/,
  );

  await page.getByRole('button', { name: 'Monthly statement' }).click();
  const statement = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Save as HTML' }).click();
  const html = readFileSync(await (await statement).path(), 'utf8');
  expect(html).toContain(`${weiToDecimal(BigInt(total.costWei))} ETH`);
  await page.setContent(html);
  await page.screenshot({ path: join(artifacts, 'costs-statement.png') });
});
