import { expect, test } from 'vitest';
import { createLogTail } from './log-tail.ts';

const filled = (size: number, count: number) => {
  const tail = createLogTail(size);
  for (let index = 1; index <= count; index += 1) tail.push(String(index));
  return tail;
};
const read = (tail: ReturnType<typeof filled>, after: number) =>
  tail.since(after).map(({ seq, json }) => `${seq}:${json}`);

test('the newest lines are kept, in order and by their number, however many there were', () => {
  for (const count of [0, 1, 3, 4, 7, 1_000]) {
    const tail = filled(3, count);
    const kept = Array.from({ length: Math.min(3, count) }, (_, index) => count - Math.min(3, count) + index + 1);
    expect(read(tail, 0)).toEqual(kept.map((seq) => `${seq}:${seq}`));
    expect(tail.last).toBe(count);
  }
});

test('a reader who has seen a line gets only later lines', () => {
  const tail = filled(3, 5);
  expect(read(tail, 4)).toEqual(['5:5']);
  expect(read(tail, 5)).toEqual([]);
  expect(read(tail, 9)).toEqual([]);
});
