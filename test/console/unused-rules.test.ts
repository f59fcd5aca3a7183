import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';

const offline = useOfflineDesk();
const browser = useConsoleBrowser();
const DAY = 86_400_000;

test('the policy says for how long no operation has used a rule', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  const send = (sender: string) =>
    dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { sender: `0x${sender.repeat(20)}` }));
  await desk.limit(dapp, { name: 'All', thresholdType: 'COUNT', threshold: 50 });
  const { paymasterId } = dapp;
  const idle = await desk.limit(dapp, { name: 'Early users', thresholdType: 'COUNT', threshold: 9 });
  const when = `op.sender == '0x${'a1'.repeat(20)}'`;
  await desk.call('rules.update', { paymasterId, ruleId: idle, update: { when } });
  await send('a1');
  await desk.clock.sleep(41 * DAY);
  await send('b2');

  const { url, operatorToken } = desk.engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((id) => (window.location.hash = `#/dapps/${id}/policy`), paymasterId);
  const item = (name: string) => page.getByRole('listitem', { name });
  await item('Early users').getByText('Not used for 41 days').waitFor();
  expect(await item('All').getByText('Not used for').count()).toBe(0);
  await page.screenshot({ path: join(import.meta.dirname, '../../test-artifacts/unused-rules.png') });
  expect(browser().errors).toEqual([]);
});
