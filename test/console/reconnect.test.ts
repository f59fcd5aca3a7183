import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { type ServingEngine, type SponsoredDapp, operation, startEngine } from '../support/sponsored-world.ts';

const browser = useConsoleBrowser();
let dir: string;
let engine: ServingEngine;
let proxy: CuttableProxy;
let dapp: SponsoredDapp;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gasdesk-reconnect-'));
  engine = await startEngine({ dir });
  proxy = await startCuttableProxy(engine.url);
  dapp = await engine.dapp({});
});
afterAll(async () => {
  await proxy.cut();
  await engine.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Decisions one after the other; each is an error, since the DApp has no contract, and is told like any other. */
const decide = async (count: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) {
    await dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }));
  }
};

test('a page that was cut off, or slept, is told every decision that was made meanwhile, once', async () => {
  const page = await browser().open(`${proxy.url}/console/#token=${engine.operatorToken.reveal()}`);
  await decide(1);
  await page.getByText('1 in all').waitFor();
  for (const sum of [8, 15]) {
    await proxy.cut();
    await page.getByText('Engine does not answer').first().waitFor();
    await decide(7);
    await proxy.mend();
    await page.getByText('Engine running').waitFor();
    await page.getByText(`${sum} in all`).waitFor();
  }
  await page.getByRole('button', { name: /^1[45] new decisions$/ }).click();
  const feed = page.getByRole('region', { name: 'Last decisions' }).getByRole('listitem');
  await expect.poll(() => feed.count()).toBe(15);
  const links = await feed.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(new Set(links).size).toBe(15);
});
