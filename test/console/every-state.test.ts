import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { allFindings } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();

interface State {
  readonly at: string | (() => string);
  /** Opens it from the page at that address. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** What shows that it is there. */
  readonly ready: (page: Page) => Locator;
}

const press =
  (name: string | RegExp) =>
  (page: Page): Promise<void> =>
    page.getByRole('button', { name }).first().click();
const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first();
const dialog = (page: Page): Locator => page.getByRole('dialog');
const field = (label: string) => (page: Page) => page.getByLabel(label, { exact: true }).first();

/** A form of the tab Policy, which opens next to the policy. */
const policyForm = (form: string, title: string): State => ({
  at: `#/dapps/last/policy?form=${form}`,
  ready: (page) => page.getByRole('complementary', { name: title }),
});
/** A dialog that a button opens. */
const dialogOf = (at: string, button: string | RegExp): State => ({ at, open: press(button), ready: dialog });

const STATES: Readonly<Record<string, State>> = {
  overview: { at: '#/', ready: (page) => page.getByRole('img', { name: /^Bar chart/ }).locator('canvas') },
  setup: { at: '#/setup', ready: heading('Send your first sponsored operation') },
  decisions: { at: '#/decisions', ready: (page) => page.getByRole('row').nth(5) },
  'decisions without a match': {
    at: '#/decisions?text=none',
    open: (page) => page.getByPlaceholder('Sender, hash, method or reason').fill('nothing at all'),
    ready: (page) => page.getByText('No decision matches this filter'),
  },
  'a denial': { at: () => `#/decisions/${desk().deniedDecision}`, ready: heading('Rule by rule') },
  'columns of decisions': dialogOf('#/decisions', 'Columns'),
  'export of decisions': dialogOf('#/decisions', 'Export'),
  'report on decisions': dialogOf('#/decisions', 'Report'),
  'share a decision': { at: () => `#/decisions/${desk().deniedDecision}`, open: press('Share'), ready: dialog },
  inspect: { at: '#/inspect', ready: field('Value') },
  'an inspected value': {
    at: '#/inspect',
    open: async (page) => {
      await field('Value')(page).fill('AA33 reverted');
      await page.getByRole('button', { name: 'Inspect', exact: true }).click();
    },
    ready: (page) => page.getByRole('region').filter({ hasText: 'AA33' }).first(),
  },
  dapps: { at: '#/dapps', ready: (page) => page.getByRole('row').nth(2) },
  'register a DApp': dialogOf('#/dapps', 'Register a DApp'),
  policy: { at: '#/dapps/last/policy', ready: (page) => page.getByRole('listitem', { name: 'Five a day' }) },
  'policy history': {
    at: '#/dapps/last/policy',
    open: (page) => page.locator('summary', { hasText: 'Policy history' }).click(),
    ready: (page) => page.getByText('Initial policy'),
  },
  'rename a DApp': dialogOf('#/dapps/last/policy', 'Rename'),
  'an earlier policy': {
    at: '#/dapps/last/policy',
    open: async (page) => {
      await page.locator('summary', { hasText: 'Policy history' }).click();
      await page.getByRole('button', { name: 'Revert' }).first().click();
    },
    ready: dialog,
  },
  'narrow a policy': dialogOf('#/dapps/last/policy', 'Narrow'),
  'delete a rule': dialogOf('#/dapps/last/policy', 'Delete'),
  'a template': policyForm('template', 'Start from a template'),
  'a contract': policyForm('contracts', 'Register a contract'),
  'a limit': policyForm('spendingLimit', 'Add a limit'),
  deployments: policyForm('walletDeployment', 'Sponsor deployments'),
  'a list of senders': policyForm('senders', 'Add a list of senders'),
  identity: policyForm('identity', 'Require a person'),
  'a condition': policyForm('condition', 'Add a condition'),
  'a token holding': policyForm('tokenHolding', 'Add a token holding'),
  'a webhook': policyForm('webhook', 'Add a webhook'),
  'gas tank': { at: '#/dapps/last/tank', ready: heading('Balance') },
  'funding wallet': dialogOf('#/dapps/last/tank', /^(Set the funding wallet|Change wallet)$/),
  'low balance alert': dialogOf('#/dapps/last/tank', 'Edit alert'),
  connect: { at: '#/dapps/last/connect', ready: heading('Integration snippets') },
  'allowed origins': dialogOf('#/dapps/last/connect', 'Change allowed origins'),
  'longest expiry': dialogOf('#/dapps/last/connect', 'Change the longest expiry'),
  'token mode': dialogOf('#/dapps/last/connect', 'Change token mode'),
  'replace an API key': dialogOf('#/dapps/last/connect', 'Replace'),
  "a DApp's decisions": { at: '#/dapps/last/decisions', ready: (page) => page.getByRole('row').nth(5) },
  webhooks: { at: '#/dapps/last/webhooks', ready: heading('Webhooks') },
  'test call': dialogOf('#/dapps/last/webhooks', 'Send a test call'),
  costs: { at: '#/costs', ready: heading('Costs') },
  'monthly statement': dialogOf('#/costs', 'Monthly statement'),
  tokens: { at: '#/tokens', ready: (page) => page.getByText('A user pays about 3.39') },
  'add a token': { at: '#/tokens', open: press('Add a token'), ready: field('Address of the token') },
  events: { at: '#/events', ready: heading('Events') },
  'add an event webhook': dialogOf('#/events', 'Add event webhook'),
  activity: { at: '#/activity', ready: (page) => page.getByText('Before and after').first() },
  'a change': {
    at: '#/activity',
    open: (page) => page.locator('summary', { hasText: 'Before and after' }).first().click(),
    ready: (page) => page.getByText('of the log, by').first(),
  },
  'service log': { at: '#/activity/service', ready: (page) => page.getByText('http.request').first() },
  settings: { at: '#/settings', ready: (page) => page.getByText('rateLimitPerKey') },
  'checked settings': {
    at: '#/settings',
    open: press('Check everything'),
    ready: (page) => page.getByText('OK, schema'),
  },
  'set up a chain': dialogOf('#/settings', 'Set up a chain'),
  'change a chain': dialogOf('#/settings', /^Change the settings of|^Change$/),
  'change the passphrase': dialogOf('#/settings', 'Change passphrase'),
  'add a key': dialogOf('#/settings', 'Add a key'),
  'add an alert channel': dialogOf('#/settings', 'Add channel'),
  notifications: dialogOf('#/', /^Notifications/),
  'pause everything': dialogOf('#/', 'Pause all'),
  'search and actions': dialogOf('#/', 'Search'),
  'keyboard shortcuts': { at: '#/', open: (page) => page.keyboard.press('?'), ready: dialog },
  'last requests': {
    at: '#/',
    open: press('Requests'),
    ready: (page) => page.getByRole('region', { name: 'Developer tools' }),
  },
  'grouped errors': {
    at: '#/',
    open: press('Errors'),
    ready: (page) => page.getByRole('region', { name: 'Developer tools' }),
  },
  'commands of the page': { at: '#/', open: press('Commands'), ready: (page) => page.getByText('gasdesk doctor') },
};

let page: Page;
beforeAll(async () => {
  page = await browser().open(desk().url);
  await page.getByText('Engine running').waitFor();
});

/** Opens a page of the console, after another one, so that nothing of the last state is left. */
const goTo = async (hash: string): Promise<void> => {
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'hidden' });
  for (const to of ['#/inspect', hash]) await page.evaluate((address) => (window.location.hash = address), to);
};

test.each(Object.entries(STATES))('axe finds nothing, in either theme: %s', async (_name, { at, open, ready }) => {
  await goTo(typeof at === 'string' ? at : at());
  await open?.(page);
  await ready(page).first().waitFor();
  expect(await allFindings(page)).toEqual([]);
});
