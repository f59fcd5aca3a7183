import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { draft, storeDecisions } from '../export/stored-decisions.ts';
import { gasdesk } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { openReview } from './open-review.ts';

const tempFolder = useTempFolders();
const SCRIPT = '</style></title><script>alert(1)</script>"\'><img src=x onerror=alert(1)>';

const reviewOf = (decisions: readonly Record<string, unknown>[]) => {
  const file = join(tempFolder(), 'decisions.jsonl');
  writeFileSync(file, decisions.map((decision) => `${JSON.stringify(decision)}\n`).join(''));
  return openReview(file);
};

test('script in everything that strangers wrote is shown as text', async () => {
  const call = {
    webhookId: SCRIPT,
    url: SCRIPT,
    method: 'POST',
    request: { headers: { [SCRIPT]: SCRIPT }, body: SCRIPT },
    status: 200,
    response: SCRIPT,
  };
  const step = { rule: SCRIPT, outcome: 'deny', code: SCRIPT, evidence: { [SCRIPT]: SCRIPT }, micros: 1, call };
  const names = { id: SCRIPT, dapp: SCRIPT, sender: SCRIPT, paymasterId: SCRIPT, userOpHash: SCRIPT };
  const reason = { outcome: 'denied', rule: SCRIPT, code: SCRIPT, message: SCRIPT, hint: 'Look', mode: SCRIPT };
  const { service } = await reviewOf([{ ...draft(1), seq: 1, ...names, ...reason, trace: [step] }]);
  const { html } = await service.call('decisions.report', { paymasterId: SCRIPT });
  expect(html.match(/<script|<img|onerror=alert\(1\)>/g)).toEqual(null);
  expect(html.split('&lt;script&gt;').length).toBeGreaterThan(8);
});

test('the page lets in its own style and nothing else', async () => {
  const { service } = await reviewOf([{ ...draft(1), seq: 1 }]);
  const { html } = await service.call('decisions.report', {});
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(html).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;;`);
  expect(html.match(/\b(?:src|href|style|on\w+)=/g)).toEqual(null);
});

test('a time in the filter that is no date is refused', async () => {
  const { service } = await reviewOf([{ ...draft(1), seq: 1 }]);
  const last = 8_640_000_000_000_000;
  for (const filter of [{ from: last + 1 }, { to: last + 1 }])
    await expect(service.call('decisions.report', filter)).rejects.toMatchObject({ code: 'VALIDATION' });
  expect(await service.call('decisions.report', { to: last })).toMatchObject({ decisions: 1 });
});

test('totals are exact to the wei, beyond what a float holds', async () => {
  const money = (n: number, settlement: string, actualCostWei: string | null) => ({
    ...draft(n),
    seq: n,
    outcome: 'sponsored',
    rule: null,
    chainId: 137,
    settlement,
    actualCostWei,
    maxCostWei: '1000000000000000000001',
  });
  const { service } = await reviewOf([
    money(1, 'settled', '900000000000000000003'),
    money(2, 'reserved', null),
    money(3, 'released', null),
    { ...draft(6), seq: 6 },
  ]);
  const { html, decisions, told } = await service.call('decisions.report', {});
  expect({ decisions, told }).toEqual({ decisions: 4, told: 4 });
  for (const text of [
    '3,000.000000000000000003 POL',
    '3,000,000,000,000,000,000,003 wei',
    '900.000000000000000003 POL',
  ])
    expect(html).toContain(text);
  expect(html).toContain('1,900.000000000000000004 POL'); // of the day: what is mined, and what may still be
  expect(html).toContain('Contracts</td>');
});

test('the command writes the report of a filter, says the filter in words, and lists at most 2,000 one by one', async () => {
  const folder = openDataFolder(tempFolder());
  await storeDecisions(folder, 3_200);
  const out = join(tempFolder(), 'report.html');
  const report = ['decisions', 'report', '--outcome', 'sponsored', '--data', folder.dir, '--out', out, '--json'];
  writeFileSync(out, 'an earlier report');
  const refused = await gasdesk(report);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('replace it with --force')]);
  expect(readFileSync(out, 'utf8')).toBe('an earlier report');
  const made = await gasdesk([...report, '--force']);
  expect(made.stderr).toBe('');
  const { decisions, told } = JSON.parse(made.stdout) as { decisions: number; told: number };
  expect(told).toBe(2_000);
  expect(decisions).toBeGreaterThan(2_000);
  expect(readFileSync(out, 'utf8')).toMatch(/^<!doctype html>/);
  const page = await gasdesk([
    'decisions',
    'report',
    '--rule',
    'spendingLimit',
    '--from',
    '2026-01-01',
    '--data',
    folder.dir,
  ]);
  expect(page.stdout).toContain('Decisions decided by the rule Spending limit, since 2026-01-01 00:00:00 UTC');
  expect(page.stdout).toMatch(/^<!doctype html>/);
});
