import { expect, test } from 'vitest';
import { clientDapp } from '../support/client-world.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { sponsoredBundles } from '../support/sponsored-bundles.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const browser = useConsoleBrowser();

test('the feed says what was called, by whom and at what cost; the exposure falls as soon as it is settled', async () => {
  const { engine, chain } = world();
  await engine.service.call('chains.set', { chainId: chain.chainId, price: { source: 'static', usd: '3000' } });
  const dapp = await clientDapp(world(), 'singleton-0.7');
  await world().registerGameItems(dapp);
  await engine.service.call('rules.create', {
    paymasterId: dapp.paymasterId,
    rule: { name: 'New accounts', policyType: 'WALLET_DEPLOYMENT', policyData: {} },
  });
  const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, 1, ['mint']);

  const page = await browser().open('about:blank');
  // In the page, no time passes: what it shows follows from news alone.
  await page.clock.setFixedTime(Date.now());
  await page.goto(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  const exposure = page.getByTitle('Signed, and neither mined nor expired: the most it can cost');
  const item = page.getByRole('region', { name: 'Latest decisions' }).getByRole('listitem').first();

  await chain.provider.send('evm_setAutomine', [false]);
  const mined = mineOne();
  await item.getByText(/at most 0\.\d+ ETH \(\$\d/).waitFor();
  await expect.poll(() => exposure.innerText()).toMatch(/0\.\d+ ETH/);

  await chain.provider.send('evm_setAutomine', [true]);
  await chain.provider.send('anvil_mine', ['0x1']);
  await mined;
  await settledCosts(1);
  await expect.poll(() => exposure.innerText()).toMatch(/Exposure\s+0 ETH/);
  const told = await item.innerText();
  expect(told).toMatch(/mint\(\d+\) on Game Items by 0x[\da-f]{4}…[\da-f]{4} · 0\.\d+ ETH \(\$\d/i);
  expect(told).not.toContain('at most');
});
