import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther } from 'ethers';
import { describe, expect, test } from 'vitest';
import { contractAt, deployContract, devWallet, fundGasTank } from '../../src/demo/world-contracts.ts';
import { costParts } from '../../src/shared/schema/cost.ts';
import { weiToDecimal } from '../../src/shared/schema/decimal.ts';
import { layouts } from '../../src/core/paymaster-layouts/registry.ts';
import { gameItems } from '../../src/demo/game-items.ts';
import { gasdesk } from '../support/cli.ts';
import { type ClientDapp, clientDapp } from '../support/client-world.ts';
import { sized } from '../support/combinations.ts';
import { sponsoredBundles } from '../support/sponsored-bundles.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
/** Those whose contract is in a package, and 1.0.0, like which a contract of the tests behaves. */
const VERSIONS = layouts.filter((one) => one.deployment !== undefined).map(({ version }) => version);

/** Operations in a bundle. */
const USERS = 4;
const BUNDLES = sized(14, 2);

const costsOf = (paymasterId: string, query: object = {}) =>
  world().engine.service.call('costs.get', { paymasterId, ...query });

/** A DApp of version 1.0.0. */
const endlessDapp = async (): Promise<ClientDapp> => {
  const { engine, operator, chain, contracts } = world();
  const { chainId, provider } = chain;
  const signer = (await engine.service.call('signers.list', {})).find((one) => one.chainId === chainId)!.address;
  const paymaster = await deployContract(
    'TankPaymasterV100',
    [operator.address, contracts.entryPoint, signer],
    operator,
  );
  await engine.service.call('paymasterContracts.use', { chainId, version: '1.0.0', address: paymaster });
  const dapp = await engine.dapp({ version: '1.0.0', chainId, fundingWallet: devWallet(90, provider) });
  await fundGasTank(paymaster, dapp.fundingWallet, parseEther('1'), operator);
  const tanks = await contractAt('TankPaymasterV100', paymaster, provider);
  return {
    ...dapp,
    url: engine.url,
    paymaster,
    entryPoint: { address: contracts.entryPoint, version: '0.6' },
    tankBalance: async () => (await tanks.getFunction('getBalance')(dapp.fundingWallet)) as bigint,
  };
};

describe.each(['1.0.0', ...VERSIONS])('operations of version %s', (version) => {
  test('cost, in parts, exactly what the tank paid', async () => {
    const dapp = version === '1.0.0' ? await endlessDapp() : await clientDapp(world(), version);
    const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, USERS);
    const before = await dapp.tankBalance();
    for (let bundle = 0; bundle < BUNDLES; bundle += 1) await mineOne();
    const { total, groups } = await settledCosts(BUNDLES * USERS);
    expect(BigInt(total.costWei)).toBe(before - (await dapp.tankBalance()));
    // The other EntryPoints have a penalty.
    expect(total.penaltyWei === '0').toBe(dapp.entryPoint.version === '0.6');
    expect([total.operations, total.reverted, total.unsplitWei]).toEqual([BUNDLES * USERS, BUNDLES, '0']);
    for (const group of [total, ...groups]) {
      expect(costParts.reduce((sum, part) => sum + BigInt(group[part]), 0n)).toBe(BigInt(group.costWei));
    }
  });
});

describe('costs', () => {
  test('have the same sum by whatever they are grouped, and in each period that contains them', async () => {
    const dapp = await clientDapp(world(), '1.1.0');
    const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, 2);
    const from = world().clock.now();
    await mineOne();
    const { total } = await settledCosts(2);
    for (const by of ['dapp', 'method', 'sender', 'bundler', 'month'] as const) {
      const { chains } = await costsOf(dapp.paymasterId, { by, from, to: from + 60_000 });
      const groups = chains[0]!.groups;
      expect(groups.reduce((sum, { costWei }) => sum + BigInt(costWei), 0n)).toBe(BigInt(total.costWei));
      expect(groups.map(({ key }) => key)).not.toContain('');
    }
    expect(await costsOf(dapp.paymasterId, { to: from })).toMatchObject({ chains: [] });
    const { chains } = await costsOf(dapp.paymasterId, { by: 'bundler' });
    expect(chains[0]!.groups.map(({ key }) => key)).toEqual([world().operator.address.toLowerCase()]);
  });

  test('are grouped by the names of methods, also of a contract that was registered after the calls', async () => {
    const dapp = await clientDapp(world(), '1.1.0');
    const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, 2);
    await mineOne();
    const { gameItems: address } = world().contracts;
    const names = ({ groups }: Awaited<ReturnType<typeof settledCosts>>) => groups.map(({ name }) => name).sort();
    const unnamed = names(await settledCosts(2)).map((name) => name.toLowerCase());
    expect(unnamed).toEqual([`${address.toLowerCase()}.0xa0712d68`, `${address.toLowerCase()}.0xdeadbeef`]);
    const contract = { name: 'Items', address, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
    await world().engine.service.call('contracts.create', { paymasterId: dapp.paymasterId, ...contract });
    expect(names(await settledCosts(2))).toEqual(['Items.0xdeadbeef', 'Items.mint']);
  });

  test('are worth what the coin was worth when operations were mined', async () => {
    const { engine, chain } = world();
    const dapp = await clientDapp(world(), '1.1.0');
    await engine.service.call('chains.set', { chainId: chain.chainId, price: { source: 'static', usd: '3000' } });
    const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, 2);
    await mineOne();
    await settledCosts(2);
    await engine.service.call('chains.set', { chainId: chain.chainId, price: { source: 'static', usd: '9000' } });
    const { total } = await settledCosts(2);
    expect([total.priced, total.usd]).toEqual([2, weiToDecimal(3000n * BigInt(total.costWei))]);
    const month = new Date(world().clock.now()).toISOString().slice(0, 7);
    const statement = { paymasterId: dapp.paymasterId, month };
    const { html, operations } = await engine.service.call('costs.statement', statement);
    expect(operations).toBe(2);
    expect(html).toContain(`${weiToDecimal(BigInt(total.costWei))} ETH`);
    expect(html).toContain('2 operations of 2 users');
    expect(html).toContain(' at the prices of those days.');
  });

  test('are printed as text, as CSV and as a statement', async () => {
    const { clock, home } = world();
    const dapp = await clientDapp(world(), '1.1.0');
    const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, 2);
    await mineOne();
    const { total } = await settledCosts(2);
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await gasdesk(['costs', ...args, '--data', join(home, 'gasdesk')]);
      expect([code, stderr]).toEqual([0, '']);
      return stdout;
    };
    const cost = weiToDecimal(BigInt(total.costWei));
    const text = await run('--dapp', dapp.paymasterId, '--by', 'bundler');
    expect(text).toContain(`2 mined operations cost ${cost} ETH`);
    expect(text).toMatch(/Reverted calls +0\.\d+ ETH +\d+\.\d %/);
    const shown = costParts.filter((part) => total[part] !== '0');
    const whole = BigInt(total.costWei);
    const tenths = shown.map((part) => (2_000n * BigInt(total[part]) + whole) / (2n * whole));
    expect(text.match(/\d+\.\d(?= %)/g)).toEqual(tenths.map((tenth) => `${tenth / 10n}.${tenth % 10n}`));
    expect(text).toContain(world().operator.address.toLowerCase());
    const csv = (await run('--dapp', dapp.paymasterId, '--csv')).trimEnd().split('\r\n');
    expect(csv[0]).toMatch(/^dapp,name,chainId,coin,operations,reverted,cost,work,tip,/);
    expect(csv[1]).toContain(`,31337,ETH,2,1,${cost},`);
    const month = new Date(clock.now()).toISOString().slice(0, 7);
    const file = join(home, 'statement.html');
    await run('statement', '--dapp', dapp.paymasterId, '--month', month, '--out', file);
    expect(readFileSync(file, 'utf8')).toContain(`${cost} ETH`);
  });

  test('do not contain operations whose block a re-org removed', async () => {
    const { chain, clock } = world();
    const dapp = await clientDapp(world(), '1.1.0');
    const { mineOne, settledCosts } = await sponsoredBundles(world(), dapp, 2);
    await mineOne();
    await settledCosts(2);
    await chain.provider.send('anvil_reorg', [1, []]);
    const settlements = async () => {
      await clock.advance(4_000);
      return (await dapp.decisions()).map(({ settlement }) => settlement);
    };
    await expect.poll(settlements).toEqual(['reserved', 'reserved']);
    expect(await costsOf(dapp.paymasterId)).toMatchObject({ chains: [] });
  });
});
