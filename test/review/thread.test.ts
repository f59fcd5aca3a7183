import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ReviewThread, startReviewThread } from '../../src/engine/review/review-thread.ts';
import { draft } from '../export/stored-decisions.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { sized } from '../support/combinations.ts';

const script = new URL('../../src/engine/review/review-worker.ts', import.meta.url);
const tempFolder = useTempFolders();
const temporary = tempFolder();
// Threads take over the environment as it is when they start.
vi.stubEnv('TMPDIR', temporary);
const leftBehind = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('gasdesk-review-'));

const exportOf = (count: number): string => {
  const file = join(tempFolder(), 'decisions.jsonl');
  const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ ...draft(index + 1), seq: index + 1 }));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

/** Decisions of an export whose opening takes seconds. */
const LARGE = sized(20_000, 4_000);

const start = (file: string): ReviewThread => {
  const review = startReviewThread(script, file);
  onTestFinished(() => review.stop());
  return review;
};

test('a large export is opened without holding up anything else in the process', async () => {
  const file = exportOf(LARGE);
  const before = performance.eventLoopUtilization();
  const { opened, service } = start(file);
  await opened;
  // Nearly all of the time the event loop is free; in this thread it would be busy all of it.
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.3);
  expect(await service.call('system.info', {})).toMatchObject({
    decisions: LARGE,
    review: { file: 'decisions.jsonl' },
  });
  const [newest] = await service.call('decisions.list', { limit: 1 });
  expect(newest?.seq).toBe(LARGE);
});

test('what is refused says why, as in the process itself, and nothing is left behind', async () => {
  const file = exportOf(2);
  writeFileSync(file, 'what?\n', { flag: 'a' });
  const damaged = start(file);
  await expect(damaged.opened).rejects.toMatchObject({
    name: 'EngineError',
    code: 'EXPORT_INVALID',
    message: expect.stringContaining('Line 3: it is not JSON'),
    data: { line: 3 },
  });
  expect(leftBehind()).toEqual([]);
  const { opened, service } = start(exportOf(1));
  await opened;
  await expect(service.call('system.pause', {})).rejects.toMatchObject({ code: 'REVIEW_READ_ONLY' });
  await expect(service.call('decisions.list', { all: true })).rejects.toMatchObject({ code: 'VALIDATION' });
});

test('ended while it opens, or while a question waits, it removes what it made, and answers that it is over', async () => {
  const early = start(exportOf(2 * LARGE));
  await expect.poll(leftBehind).toHaveLength(1);
  const refused = expect(early.opened).rejects.toMatchObject({ message: expect.stringContaining('cancelled') });
  await early.stop();
  await refused;
  expect(leftBehind()).toEqual([]);

  const file = exportOf(1);
  const late = start(file);
  await late.opened;
  const waiting = late.service.call('decisions.follow', {});
  const over = expect(waiting).rejects.toMatchObject({ message: 'The review has ended. Open the file again' });
  await late.stop();
  await over;
  await expect(late.service.call('system.info', {})).rejects.toThrow('The review has ended');
  expect([leftBehind(), existsSync(file)]).toEqual([[], true]);
});
