import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { useTempFolders } from '../../../test/support/temp-folder.ts';
import { folderTarget } from './folder-target.ts';
import { newestLease, takeOwnLease } from './lease.ts';
import type { CopyTarget } from './target.ts';

const tempFolder = useTempFolders();
const TERM_MS = 5_000;
const RENEW_MS = 1_500;

test('a desk does not lead after its machine has slept for the term of the lease, until it has renewed it', async () => {
  const clock = new ManualClock();
  const lease = await takeOwnLease({ target: folderTarget(tempFolder()), holder: 'one', clock });
  onTestFinished(() => lease?.end(false));
  clock.sleptMs = TERM_MS - 1;
  expect(lease?.isHeld()).toBe(true);
  clock.sleptMs = TERM_MS;
  expect(lease?.isHeld()).toBe(false);
  await clock.advance(RENEW_MS);
  await expect.poll(() => lease?.isHeld()).toBe(true);
});

test('a desk that finds the lease of another one does not lead again', async () => {
  const [clock, target] = [new ManualClock(), folderTarget(tempFolder())];
  const lease = await takeOwnLease({ target, holder: 'one', clock });
  onTestFinished(() => lease?.end(false));
  await target.create('lease/0000000002', Buffer.from(JSON.stringify({ holder: 'other', isReleased: false })));
  await clock.advance(RENEW_MS);
  await expect.poll(() => lease?.isHeld()).toBe(false);
  expect(clock.pending).toBe(0);
});

test('a desk takes its lease again after an answer of its object store was lost', async () => {
  const [clock, target] = [new ManualClock(), folderTarget(tempFolder())];
  let isLost = false;
  const losing: CopyTarget = {
    ...target,
    create: async (name, bytes) => {
      const isCreated = await target.create(name, bytes);
      if (isLost) return isCreated;
      isLost = true;
      return false;
    },
  };
  const lease = await takeOwnLease({ target: losing, holder: 'one', clock });
  onTestFinished(() => lease?.end(false));
  expect(lease?.isHeld()).toBe(true);
  expect(await newestLease(target)).toMatchObject({ holder: 'one', number: 2 });
});

test('a desk whose object store never shows its lease gives up after some attempts', async () => {
  const [clock, target] = [new ManualClock(), folderTarget(tempFolder())];
  const blind: CopyTarget = { ...target, list: async () => [] };
  expect(await takeOwnLease({ target: blind, holder: 'one', clock })).toBeUndefined();
});
