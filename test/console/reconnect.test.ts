import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { operation } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { findPostgres, startPostgres } from '../support/postgres.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
let dir: string;
let engine: ServingEngine;
let proxy: CuttableProxy;
let dapp: SponsoredDapp;

beforeEach(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir });
  proxy = await startCuttableProxy(engine.url);
  dapp = await engine.dapp({});
  await engine.service.call('chains.set', { chainId: 31337, rpc: 'http://127.0.0.1:1' });
});
afterEach(async () => {
  await proxy.cut();
  await engine.stop();
  removeTempFolder(dir);
});

/** Decisions one after the other; each is an error, since the DApp has no contract, and is reported like any other. */
const decide = async (count: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) {
    await dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }));
  }
};

test('a page that was cut off, or slept, gets every decision that was made meanwhile, once', async () => {
  const page = await browser().open(`${proxy.url}/console/#token=${engine.operatorToken.reveal()}`);
  await decide(1);
  await page.getByText('1 in total').waitFor();
  for (const sum of [8, 15]) {
    await proxy.cut();
    await page.getByText('Engine does not answer').first().waitFor();
    await decide(7);
    await proxy.mend();
    await page.getByText('Engine running').waitFor();
    await page.getByText(`${sum} in total`).waitFor();
  }
  await page.getByRole('button', { name: /^1[45] new decisions$/ }).click();
  const feed = page.getByRole('region', { name: 'Latest decisions' }).getByRole('listitem');
  await expect.poll(() => feed.count()).toBe(15);
  const links = await feed.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(new Set(links).size).toBe(15);
});

test('a console whose engine is gone shows no chain; with the new token it continues where it was', async () => {
  const page = await browser().open(`${proxy.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate(() => (window.location.hash = '#/tokens'));
  await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor();
  await page.getByText('Local chain unreachable', { exact: true }).waitFor();
  await proxy.cut();
  await engine.stop();
  await page.getByText('Engine does not answer').first().waitFor();
  // The page no longer shows whether the chain was reachable before.
  expect(await page.getByText(/reachable/).count()).toBe(0);

  engine = await startEngine({ dir });
  await proxy.mend(engine.url);
  await page.getByText('Token not accepted').waitFor();
  await page.screenshot({ path: join(import.meta.dirname, '../../test-artifacts/reconnect-refused.png') });
  await page
    .getByLabel('Address or operator token')
    .fill(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText('Engine running').waitFor();
  expect(page.url()).toContain('#/tokens');
});

test('the address of the restarted service, pasted into the tab, opens the console', async () => {
  const page = await browser().open(`${proxy.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await proxy.cut();
  await engine.stop();
  engine = await startEngine({ dir });
  await proxy.mend(engine.url);
  await page.getByText('Token not accepted').waitFor();
  await page.goto(`${proxy.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  expect(page.url()).not.toContain('token');
});

test.runIf(findPostgres() !== undefined)(
  'a console says that the database does not answer, and when it does',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const line = await startCuttableProxy(`http://127.0.0.1:${server.port}`);
    const database = new URL(await server.createDatabase());
    database.port = new URL(line.url).port;
    const shared = await startEngine({ dir: makeTempFolder(), flags: { database: database.href, logLevel: 'silent' } });
    onTestFinished(async () => {
      await shared.stop();
      await line.cut();
    });
    const page = await browser().open(`${shared.url}/console/#token=${shared.operatorToken.reveal()}`);
    await page.getByText('Engine running').waitFor();
    await line.cut();
    await page.getByText('Database does not answer').first().waitFor();
    await page.getByText('Make sure that the database server runs').waitFor();
    await line.mend();
    await page.getByText('Engine running').waitFor();
  },
);
