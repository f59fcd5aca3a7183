import { readFileSync } from 'node:fs';
import type { BrowserWindow, Rectangle } from 'electron';
import { z } from 'zod';
import type { Clock } from '../engine/base/clock.ts';
import { writeDurably } from '../engine/data-folder/write-durably.ts';

/**
 * Minimum size of the window, because a smaller console cannot be used. Like all sizes here, in device-independent
 * pixels.
 */
export const SMALLEST = { width: 640, height: 480 };

export const FIRST: WindowState = { width: 1200, height: 800, isMaximised: false };
/** While the window is dragged, it has hundreds of positions. Only a position that it keeps for this long is stored. */
const REST_MS = 500;
/** The part of the window's upper edge that must be visible on a screen, so that the window can be dragged. */
const HANDLE = { width: 120, height: 30 };

const schema = z.strictObject({
  x: z.int().optional(),
  y: z.int().optional(),
  width: z.int().positive(),
  height: z.int().positive(),
  isMaximised: z.boolean(),
});

/** Size and position of the window. Without a position, the system chooses one. */
export type WindowState = Readonly<z.output<typeof schema>>;

/** The stored state; if the file is missing or damaged, the state for a first start. */
export const readWindowState = (file: string): WindowState => {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return FIRST;
  }
};

const canBeHeld = ({ x = 0, y = 0, width }: WindowState, area: Rectangle): boolean => {
  const across = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return across >= HANDLE.width && y >= area.y && y + HANDLE.height <= area.y + area.height;
};

const between = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most));

/**
 * Adapts the state so that the window is visible and usable: not larger than its screen, and not too small. Ignores a
 * position outside of all screens, because a screen may have been unplugged.
 *
 * @param areas work areas of the screens, without their task bars, primary screen first
 */
export const placeOn = (areas: readonly Rectangle[], state: WindowState): WindowState => {
  const own = state.x === undefined || state.y === undefined ? undefined : areas.find((area) => canBeHeld(state, area));
  const room = own ?? areas[0] ?? FIRST;
  const { x, y, ...rest } = state;
  return {
    ...rest,
    ...(own !== undefined && x !== undefined && y !== undefined && { x, y }),
    width: between(SMALLEST.width, state.width, room.width),
    height: between(SMALLEST.height, state.height, room.height),
  };
};

type WindowEvents = Pick<BrowserWindow, 'getNormalBounds' | 'isMaximized'> & {
  on(event: 'resize' | 'move' | 'maximize' | 'unmaximize' | 'close', listener: () => void): unknown;
};

/** Stores the window's state when it has stopped moving, and when it is closed. */
export const keepWindowState = (
  window: WindowEvents,
  file: string,
  clock: Clock,
  failed: (error: unknown) => void,
): void => {
  let cancel = (): void => undefined;
  const write = (): void => {
    cancel();
    const state: WindowState = { ...window.getNormalBounds(), isMaximised: window.isMaximized() };
    try {
      writeDurably(file, JSON.stringify(state));
    } catch (error) {
      failed(error);
    }
  };
  const writeSoon = (): void => {
    cancel();
    cancel = clock.setTimer(REST_MS, write);
  };
  for (const event of ['resize', 'move', 'maximize', 'unmaximize'] as const) window.on(event, writeSoon);
  window.on('close', write);
};
