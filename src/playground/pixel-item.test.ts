import { expect, test } from 'vitest';
import { PIXELS, pixelItem } from './pixel-item.ts';

const ACCOUNT = '0x00000000000000000000000000000000000000aB';

test('an item looks the same whenever it is drawn, and unlike the next one', () => {
  expect(pixelItem(ACCOUNT, 0)).toEqual(pixelItem(ACCOUNT.toLowerCase(), 0));
  expect(pixelItem(ACCOUNT, 1)).not.toEqual(pixelItem(ACCOUNT, 0));
});

test('every item can be seen, and is symmetric', () => {
  for (let index = 0; index < 200; index += 1) {
    const { squares } = pixelItem(ACCOUNT, index);
    const filled = new Set(squares.map(({ x, y }) => `${x} ${y}`));
    expect(filled.size).toBeGreaterThan(PIXELS);
    expect(squares.every(({ x, y }) => filled.has(`${PIXELS - 1 - x} ${y}`))).toBe(true);
  }
});
