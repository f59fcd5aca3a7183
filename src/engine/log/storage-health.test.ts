import { beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { EngineError } from '../../shared/errors.ts';
import { type StorageHealth, createStorageHealth } from './storage-health.ts';

const SECOND = 1_000;

let clock: ManualClock;
let room: boolean;
let looks: number;
let writes: boolean;
let health: StorageHealth;
beforeEach(() => {
  clock = new ManualClock(0);
  [room, looks, writes] = [true, 0, true];
  const hasRoom = (): Promise<boolean> => {
    looks += 1;
    return Promise.resolve(room);
  };
  health = createStorageHealth({ clock, hasRoom });
});

const problem = async (): Promise<string | undefined> => {
  await clock.advance(SECOND);
  const tryWrite = (): Promise<void> => (writes ? Promise.resolve() : Promise.reject(new Error('no')));
  return health.problem({ tryWrite });
};

test('a full disk is reported before a write fails, until space is free', async () => {
  expect(await problem()).toBeUndefined();
  room = false;
  expect(await problem()).toMatch(/^The disk of the data folder is full/);
  room = true;
  expect(await problem()).toBeUndefined();
});

test('a failed write is reported until one succeeds, for which space must be free', async () => {
  health.failed(new EngineError('STORAGE_FAILED', 'It failed'));
  writes = false;
  expect(await problem()).toBe('It failed');
  [writes, room] = [true, false];
  expect(await problem()).toBe('It failed');
  room = true;
  expect(await problem()).toBeUndefined();
});

test('a damaged database stays one', async () => {
  health.failed(new EngineError('STORAGE_FAILED', 'It is damaged', { damaged: true }));
  expect(await problem()).toBe('It is damaged');
  expect(await problem()).toBe('It is damaged');
});

test('frequent questions look at the disk at most once a second', async () => {
  const store = { tryWrite: () => Promise.resolve() };
  for (let asked = 0; asked < 100; asked += 1) await health.problem(store);
  expect(looks).toBe(1);
});
