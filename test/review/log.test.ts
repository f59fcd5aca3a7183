import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { exportedLog } from '../../src/api/log-export.ts';
import type { Caller } from '../../src/api/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { createReview } from '../../src/engine/review/review.ts';
import { startReviewThread } from '../../src/engine/review/review-thread.ts';
import { verifierKeyText } from '../../src/core/log/signed-note.ts';
import { sha256 } from '../../src/engine/base/sha256.ts';
import { EngineError } from '../../src/shared/errors.ts';
import { gasdesk } from '../support/cli.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const desk = useOfflineDesk();
const tempFolder = useTempFolders();
const call: Caller = (name, input) => desk().call(name, input);
const log = createLog({ level: 'silent' });

const op = (nonce: number) =>
  operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce: `0x${nonce.toString(16)}` });

const fileOf = (content: string | Uint8Array, name = 'log.jsonl'): string => {
  const file = join(tempFolder(), name);
  writeFileSync(file, content);
  return file;
};
const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Opens a file for review until the test is over, and says what verifying it has found. */
const reviewOf = async (file: string, key?: string) => {
  const review = await createReview({ file, key, log });
  onTestFinished(() => review.stop());
  const { service } = review;
  const info = await service.call('system.info', {});
  return { service, decisions: info.decisions, verification: info.review?.verification };
};

let dapp: SponsoredDapp;
let key: string;
/** A whole log: its head, its entries and its checkpoint. */
let lines: readonly string[];
let receipt: string;
let receiptOf: string;

beforeAll(async () => {
  dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 2 });
  for (const nonce of [0, 1, 2]) await dapp.sponsor(op(nonce));
  await desk().restart();
  expect(codeOf(await dapp.sponsor(op(3)))).toBe('LIMIT_REACHED');
  // No node: once the first two have expired, they count as spent.
  await desk().clock.advance(3_600_000);
  const settlements = async () => (await dapp.decisions()).map(({ settlement }) => settlement);
  await vi.waitFor(async () => expect(await settlements()).toContain('unconfirmed'));
  ({ key } = await call('log.key', {}));
  let whole = '';
  for await (const part of exportedLog(call)) whole += part;
  lines = whole.split('\n').slice(0, -1);
  receiptOf = (await dapp.decisions())[0]?.id ?? '';
  ({ receipt } = await call('log.receipt', { decisionId: receiptOf }));
});

const lineOf = (part: string): number => lines.findIndex((line) => line.includes(part));

test('a log opens with what the desk lists, shows and sums up, and says that every verdict follows', async () => {
  const { service, verification } = await reviewOf(fileOf(joined(lines)), key);
  const { origin } = await call('log.key', {});
  expect(verification).toEqual({
    state: 'verified',
    words: `${lines.length - 2} entries, complete, signed by ${origin}. Every verdict and every amount follows from the entries.`,
    decisionId: null,
  });
  for (const filter of [{}, { outcome: 'denied' as const }, { rule: 'spendingLimit' as const }]) {
    expect(await service.call('decisions.list', filter)).toEqual(await call('decisions.list', filter));
  }
  for (const { id, policy: hash = '' } of await dapp.decisions()) {
    const shown = { decisionId: id };
    expect(await service.call('decisions.show', shown)).toEqual(await call('decisions.show', shown));
    expect(await service.call('decisions.policy', { hash })).toEqual(await call('decisions.policy', { hash }));
  }
  expect(await service.call('decisions.page', {})).toEqual(await call('decisions.page', {}));
  expect((await service.call('decisions.report', {})).decisions).toBe(4);
});

test('a log with an unknown key says so; another key makes it a fault', async () => {
  const whole = fileOf(joined(lines));
  expect((await reviewOf(whole)).verification).toMatchObject({
    state: 'keyNotKnown',
    words: expect.stringContaining('The key is the one in the file'),
  });
  const other = verifierKeyText({ name: 'example.com/foo', publicKey: new Uint8Array(32) }, sha256);
  expect((await reviewOf(whole, other)).verification).toMatchObject({
    state: 'faulty',
    words: expect.stringContaining('It is not signed by example.com/foo'),
  });
  await expect(createReview({ file: whole, key: 'what', log })).rejects.toMatchObject({ code: 'VALIDATION' });
  const decisions = fileOf('{}\n', 'decisions.jsonl');
  await expect(createReview({ file: decisions, key, log })).rejects.toThrow('This file is neither');
});

test('a head that was altered is a fault, whichever of its fields', async () => {
  const { origin } = await call('log.key', {});
  for (const [was, is] of [
    [origin, 'gasdesk/other'],
    [`"to":${lines.length - 2}`, '"to":1'],
    [key.slice(-9), 'AAAAAAAA='],
  ] as const) {
    const changed = lines.with(0, (lines[0] ?? '').replace(was, is));
    const { verification } = await reviewOf(fileOf(joined(changed)), key);
    expect(verification).toMatchObject({ state: 'faulty', words: expect.stringContaining('The head of the file') });
  }
});

test('a part of a log opens as one', async () => {
  let part = '';
  for await (const text of exportedLog(call, { from: 2 })) part += text;
  const { verification, decisions } = await reviewOf(fileOf(part), key);
  expect([verification?.state, decisions]).toEqual(['verified', 4]);
  expect(verification?.words).toMatch(/^\d+ of \d+ entries, signed by /);
});

describe('a log that was altered opens with its first fault on top', () => {
  const opened = async (changed: readonly string[]) => (await reviewOf(fileOf(joined(changed)), key)).verification;

  test('a verdict, with its decision', async () => {
    const line = lineOf('"code":"LIMIT_REACHED"');
    const { id } = (JSON.parse(lines[line] ?? '') as { body: { id: string } }).body;
    const changed = lines.with(line, (lines[line] ?? '').replace('"code":"LIMIT_REACHED"', '"code":"PAUSED"'));
    expect(await opened(changed)).toEqual({
      state: 'faulty',
      words: expect.stringContaining(
        `Entry ${line - 1} is at fault: code is PAUSED; deciding again gives LIMIT_REACHED`,
      ),
      decisionId: id,
    });
  });

  test.each<[string, (all: readonly string[]) => readonly string[], string]>([
    ['an entry removed', (all) => all.toSpliced(4, 1), 'Entry 3 is at fault: Entry 4 is at the position of entry 3'],
    ['an entry doubled', (all) => all.toSpliced(4, 0, all[4] ?? ''), 'Entry 4 is at fault'],
    ['a line that is no entry', (all) => all.with(4, 'what?'), 'Entry 3 is at fault: This line is not an entry: what?'],
    ['cut off', (all) => all.slice(0, 6), 'Entry 5 is at fault: There is no checkpoint'],
  ])('%s', async (_what, alter, words) => {
    expect(await opened(alter(lines))).toMatchObject({ state: 'faulty', words: expect.stringContaining(words) });
  });

  test('a decision that cannot be shown is left out, and named', async () => {
    const line = lineOf('"kind":"decision"');
    const changed = lines.with(line, (lines[line] ?? '').replace('"dapp":', '"dApp":'));
    const { verification, decisions } = await reviewOf(fileOf(joined(changed)), key);
    expect([verification?.state, decisions]).toEqual(['faulty', 3]);
    expect(verification?.words).toContain(`Entry ${line - 1} is at fault`);
  });
});

test('whatever was done to a log, it opens or is refused in words', async () => {
  const bytes = Buffer.from(joined(lines));
  const change = fc.record({ at: fc.nat(), drop: fc.nat(60), insert: fc.uint8Array({ min: 0x21, maxLength: 20 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const altered = changes.reduce<Buffer>((all, { at, drop, insert }) => {
        const begin = at % (all.length + 1);
        return Buffer.concat([all.subarray(0, begin), insert, all.subarray(begin + drop)]);
      }, bytes);
      const review = await createReview({ file: fileOf(altered), key, log }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(EngineError);
        return undefined;
      });
      if (review === undefined) return;
      try {
        const { review: info } = await review.service.call('system.info', {});
        const isWhole = altered.equals(bytes) || altered.equals(bytes.subarray(0, -1));
        if (!isWhole) expect(info?.verification?.state).toBe('faulty');
        for (const { id } of await review.service.call('decisions.list', {})) {
          await review.service.call('decisions.show', { decisionId: id });
        }
      } finally {
        await review.stop();
      }
    }),
    { numRuns: 40 },
  );
});

describe('a receipt', () => {
  const opened = (content: string, by: string | undefined = key) => reviewOf(fileOf(content, 'receipt.txt'), by);

  test('opens as its decision, and says where in the log it stands', async () => {
    const { service, verification } = await opened(receipt);
    const [shown, ...others] = await service.call('decisions.list', {});
    expect([shown?.id, others]).toEqual([receiptOf, []]);
    const { origin } = await call('log.key', {});
    expect(verification).toEqual({
      state: 'verified',
      words: expect.stringMatching(
        new RegExp(
          `^This decision is in the log of ${origin} at position \\d+, as the checkpoint of \\d+ entries says\\.$`,
        ),
      ),
      decisionId: null,
    });
  });

  test('without the key says that the signer is unknown', async () => {
    const file = fileOf(receipt, 'receipt.txt');
    const { verification } = await reviewOf(file);
    expect(verification).toMatchObject({
      state: 'keyNotKnown',
      words: expect.stringContaining('open the file with --key'),
    });
  });

  test('of another place, or with another signature, proves nothing', async () => {
    const moved = await opened(receipt.replace(/\nindex (\d+)/, (_, index: string) => `\nindex ${Number(index) - 1}`));
    expect(moved.verification).toMatchObject({ state: 'faulty', decisionId: receiptOf });
    const signed = await opened(receipt.replace(/\n(\d+)\n/, (_, size: string) => `\n${Number(size) + 1}\n`));
    expect(signed.verification).toMatchObject({
      state: 'faulty',
      words: 'This receipt proves nothing. The checkpoint cannot be trusted. Its signature is wrong.',
    });
  });

  test.each<[string, (whole: string) => string, string]>([
    ['cut off', (whole) => whole.slice(0, 300), 'it is cut off, or was altered'],
    ['of no entry', (whole) => whole.replace(/extra \S+/, 'extra e30='), 'it contains no entry of a log'],
    [
      'of another kind of entry',
      (whole) => whole.replace(/extra \S+/, `extra ${Buffer.from(lines[1] ?? '').toString('base64')}`),
      'its entry is of the kind start',
    ],
  ])('%s is refused', async (_what, alter, words) => {
    const file = fileOf(alter(receipt), 'receipt.txt');
    await expect(createReview({ file, key, log })).rejects.toMatchObject({ code: 'EXPORT_INVALID' });
    await expect(createReview({ file, key, log })).rejects.toThrow(words);
  });
});

test('gasdesk review verifies a log with the key, in a home that is empty, and says what came of it', async () => {
  const cli = join(import.meta.dirname, '../../src/cli/index.ts');
  const env = { HOME: '/dev/null', XDG_DATA_HOME: '/dev/null/data', TMPDIR: tempFolder() };
  const child = spawn(process.execPath, [cli, 'review', fileOf(joined(lines)), '--key', key], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const said = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(await said).toMatch(/^\d+ entries, complete, signed by gasdesk\/.*follows from the entries\.\n$/);
});

test('a log is no export to replay, and the command says what it is', async () => {
  const { code, stderr } = await gasdesk(['decisions', 'replay', fileOf(joined(lines))]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('it is an exported log, which "gasdesk log verify"')]);
});

test('in a thread of its own it opens with the same words', async () => {
  const script = new URL('../../src/engine/review/review-worker.ts', import.meta.url);
  const parts: number[] = [];
  const thread = startReviewThread(script, fileOf(joined(lines)), (part) => parts.push(part));
  onTestFinished(() => thread.stop());
  await thread.opened;
  const { review } = await thread.service.call('system.info', {});
  expect(review?.verification?.state).toBe('keyNotKnown');
  expect(parts).toEqual([1]);
});
