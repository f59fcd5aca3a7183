import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { type ServingEngine, startEngine } from '../support/sponsored-world.ts';
import { seriousFaults } from './axe.ts';

const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
let dir: string;
let engine: ServingEngine;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gasdesk-empty-'));
  engine = await startEngine({ dir, locked: true });
});
afterEach(async () => {
  await engine.stop();
  rmSync(dir, { recursive: true, force: true });
});

const open = async (view = {}): Promise<Page> => {
  const page = await browser().open(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`, view);
  await page.getByText('Engine running').waitFor();
  await page.getByRole('button', { name: 'Look around without it' }).click();
  return page;
};

test.each([
  ['overview', '#/', 'First steps', 'Register a DApp'],
  ['decisions', '#/decisions', 'Nothing has been decided yet', 'Paymasters'],
  ['paymasters', '#/paymasters', 'No DApp is registered yet', 'Register a DApp'],
  ['contracts', '#/contracts', 'There is no DApp yet', 'To the paymasters'],
  ['rules', '#/rules', 'There is no DApp yet', 'To the paymasters'],
  ['webhooks', '#/webhooks', 'There is no DApp yet', 'To the paymasters'],
  ['gas-tank', '#/gas-tank', 'There is no DApp yet', 'To the paymasters'],
  ['log', '#/log', 'Nothing worth a line happened since the start', 'decisions'],
  ['settings', '#/settings', 'There is no auth token', 'Set up a chain'],
])('the empty page %s says what to do next', async (name, address, said, next) => {
  const page = await open();
  await page.evaluate((hash) => (window.location.hash = hash), address);
  await page.getByText(said).waitFor();
  const main = page.getByRole('main');
  expect(await main.getByText(next, { exact: true }).count()).toBeGreaterThan(0);
  // Nothing can be sponsored without a vault, and every page says so.
  expect(await main.getByRole('alert').innerText()).toContain('There is no vault yet');
  await page.screenshot({ path: join(artifacts, `console-empty-${name}.png`) });
  expect(await seriousFaults(page)).toEqual([]);
});

test('the keys lead to every page, list themselves, and leave those who type alone', async () => {
  const page = await open();
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.getByRole('textbox', { name: 'Label' }).pressSequentially('g d?');
  expect(await page.getByRole('heading', { name: 'Settings' }).count()).toBe(1);
  await page.getByRole('heading', { name: 'Settings' }).click();
  await page.keyboard.press('?');
  await page.getByText('Search in this page').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('heading', { name: 'Decisions' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('0x12');
  expect(await page.getByRole('textbox', { name: 'Sender, userOpHash or decision id' }).inputValue()).toBe('0x12');
});

test('the forms can be used by everybody, in both themes', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open({ colorScheme });
    await page.evaluate(() => (window.location.hash = '#/paymasters'));
    await page.getByRole('button', { name: 'Register a DApp' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.evaluate(() => (window.location.hash = '#/settings'));
    await page.getByRole('button', { name: 'Set up a chain' }).first().click();
    await page.getByRole('dialog').locator('.n-select').first().click();
    await page.keyboard.type('Sepolia');
    await page.keyboard.press('Enter');
    await page.getByText('Make the signer').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByText('Make the signer').click();
    // The engine's own words, where the operator acts.
    await page.getByText('The vault is locked').waitFor();
    await page.screenshot({ path: join(artifacts, `console-chain-form-${colorScheme}.png`) });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByText('Copy the token now').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).first().click();
    await page.getByText('It cannot be brought back.').waitFor();
    await page.screenshot({ path: join(artifacts, `console-confirm-${colorScheme}.png`) });
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Revoke' }).first().waitFor();
  }
});
