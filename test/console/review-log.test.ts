import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { exportedLog } from '../../src/api/log-export.ts';
import type { Caller } from '../../src/api/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { createReview } from '../../src/engine/review/review.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { useConsoleBrowser } from '../support/console-page.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { seriousErrors } from './axe.ts';

// A log that was made, not written by hand: every verdict follows.
const desk = useOfflineDesk();
const browser = useConsoleBrowser();
const tempFolder = useTempFolders();
const root = join(import.meta.dirname, '../..');
const artifacts = join(root, 'test-artifacts');

type View = Parameters<ReturnType<typeof browser>['open']>[1];

let key: string;
let whole: string;
let receipt: string;
/** The decision that a limit denied. */
let denied: string;
beforeAll(async () => {
  const dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 2 });
  for (const nonce of ['0x0', '0x1', '0x2']) {
    await dapp.sponsor(operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce }));
  }
  denied = (await dapp.decisions()).find(({ outcome }) => outcome === 'denied')?.id ?? '';
  const call: Caller = (name, input) => desk().call(name, input);
  ({ key } = await call('log.key', {}));
  whole = join(tempFolder(), 'november-log.jsonl');
  let text = '';
  for await (const part of exportedLog(call)) text += part;
  writeFileSync(whole, text);
  receipt = join(tempFolder(), 'denied.tlog-proof');
  writeFileSync(receipt, (await call('log.receipt', { decisionId: denied })).receipt);
});

/** Serves a file under review until the test is over. */
const served = async (file: string, by?: string): Promise<string> => {
  const log = createLog({ level: 'silent' });
  const review = await createReview({ file, key: by, log, consoleFolder: join(root, 'out', 'renderer') });
  onTestFinished(() => review.stop());
  const address = await review.serve({ host: '127.0.0.1', port: 0 });
  return `${address}/console/#token=${review.operatorToken.reveal()}`;
};

/** Opens a review, and closes it again before it ends: its page would ask on. */
const opened = async (url: string, view: View = {}): Promise<Page> => {
  const page = await browser().open(url, view);
  onTestFinished(() => page.close());
  await page.getByText('Review of').waitFor();
  return page;
};

/** The log with another reason for the denial. */
const forged = (): string => {
  const file = join(tempFolder(), 'forged-log.jsonl');
  const lines = readFileSync(whole, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes(`"id":"${denied}"`));
  writeFileSync(
    file,
    lines.with(line, (lines[line] ?? '').replace('"code":"LIMIT_REACHED"', '"code":"SENDER_DENIED"')).join('\n'),
  );
  return file;
};

describe.each([
  { width: 1280, height: 860 },
  { width: 800, height: 900 },
  { width: 400, height: 860 },
])('at $width px', (size) => {
  test.each(['light', 'dark'] as const)(
    'a log says on top what it proves, or where the error is: %s',
    async (colorScheme) => {
      const errors: string[] = [];
      const look = async (page: Page, name: string): Promise<void> => {
        await page
          .getByRole('img', { name: /^Bar chart/ })
          .locator('canvas')
          .waitFor();
        await page.screenshot({ path: join(artifacts, `review-log-${name}-${size.width}-${colorScheme}.png`) });
        errors.push(...(await seriousErrors(page)).map((error) => `${name}: ${error}`));
      };
      const view = { ...size, colorScheme };
      const sound = await opened(await served(whole, key), view);
      await sound.getByText(/complete, signed by gasdesk\/.* Every verdict and every amount follows/).waitFor();
      await look(sound, 'verified');
      const unknown = await opened(await served(whole), view);
      await unknown.getByText('Consistent, but its key is unknown').waitFor();
      await look(unknown, 'key-not-known');
      const broken = await opened(await served(forged(), key), view);
      await broken.getByText('Verification failed', { exact: true }).waitFor();
      await look(broken, 'faulty');
      expect(errors).toEqual([]);
    },
    120_000,
  );
});

test('the decision with the error is one step away', async () => {
  const page = await opened(await served(forged(), key));
  await page.getByRole('link', { name: 'Open the decision' }).click();
  await page.getByRole('heading', { name: 'Rule by rule' }).waitFor();
  expect(page.url()).toContain(denied);
});

test('a receipt shows its decision, and where in the log it stands', async () => {
  const page = await opened(await served(receipt, key));
  await page.getByText(/^This decision is in the log of gasdesk\/.* at position \d+/).waitFor();
  await page.screenshot({ path: join(artifacts, 'review-receipt.png') });
  expect(await seriousErrors(page)).toEqual([]);
  await page.evaluate((id) => (window.location.hash = `#/decisions/${id}`), denied);
  await page.getByRole('heading', { name: 'Rule by rule' }).waitFor();
});
