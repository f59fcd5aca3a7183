import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
let dir: string;
let engine: ServingEngine;
let paymasterId: string;
beforeAll(async () => {
  dir = makeTempFolder();
  engine = await startEngine({ dir });
  ({ paymasterId } = await engine.dapp({}));
  const address = `0x${'17'.repeat(20)}` as const;
  const abi = JSON.stringify([
    { type: 'function', name: 'mint', inputs: [], outputs: [], stateMutability: 'nonpayable' },
  ]);
  await engine.service.call('contracts.create', { paymasterId, name: 'Items', address, abi });
  await engine.service.call('contracts.update', { paymasterId, address, whitelistedMethods: ['mint'] });
});
afterAll(async () => {
  await engine.stop();
  removeTempFolder(dir);
});

test.each([
  [1280, 'light'],
  [800, 'dark'],
  [400, 'light'],
] as const)('the tab Policy shows what changed and when, at %i px, %s', async (width, colorScheme) => {
  const url = `${engine.url}/console/#token=${engine.operatorToken.reveal()}`;
  const page = await browser().open(url, { width, colorScheme });
  await page.getByText('Engine running').waitFor();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), paymasterId);
  await page.getByText('Policy history').click();
  const history = page.getByRole('list', { name: 'Policy history' });
  await history.getByText('contract Items: methods none → mint').waitFor();
  const [newest] = await engine.service.call('policies.history', { paymasterId });
  await history.getByText(newest!.revision.slice('sha256:'.length).slice(0, 12)).waitFor();

  // What is changed elsewhere shows without being asked for.
  const name = `At ${width} px`;
  await engine.service.call('rules.create', {
    paymasterId,
    rule: { name, policyType: 'WALLET_DEPLOYMENT', policyData: {} },
  });
  await history.getByText(`wallet deployment "${name}"`).waitFor();
  expect(await seriousErrors(page)).toEqual([]);
  await history.scrollIntoViewIfNeeded();
  await page.screenshot({
    path: join(artifacts, `console-policy-history-${width}-${colorScheme}.png`),
    fullPage: true,
  });
});
