import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { createLog } from '../../src/engine/base/log.ts';
import { createReview } from '../../src/engine/review/review.ts';
import { procedures } from '../../src/api/index.ts';
import { draft } from '../export/stored-decisions.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { openReview } from './open-review.ts';

const tempFolder = useTempFolders();
const log = createLog({ level: 'silent' });

/** Decision `n` as a line of an export, with fields replaced; undefined leaves a field out. */
const lineOf = (n: number, fields: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ ...draft(n), seq: n, ...fields })}\n`;
const fileOf = (content: string | Buffer): string => {
  const file = join(tempFolder(), 'decisions.jsonl');
  writeFileSync(file, content);
  return file;
};
const twoGood = lineOf(1) + lineOf(2);
/** Other tests open reviews at the same time: those here have a temporary folder of their own. */
const temporary = tempFolder();
vi.stubEnv('TMPDIR', temporary);
const leftBehind = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('gasdesk-review-'));

describe('a damaged or foreign file is refused with the line of the error, and nothing is left behind', () => {
  test.each<[string, string | Buffer, string]>([
    ['cut off in the last line', twoGood + lineOf(3).slice(0, -100), 'Line 3: it is cut off'],
    ['with a line that is not JSON', `${twoGood}what?\n${lineOf(3)}`, 'Line 3: it is not JSON'],
    ['with an empty line in between', `${twoGood}\n${lineOf(3)}`, 'Line 3: it is empty'],
    ['with a line that is no decision', `${twoGood}[1]\n`, 'Line 3: decision must be an object'],
    ['without a field', twoGood + lineOf(3, { trace: undefined }), 'Line 3: decision.trace must be an array'],
    ['with a field nobody knows', twoGood + lineOf(3, { extra: 1 }), 'Line 3: decision.extra should not exist'],
    [
      'with another outcome',
      lineOf(1, { outcome: 'maybe' }),
      'Line 1: decision.outcome must be one of: sponsored, denied, error',
    ],
    ['with an amount that is none', lineOf(1, { maxCostWei: '1e9' }), 'Line 1: decision.maxCostWei must be a decimal'],
    ['with a number that is rounded', lineOf(1).replace('"seq":1', '"seq":9007199254740993'), 'Line 1: decision.seq'],
    ['with a decision twice', twoGood + lineOf(3, { id: 'decision-1' }), 'Line 3: an earlier line has the same id'],
    ['with a number twice', twoGood + lineOf(3, { seq: 2 }), 'Line 3: its seq is 2, but an earlier line has 2'],
    [
      'that is not UTF-8',
      Buffer.concat([Buffer.from(twoGood), Buffer.from([0x22, 0xff, 0x22, 10])]),
      'Line 3: it is not',
    ],
    ['that PowerShell redirected', Buffer.from(`\ufeff${twoGood}`, 'utf16le'), 'Line 1: it is UTF-16'],
    ['that is binary', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 1, 2, 3]), 'Line 1: it is a binary file'],
    ['that is empty', '', 'The file is empty'],
  ])('%s', async (_what, content, message) => {
    const before = leftBehind();
    const opening = createReview({ file: fileOf(content), log });
    await expect(opening).rejects.toMatchObject({ code: 'EXPORT_INVALID' });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toThrow('A decision export has one decision per line');
    expect(leftBehind().filter((name) => !before.includes(name))).toEqual([]);
  });

  test('a SQLite database', async () => {
    const file = join(tempFolder(), 'other.db');
    new Database(file).exec('CREATE TABLE t (x)').close();
    await expect(createReview({ file, log })).rejects.toThrow('Line 1: it is a SQLite database');
  });

  test('a file that is not there', async () => {
    const file = join(tempFolder(), 'nothing');
    await expect(createReview({ file, log })).rejects.toMatchObject({ code: 'EXPORT_INVALID' });
  });
});

describe('a review', () => {
  test('is read-only: what would change anything, or ask a desk, is refused in one way', async () => {
    const { service } = await openReview(fileOf(twoGood));
    const reading = new Set([
      'decisions.list',
      'decisions.page',
      'decisions.follow',
      'decisions.summary',
      'decisions.report',
      'decisions.calls',
      'decisions.show',
      'decisions.mined',
      'decisions.policy',
      'inspect.value',
      'paymasters.list',
      'chains.list',
      'system.info',
    ]);
    for (const name of Object.keys(procedures).filter((each) => !reading.has(each))) {
      await expect(service.call(name as 'system.doctor', {}), name).rejects.toMatchObject({ code: 'REVIEW_READ_ONLY' });
    }
  });

  test('takes a file of Windows: a byte order mark, and carriage returns', async () => {
    const { service } = await openReview(fileOf(`\uFEFF${twoGood}`.replaceAll('\n', '\r\n')));
    expect(await service.call('decisions.list', {})).toHaveLength(2);
  });

  test('neither changes the file nor follows it, and takes its end without a line break', async () => {
    const file = fileOf(twoGood + lineOf(3).trimEnd());
    const before = readFileSync(file);
    const { service } = await openReview(file);
    expect(readFileSync(file).equals(before)).toBe(true);
    appendFileSync(file, '\nnoise');
    expect((await service.call('decisions.list', {})).map(({ seq }) => seq)).toEqual([3, 2, 1]);
  });

  test('keeps numbers by their digits', async () => {
    const exact = lineOf(1).replace('"request":{', '"request":{"nonce":1000000000000000000001,');
    const { service } = await openReview(fileOf(exact));
    const decision = await service.call('decisions.show', { decisionId: 'decision-1' });
    expect(JSON.stringify(decision)).toContain('"nonce":1000000000000000000001,');
  });

  test('counts its last hours back from its last decision, and says what it is of', async () => {
    const { service } = await openReview(fileOf(twoGood + lineOf(3)));
    const { outcomes } = await service.call('decisions.summary', { hours: 1, steps: 1 });
    expect(outcomes).toEqual([{ sponsored: 1, denied: 1, error: 1 }]);
    expect(await service.call('system.info', {})).toMatchObject({
      decisions: 3,
      review: { file: 'decisions.jsonl', from: draft(1).at, to: draft(3).at },
    });
  });

  test('shows calls by the names that were known when it was decided, and believes no other', async () => {
    const sender = `0x${'11'.repeat(20)}`;
    const target = `0x${'22'.repeat(20)}`;
    const word = (hex: string): string => hex.padStart(64, '0');
    // execute(target, 0, mint(3)) of a simple account
    const mint = `a0712d68${word('3')}`;
    const callData = `0xb61d27f6${word(target.slice(2))}${word('0')}${word('60')}${word('24')}${mint.padEnd(128, '0')}`;
    const request = (method: string) => ({
      userOperation: { sender, nonce: '0x0', callData },
      calls: [{ target, valueWei: '0', selector: '0xa0712d68', operation: 'call', contract: 'Items', method }],
    });
    const lines = lineOf(1, { request: request('mint(uint256)') }) + lineOf(2, { request: request('burn(uint256)') });
    const { service } = await openReview(fileOf(lines + lineOf(3, { request: null })));
    const told = await Promise.all(
      ['decision-1', 'decision-2', 'decision-3'].map((decisionId) => service.call('decisions.calls', { decisionId })),
    );
    expect(told[0]).toMatchObject({
      error: null,
      calls: [{ contract: 'Items', method: 'mint(uint256)', args: ['3'] }],
    });
    expect(told[1]).toMatchObject({ error: null, calls: [{ contract: 'Items', method: null, args: null }] });
    expect(told[2]).toEqual({ calls: [], error: 'The decision has no operation.' });
  });

  test('is given up while it is read, without a trace', async () => {
    const before = leftBehind();
    const signal = AbortSignal.abort();
    await expect(createReview({ file: fileOf(twoGood), log, signal })).rejects.toThrow();
    expect(leftBehind().filter((name) => !before.includes(name))).toEqual([]);
  });
});
