import { getBytes, id } from 'ethers';

/** An item of the game as it is drawn: a figure of squares, symmetric to its middle. */
export interface PixelItem {
  /** The squares that are filled, from the top left. */
  readonly squares: readonly { readonly x: number; readonly y: number; readonly isLight: boolean }[];
  /** Of the colour circle, in degrees. */
  readonly hue: number;
}

export const PIXELS = 8;
const HALF = PIXELS / 2;
/** Of four values of a square, the one that stays empty, and the one in the lighter colour. */
const VALUES = 4;
const EMPTY = 0;
const LIGHT = 3;
const DEGREES = 360;
const BYTE = 256;

/** The look of an account's item. @param index which of its items, from 0 */
export const pixelItem = (account: string, index: number): PixelItem => {
  // A hash has one byte for each square of the left half.
  const bytes = getBytes(id(`${account.toLowerCase()} ${index}`));
  const squares = [...bytes].flatMap((byte, at) => {
    const value = byte % VALUES;
    if (value === EMPTY) return [];
    const [x, y, isLight] = [at % HALF, Math.floor(at / HALF), value === LIGHT];
    return [
      { x, y, isLight },
      { x: PIXELS - 1 - x, y, isLight },
    ];
  });
  return { squares, hue: Math.round(((bytes[0] ?? 0) * DEGREES) / BYTE) };
};
