import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { seriousErrors } from './axe.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
interface EmptyDesk {
  readonly engine: ServingEngine;
  stop(): Promise<void>;
}

const startDesk = async (): Promise<EmptyDesk> => {
  const dir = makeTempFolder();
  const engine = await startEngine({ dir, locked: true });
  return {
    engine,
    async stop() {
      await engine.stop();
      removeTempFolder(dir);
    },
  };
};

const open = async ({ engine }: EmptyDesk, view = {}): Promise<Page> => {
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`, view);
  await page.getByText('Engine running').waitFor();
  await page.getByRole('button', { name: 'Continue without a vault' }).click();
  return page;
};

/** Shared by the tests that only look; the page is for one after the other. */
let desk: EmptyDesk;
let page: Page;
beforeAll(async () => {
  desk = await startDesk();
  page = await open(desk);
});
afterAll(() => desk.stop());

test.each([
  ['overview', '#/', 'Stores the keys of Gasdesk', 'Create the vault'],
  ['setup', '#/setup', 'Each step tests itself', 'Create the vault'],
  ['decisions', '#/decisions', 'No decisions yet', 'DApps'],
  ['dapps', '#/dapps', 'No DApps yet', 'Register a DApp'],
  ['dapp', '#/dapps/last/tank', 'No DApps yet', 'Register a DApp'],
  ['activity', '#/activity', 'Unlock the vault to see the key', 'Gasdesk itself'],
  ['service-log', '#/activity/service', 'No log entries yet', 'decisions'],
  ['settings', '#/settings', 'No auth tokens yet', 'Set up a chain'],
])('the empty page %s says what to do next', async (name, address, said, next) => {
  await page.evaluate((hash) => (window.location.hash = hash), address);
  const main = page.getByRole('main');
  // The page before may say the same.
  await main.getByText(next, { exact: true }).first().waitFor();
  await main.getByText(said).waitFor();
  // Nothing can be sponsored without a vault, and every page says so.
  expect(await main.getByRole('alert').innerText()).toContain('No vault yet');
  await page.screenshot({ path: join(artifacts, `console-empty-${name}.png`) });
  expect(await seriousErrors(page)).toEqual([]);
});

test('the keys lead to every page, list themselves, and leave those who type alone', async () => {
  const typed = await open(desk);
  await typed.keyboard.press('g');
  await typed.keyboard.press('s');
  await typed.getByRole('heading', { name: 'Settings' }).waitFor();
  await typed.getByRole('textbox', { name: 'Label' }).pressSequentially('g d?');
  expect(await typed.getByRole('heading', { name: 'Settings' }).count()).toBe(1);
  await typed.getByRole('heading', { name: 'Settings' }).click();
  await typed.keyboard.press('?');
  await typed.getByText('Search in this page').waitFor();
  await typed.keyboard.press('Escape');
  await typed.keyboard.press('g');
  await typed.keyboard.press('d');
  await typed.getByRole('heading', { name: 'Decisions' }).waitFor();
  await typed.keyboard.press('/');
  await typed.keyboard.type('0x12');
  expect(await typed.getByRole('textbox', { name: 'Search decisions' }).inputValue()).toBe('0x12');
});

test('the forms are accessible, in both themes', async ({ onTestFinished }) => {
  const own = await startDesk();
  onTestFinished(() => own.stop());
  for (const colorScheme of ['light', 'dark'] as const) {
    const form = await open(own, { colorScheme });
    await form.evaluate(() => (window.location.hash = '#/dapps'));
    await form.getByRole('button', { name: 'Register a DApp' }).click();
    await form.getByRole('dialog').waitFor();
    expect(await seriousErrors(form)).toEqual([]);
    await form.keyboard.press('Escape');
    await form.evaluate(() => (window.location.hash = '#/settings'));
    await form.getByRole('button', { name: 'Set up a chain' }).first().click();
    await form.getByRole('dialog').locator('.n-select').first().click();
    await form.keyboard.type('Sepolia');
    await form.keyboard.press('Enter');
    await form.getByText('Create signing key').waitFor();
    expect(await seriousErrors(form)).toEqual([]);
    await form.getByText('Create signing key').click();
    // The engine's own words, where the operator acts.
    await form.getByText('There is no vault yet. Create it').waitFor();
    await form.screenshot({ path: join(artifacts, `console-chain-form-${colorScheme}.png`) });
    await form.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Create an auth token' }).click();
    await form.getByText('Copy this token now').waitFor();
    await form.getByRole('button', { name: 'Revoke' }).first().click();
    await form.getByText('It cannot be restored.').waitFor();
    await form.screenshot({ path: join(artifacts, `console-confirm-${colorScheme}.png`) });
    expect(await seriousErrors(form)).toEqual([]);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.getByRole('button', { name: 'Revoke' }).first().waitFor();
  }
});
