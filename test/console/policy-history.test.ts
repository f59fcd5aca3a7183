import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
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

describe('policy files in the console', () => {
  const opened = async () => {
    const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
    onTestFinished(() => page.close());
    await page.getByText('Engine running').waitFor();
    await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), paymasterId);
    return page;
  };
  const revisionNow = async () => (await engine.service.call('policies.show', { paymasterId })).revision;
  const choose = async (page: Page, name: string, text: string) => {
    const picking = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Apply a file' }).click();
    await (await picking).setFiles({ name, mimeType: 'application/yaml', buffer: Buffer.from(text) });
    return page.getByRole('dialog', { name: `Apply ${name}` });
  };

  test('the policy is saved as a file, and the same file changes nothing', async () => {
    const page = await opened();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toMatch(/^[\w-]+-policy\.yaml$/);
    const text = readFileSync(await download.path(), 'utf8');
    const dialog = await choose(page, 'same.yaml', text);
    await dialog.getByText('It changes nothing').waitFor();
  });

  test('a file shows what it would change, is tried, and is applied as one revision; an earlier one is restored', async () => {
    const page = await opened();
    const rule = { name: 'From a file', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
    await engine.service.call('rules.create', { paymasterId, rule });
    const before = await revisionNow();
    const { text } = await engine.service.call('policies.export', { paymasterId });
    const dialog = await choose(page, 'renamed.yaml', text.replace('From a file', 'Renamed in a file'));
    await dialog.getByRole('list', { name: 'Changes' }).waitFor();
    expect(await seriousErrors(page)).toEqual([]);
    await page.screenshot({ path: join(artifacts, 'console-policy-file.png') });
    await dialog.getByRole('button', { name: 'Apply' }).press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect(await revisionNow()).not.toBe(before);

    await page.getByText('Policy history').click();
    await page.getByRole('button', { name: `Revert to ${before.slice('sha256:'.length).slice(0, 12)}` }).press('Enter');
    const reverting = page.getByRole('dialog', { name: /^Revert to / });
    await page.screenshot({ path: join(artifacts, 'console-policy-revert.png') });
    await reverting.getByRole('button', { name: 'Apply' }).press('Enter');
    await reverting.waitFor({ state: 'hidden' });
    const { text: again } = await engine.service.call('policies.export', { paymasterId });
    expect(again).toBe(text);
  });

  test('a file with an error names its line', async () => {
    const page = await opened();
    const broken = await choose(page, 'broken.yaml', 'contracts: [');
    await broken.getByText("Couldn't read the file").waitFor();
    expect(await broken.innerText()).toMatch(/line 1/);
  });

  test('a file whose tests fail says which, and cannot be applied', async () => {
    const page = await opened();
    const rule = { name: 'To be renamed', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
    await engine.service.call('rules.create', { paymasterId, rule });
    const { text } = await engine.service.call('policies.export', { paymasterId });
    const failing = `${text.replace('To be renamed', 'Renamed')}
tests:
  - name: minting is denied
    operation: { calls: [{ to: Items, method: mint }] }
    expect: { denied: METHOD_NOT_WHITELISTED }
`;
    const dialog = await choose(page, 'failing.yaml', failing);
    await dialog.getByRole('list', { name: 'Failed tests' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
  });
});
