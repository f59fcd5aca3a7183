import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';

const offline = useOfflineDesk();
const browser = useConsoleBrowser();

test('an open decision, and the list next to it, follow its settlement without a reload', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  await dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }), { expiryDuration: 60 });
  const [decision] = await dapp.decisions();
  const { url, operatorToken } = desk.engine();
  const page = await browser().open(`${url}/console/#token=${operatorToken.reveal()}`);
  await page.getByText('Engine running').waitFor();
  await page.evaluate((id) => (window.location.hash = `#/decisions/${id}`), decision!.id);
  const detail = page.getByRole('complementary', { name: 'Decision' });
  await detail.getByText('Not mined yet: the maximum cost is reserved').waitFor();
  const lists: string[] = [];
  page.on('request', (request) => {
    if (request.postData()?.includes('decisions.list') === true) lists.push(request.url());
  });

  while ((await dapp.decisions())[0]?.settlement === 'reserved') await desk.clock.advance(600_000);
  await detail.getByText('Unconfirmed: Gasdesk could not match it on chain').waitFor();
  expect(lists).toEqual([]);
  await page.screenshot({ path: join(import.meta.dirname, '../../test-artifacts/console-settled.png') });
  expect(browser().errors).toEqual([]);
});

test('the overview says what the newest operations call, read with their list, and still after they are settled', async () => {
  const desk = offline();
  const dapp = await desk.dapp();
  const op = (nonce: number) => operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce });
  for (const nonce of [1, 2]) await dapp.sponsor(op(nonce), { expiryDuration: 60 });
  const { url, operatorToken } = desk.engine();
  const page = await browser().open('about:blank');
  const reads: string[] = [];
  page.on('request', (request) => reads.push(...(/decisions\.(?:list|calls)/.exec(request.postData() ?? '') ?? [])));
  await page.goto(`${url}/console/#token=${operatorToken.reveal()}`);
  const links = page.getByRole('region', { name: 'Latest decisions' }).getByRole('link');
  const calls = async () => new Set(await links.allTextContents());
  const words = new Set(['0x12345678(…) on 0x1111…1111']);
  await expect.poll(calls).toEqual(words);

  const settled = page.waitForResponse((response) => response.request().postData()?.includes('system.info') === true);
  while ((await dapp.decisions())[0]?.settlement === 'reserved') await desk.clock.advance(600_000);
  await settled;
  expect(await calls()).toEqual(words);
  expect(reads).toEqual(['decisions.list']);
  expect(browser().errors).toEqual([]);
});
