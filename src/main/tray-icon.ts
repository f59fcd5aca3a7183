import { type NativeImage, nativeImage } from 'electron';
import type { DeskState } from './desk-state.ts';

/** In pixels. The icon is shown at half this size, so it is sharp on high-density screens. */
const SIZE = 32;
const MIDDLE = (SIZE - 1) / 2;

/** Red, green and blue of the colours that the console uses for each state. */
const COLOURS: Readonly<Record<DeskState, readonly [number, number, number]>> = {
  sponsoring: [46, 160, 103],
  paused: [209, 140, 24],
  locked: [209, 140, 24],
  error: [207, 63, 63],
};

/** The white shape in the disc, because colour alone must not distinguish the states. */
const SIGNS: Readonly<Record<DeskState, (x: number, y: number) => boolean>> = {
  sponsoring: (x, y) => Math.hypot(x, y) < 5,
  paused: (x, y) => Math.abs(y) < 7 && Math.abs(Math.abs(x) - 4) < 2,
  locked: (x, y) => Math.abs(x) < 7 && Math.abs(y) < 2,
  error: (x, y) => Math.abs(Math.abs(x) - Math.abs(y)) < 2.5 && Math.abs(x) < 7,
};

export const trayIcon = (state: DeskState): NativeImage => {
  const [red, green, blue] = COLOURS[state];
  const pixels = Buffer.alloc(SIZE * SIZE * 4);
  for (let index = 0; index < SIZE * SIZE; index += 1) {
    const x = (index % SIZE) - MIDDLE;
    const y = Math.floor(index / SIZE) - MIDDLE;
    if (Math.hypot(x, y) > MIDDLE) continue;
    pixels.set(SIGNS[state](x, y) ? [255, 255, 255, 255] : [blue, green, red, 255], index * 4);
  }
  return nativeImage.createFromBitmap(pixels, { width: SIZE, height: SIZE, scaleFactor: 2 });
};
