import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createLog } from '../../src/engine/base/log.ts';
import { type Review, createReview } from '../../src/engine/review/review.ts';
import { EngineError } from '../../src/shared/errors.ts';
import { draft } from '../export/stored-decisions.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { openReview } from './open-review.ts';
import { sized } from '../support/combinations.ts';

const tempFolder = useTempFolders();
vi.stubEnv('TMPDIR', tempFolder());
const log = createLog({ level: 'silent' });
const LAST = Number.MAX_SAFE_INTEGER;

const lineOf = (n: number, fields: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ ...draft(n), seq: n, ...fields })}\n`;
const fileOf = (content: string | Uint8Array): string => {
  const file = join(tempFolder(), 'decisions.jsonl');
  writeFileSync(file, content);
  return file;
};

/** Asks a review everything that it can tell; answers what it lists. */
const readAll = async ({ service }: Review): Promise<number[]> => {
  const listed = await service.call('decisions.list', { limit: 1000 });
  const seqs = listed.map(({ seq }) => seq);
  for (const filter of [
    { rule: 'contracts' },
    { sender: `0x${'ab'.repeat(20)}` },
    { userOpHash: `0x${'ab'.repeat(32)}` },
  ]) {
    await service.call('decisions.list', filter);
  }
  const paged: number[] = [];
  for (let [after, more] = [0, true]; more;) {
    const page = await service.call('decisions.page', { after, limit: 2 });
    paged.push(...page.decisions.map(({ seq }) => seq));
    ({ upTo: after, more } = page);
  }
  expect(paged.toReversed()).toEqual(seqs);
  expect(await service.call('decisions.follow', { wait: false })).toEqual({
    rows: [],
    upTo: Math.max(0, ...seqs),
    more: false,
  });
  await service.call('decisions.summary', { hours: 87_600 });
  expect(await service.call('decisions.report', {})).toMatchObject({ decisions: seqs.length });
  for (const { id, sender } of listed) {
    await service.call('decisions.calls', { decisionId: id });
    const { nonce } = await service.call('decisions.show', { decisionId: id });
    await service.call('inspect.value', { value: JSON.stringify({ sender, nonce, callData: '0x' }) });
  }
  for (const name of ['paymasters.list', 'chains.list', 'system.info'] as const) await service.call(name, {});
  return seqs;
};

describe('positions of an export', () => {
  test('may be as far apart as numbers go: a reading steps from one to the next', async () => {
    const seqs = [1, 2, 9_999, 2 ** 40, LAST - 1, LAST];
    const review = await openReview(fileOf(seqs.map((seq, index) => lineOf(index + 1, { seq })).join('')));
    expect(await readAll(review)).toEqual(seqs.toReversed());
    const { service } = review;
    expect((await service.call('decisions.list', { before: 2 ** 40 })).map(({ seq }) => seq)).toEqual([9_999, 2, 1]);
    const { decisions } = await service.call('decisions.page', { after: 2 ** 40, limit: 1 });
    expect(decisions.map(({ seq }) => seq)).toEqual([LAST - 1]);
    const { outcomes } = await service.call('decisions.summary', { hours: 24, steps: 1 });
    expect(outcomes).toEqual([{ sponsored: 3, denied: 2, error: 1 }]);
  });

  test('begin as late as can be', async () => {
    expect(await readAll(await openReview(fileOf(lineOf(1, { seq: LAST }))))).toEqual([LAST]);
  });

  test.each([
    ['the same', 2],
    ['a smaller one', 1],
    ['0', 0],
    ['a negative one', -1],
    ['a fraction', 2.5],
    ['one beyond those that are exact', LAST + 1],
  ])('grow from line to line: %s is refused by its line', async (_what, seq) => {
    const opening = createReview({ file: fileOf(lineOf(2) + lineOf(3, { seq })), log });
    await expect(opening).rejects.toMatchObject({ code: 'EXPORT_INVALID', data: { line: 2 } });
    await expect(opening).rejects.toThrow(/Line 2: .*seq/);
  });
});

test.each([
  ['arrays', '[', ']'],
  ['objects', '{"a":', '}'],
])('a line that is nested without end is refused by its number: %s', async (_what, open, close) => {
  const nested = (levels: number): string => `${open.repeat(levels)}1${close.repeat(levels)}`;
  const line = (levels: number): string =>
    lineOf(2).replace('"request":{', `"request":{"deep":${nested(levels)},"n":1e999,`);
  expect(await readAll(await openReview(fileOf(lineOf(1) + line(100))))).toEqual([2, 1]);
  for (const levels of [200, 5_000, 3_000_000]) {
    const opening = createReview({ file: fileOf(lineOf(1) + line(levels)), log });
    await expect(opening).rejects.toMatchObject({ code: 'EXPORT_INVALID', data: { line: 2 } });
    await expect(opening).rejects.toThrow('Line 2: it is nested deeper than');
  }
});

const oddValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    -1,
    0.5,
    LAST,
    -LAST,
    1e308,
    '9'.repeat(300),
    '0x',
    '',
    '\u0000',
    '\ud800',
    '__proto__',
    [],
    {},
    null,
  ),
  fc.integer({ min: 1, max: 150 }).map((levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown),
);
const fields = [...Object.keys(draft(1)), 'seq', 'request', 'trace'];
const changedLine = (n: number): fc.Arbitrary<string> =>
  fc.dictionary(fc.constantFrom(...fields), oddValue, { maxKeys: 2 }).map((changed) => lineOf(n, changed));
/** The bytes of an export with stretches of them replaced. */
const damaged = fc
  .array(fc.record({ at: fc.nat(), drop: fc.nat(50), insert: fc.uint8Array({ maxLength: 20 }) }), { maxLength: 3 })
  .map((changes) =>
    changes.reduce<Buffer>(
      (bytes, { at, drop, insert }) => {
        const begin = at % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, begin), insert, bytes.subarray(begin + drop)]);
      },
      Buffer.from(lineOf(1) + lineOf(2) + lineOf(3)),
    ),
  );

test('whatever was done to an export, it is read to its end or refused by a line', async () => {
  const altered = fc.oneof(
    damaged,
    fc.tuple(changedLine(1), changedLine(2), changedLine(3)).map((lines) => Buffer.from(lines.join(''))),
  );
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(altered, async (content) => {
      const review = await createReview({ file: fileOf(content), log }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(EngineError);
        const { code, data, message } = error as EngineError;
        expect(code).toBe('EXPORT_INVALID');
        expect([typeof data['line'], message.slice(0, 11)]).toEqual(
          message.startsWith('Line ') ? ['number', message.slice(0, 11)] : ['undefined', 'The file is'],
        );
        return undefined;
      });
      if (review === undefined) return;
      opened += 1;
      try {
        await readAll(review);
      } finally {
        await review.stop();
      }
    }),
    {
      numRuns: sized(120, 40),
      examples: [[Buffer.from(lineOf(1))], [Buffer.from(lineOf(1, { id: 'd'.repeat(101) }))]],
    },
  );
  expect(opened).toBeGreaterThan(0);
});
