import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { seriousErrors } from './axe.ts';
import { HOSTILE } from './seeded-decisions.ts';

const desk = useOfflineDesk();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');

const open = async (address: string, view: Parameters<ReturnType<typeof browser>['open']>[1]): Promise<Page> => {
  const engine = desk().engine();
  const page = await browser().open('about:blank', view);
  await page.goto(`${engine.url}/console/#token=${engine.operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((hash) => (window.location.hash = hash), address);
  return page;
};
const look = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(artifacts, `notifications-${name}.png`) });
  expect(await seriousErrors(page), name).toEqual([]);
};
const views = [
  { width: 1280, colorScheme: 'light' },
  { width: 800, colorScheme: 'dark' },
  { width: 400, colorScheme: 'light' },
] as const;

test('the bell counts what is unseen, says what happened and leads to the page that helps', async () => {
  const empty = await open('#/', {});
  await empty.setViewportSize({ width: 400, height: 860 });
  const bell = empty.getByRole('button', { name: 'Notifications', exact: true });
  const [top, other] = [await bell.boundingBox(), await empty.getByRole('button', { name: 'Pause all' }).boundingBox()];
  // The bar stays one line on a narrow screen.
  expect(Math.abs(top!.y - other!.y)).toBeLessThan(8);
  await look(empty, '0-narrow');
  await bell.click();
  await empty.getByText('No notifications yet').waitFor();
  await empty.close();

  const dapp = await desk().dapp();
  await desk().call('paymasters.pause', { paymasterId: dapp.paymasterId, reason: HOSTILE });
  await expect.poll(() => desk().call('notifications.list', {})).toMatchObject({ unseen: 1 });
  await desk().call('system.pause', { reason: 'Upgrading' });
  for (const view of views) {
    const page = await open('#/rules', view);
    await page.getByRole('button', { name: 'Notifications, 2 unseen' }).click();
    const panel = page.getByRole('dialog', { name: 'Notifications' });
    await panel.getByText(HOSTILE).waitFor();
    await look(page, `1-panel-${view.width}`);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.close();
  }

  const page = await open('#/rules', {});
  await page.getByRole('button', { name: /^Notifications/ }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Notifications' });
  await panel.getByText('ongoing').first().waitFor();
  expect(await panel.getByRole('listitem').first().getByRole('link').innerText()).toBe('All sponsorship is paused');
  await panel.getByRole('button', { name: 'Mark all as seen' }).click();
  await page.getByRole('button', { name: 'Notifications', exact: true, includeHidden: true }).waitFor();
  await desk().call('system.resume', {});
  await panel.getByText('ended').waitFor();
  await panel.getByRole('link', { name: /^Sponsorship for DApp/ }).click();
  await page.getByRole('heading', { name: /^DApp \d+$/, level: 1 }).waitFor();
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
});

test('notifications are sent to a URL, a test says whether it works, and a failure stays in sight', async () => {
  let status = 503;
  const receiver = await startReceiver((_call, response) => void response.writeHead(status).end());
  const page = await open('#/settings', {});
  const section = page.getByRole('region', { name: 'Notifications' });
  await section.getByLabel('Webhook URL').fill(receiver.url);
  await section.getByRole('button', { name: 'Save' }).click();
  await section.getByRole('button', { name: 'Send a test' }).click();
  await section.getByText('The last call failed').waitFor();
  await section.getByText('answered with HTTP status 503').waitFor();
  await section.scrollIntoViewIfNeeded();
  await look(page, '2-failed');
  status = 200;
  await section.getByRole('button', { name: 'Send a test' }).click();
  await section.getByText('The last call arrived').waitFor();
  await section.getByText('The webhook accepted the test notification.').waitFor();
  await section.getByRole('button', { name: 'Show secret' }).click();
  await section
    .getByText(/whsec_/)
    .first()
    .waitFor();
  await look(page, '3-arrived');
  await section.getByRole('button', { name: 'Remove' }).click();
  await section.getByRole('button', { name: 'Send a test' }).waitFor({ state: 'detached' });
  expect(receiver.calls).toHaveLength(2);
});
