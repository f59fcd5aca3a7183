import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { AlertChannelView } from '../../src/api/alerts.ts';
import type { EventWebhookView } from '../../src/api/event-webhooks.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { eventOf, eventsOf, typesOf } from '../event-webhooks/desk-events.ts';
import { seriousErrors } from './axe.ts';

const desk = useOfflineDesk();
const { gameDapp, ask, add, removeAll } = eventsOf(desk);
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const open = async (address: string): Promise<Page> => {
  const engine = desk().engine();
  const page = await browser().open('about:blank');
  await page.goto(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), address);
  return page;
};
const look = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(artifacts, `events-${name}.png`) });
  expect(await seriousErrors(page), name).toEqual([]);
};

test('an operator adds an event webhook, sees what was sent and answered, and sends it again', async () => {
  const dapp = await gameDapp();
  let status = 503;
  const receiver = await startReceiver((_call, response) => void response.writeHead(status).end('not now'));
  const page = await open('#/events');
  await page.getByText('No event webhooks yet').waitFor();
  await look(page, '0-empty');
  await page.getByRole('button', { name: 'Add event webhook' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an event webhook' });
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByText('operation.denied').click();
  await look(page, '1-form');
  await dialog.getByRole('button', { name: 'Add event webhook' }).click();
  const secret = page.getByRole('dialog', { name: 'Signing secret' });
  await secret.getByText(/whsec_/).waitFor();
  await look(page, '2-secret');
  await secret.getByRole('button', { name: 'Done' }).click();
  const [webhook] = await desk().call<EventWebhookView[]>('eventWebhooks.list', {});
  expect(webhook?.events).not.toContain('operation.denied');
  await ask(dapp);
  await expect
    .poll(async () => {
      await desk().clock.advance(1_000);
      return receiver.calls.length;
    })
    .toBeGreaterThan(0);
  await page.getByText('It has not accepted the next event').waitFor();
  await page.getByRole('button', { name: 'Deliveries' }).click();
  await page.getByText('Retrying').click();
  await page.getByText('not now').waitFor();
  await page.getByText(/webhook-signature: v1/).waitFor();
  await look(page, '3-failing');
  status = 200;
  await expect
    .poll(async () => {
      await desk().clock.advance(60_000);
      return page.getByText('Delivered').count();
    })
    .toBeGreaterThan(0);
  const before = receiver.calls.length;
  await page.getByRole('button', { name: 'Send again' }).first().click();
  await expect
    .poll(async () => {
      await desk().clock.advance(1_000);
      return typesOf(receiver.calls.slice(before));
    })
    .toContain('operation.sponsored');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('button', { name: 'Unpause' }).waitFor();
  await look(page, '4-paused');
  await page.setViewportSize({ width: 400, height: 860 });
  await page.screenshot({ path: join(artifacts, 'events-5-narrow.png') });
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No event webhooks yet').waitFor();
});

test('an operator sees which event a webhook refuses, and that later ones continue', async () => {
  const dapp = await gameDapp();
  const receiver = await startReceiver((call, response) => {
    const isKnown = eventOf(call).type === 'operation.sponsored';
    response.writeHead(isKnown ? 204 : 422).end(isKnown ? '' : 'unknown type');
  });
  await add({ paymasterId: dapp.paymasterId, url: receiver.url });
  await ask(dapp, 'burn');
  await ask(dapp);
  const page = await open('#/events');
  await page.getByRole('button', { name: 'Deliveries' }).click();
  await expect
    .poll(async () => {
      await desk().clock.advance(1_000);
      return page.getByText('Set aside', { exact: true }).count();
    })
    .toBe(1);
  await page.getByText('1 refused event is set aside and retried.').waitFor();
  await page.getByText('Set aside', { exact: true }).click();
  await page.getByText('Later events continue.').waitFor();
  await page.getByText('unknown type').waitFor();
  await page.getByRole('button', { name: 'Send again' }).first().waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await look(page, `6-set-aside-${colorScheme}`);
  }
  await removeAll();
});

test('an operator adds a chat for alerts, tests it, and sees why a test failed', async () => {
  let status = 200;
  const receiver = await startReceiver((_call, response) => void response.writeHead(status).end());
  const page = await open('#/settings?at=alerts');
  const section = page.getByRole('region', { name: 'Alerts', exact: true });
  await section.getByRole('button', { name: 'Add channel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a channel for alerts' });
  await dialog.getByText('Missing: Mail server, To, From').waitFor();
  await look(page, '6-alert-mail');
  await dialog.getByText('Mail', { exact: true }).click();
  await page.locator('.n-base-select-option').filter({ hasText: 'Slack' }).click();
  await dialog.getByText('Missing: Incoming webhook').waitFor();
  await dialog.getByLabel('Incoming webhook').fill(`${receiver.url}/services/secret`);
  await dialog.getByText('Missing:').waitFor({ state: 'detached' });
  await dialog.getByText('Quiet hours').click();
  await dialog.getByLabel('From time').fill('23:00');
  await look(page, '7-alert-slack');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await section.getByText('Alerts wait from 23:00 to 07:00').waitFor();
  await section.getByRole('button', { name: 'Send a test' }).click();
  await section.getByText('The test alert was accepted.').waitFor();
  expect(receiver.calls[0]?.target).toBe('/services/secret');
  status = 500;
  await section.getByRole('button', { name: 'Send a test' }).click();
  await section.getByText(/answered with HTTP status 500/).waitFor();
  await look(page, '8-alert-failed');
  expect(await desk().call<AlertChannelView[]>('alerts.list', {})).toHaveLength(1);
  await section.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await section.getByText('No channels yet').waitFor();
});
