import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rectangle } from 'electron';
import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { useTempFolders } from '../../test/support/temp-folder.ts';
import { keepWindowState, placeOn, readWindowState } from './window-state.ts';

const newFolder = useTempFolders();
const SCREEN: Rectangle = { x: 0, y: 0, width: 1920, height: 1040 };
const LEFT: Rectangle = { x: -1280, y: 100, width: 1280, height: 900 };
const at = (x: number, y: number) => ({ x, y, width: 1000, height: 700, isMaximised: false });

test.each(['', '{"width":1', '[]', '{"width":"1000","height":700,"isMaximised":false}', '{"x":1e400}'])(
  'a damaged file does not keep the window from opening: %s',
  (content) => {
    const file = join(newFolder(), 'window.json');
    writeFileSync(file, content);
    expect(readWindowState(file)).toEqual({ width: 1200, height: 800, isMaximised: false });
  },
);

test.each([
  ['where it was', at(100, 50), at(100, 50)],
  ['on a second screen', at(-1200, 200), at(-1200, 200)],
  ['half off the right edge, but to be taken hold of', at(1700, 0), at(1700, 0)],
])('the window opens %s', (_where, state, placed) => {
  expect(placeOn([SCREEN, LEFT], state)).toEqual(placed);
});

test.each([
  ['right of every screen', at(1900, 0)],
  ['above every screen', at(100, -40)],
  ['below every screen', at(100, 1030)],
  ['on a screen that was unplugged', at(5000, 3000)],
])('a window that was %s opens where it can be seen', (_where, state) => {
  expect(placeOn([SCREEN, LEFT], state)).toEqual({ width: 1000, height: 700, isMaximised: false });
});

test('the window is neither larger than the screen nor too small to be used', () => {
  const state = { width: 4000, height: 10, isMaximised: true };
  expect(placeOn([SCREEN], state)).toEqual({ width: 1920, height: 480, isMaximised: true });
});

test('the state is written when the window rests, once, and at the latest when it is closed', async () => {
  const file = join(newFolder(), 'window.json');
  const clock = new ManualClock();
  const errors: unknown[] = [];
  let bounds: Rectangle = { x: 0, y: 0, width: 800, height: 600 };
  const window = Object.assign(new EventEmitter(), { getNormalBounds: () => bounds, isMaximized: () => true });
  keepWindowState(window, file, clock, (error) => errors.push(error));
  for (let x = 1; x <= 100; x += 1) {
    bounds = { ...bounds, x };
    window.emit('move');
  }
  expect(clock.pending).toBe(1);
  expect(() => readFileSync(file)).toThrow('ENOENT');
  await clock.advance(500);
  expect(readWindowState(file)).toEqual({ ...bounds, isMaximised: true });
  bounds = { ...bounds, x: 7 };
  window.emit('resize');
  window.emit('close');
  expect(readWindowState(file).x).toBe(7);
  expect([clock.pending, errors]).toEqual([0, []]);
});

test('a state that cannot be written is reported, and the window continues to work', () => {
  const errors: unknown[] = [];
  const window = Object.assign(new EventEmitter(), { getNormalBounds: () => SCREEN, isMaximized: () => false });
  keepWindowState(window, join(newFolder(), 'no', 'window.json'), new ManualClock(), (error) => errors.push(error));
  window.emit('close');
  expect(errors).toHaveLength(1);
});
