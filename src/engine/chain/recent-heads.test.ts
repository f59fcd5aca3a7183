import { describe, expect, it } from 'vitest';
import { withHead } from './recent-heads.ts';
import type { Block } from './user-operation-events.ts';

const OVERLAP = 64;
const headAt = (number: number, timestamp = number * 12): Block => ({ number, timestamp, hash: `0x${number}` });
const after = (all: readonly Block[]) =>
  all.reduce<ReturnType<typeof withHead>>(({ heads }, head) => withHead(heads, head, OVERLAP), {
    heads: [],
    buried: undefined,
  });
const range = (from: number, to: number): Block[] =>
  Array.from({ length: to - from + 1 }, (_, index) => headAt(from + index));

describe('the heads of the latest polls', () => {
  it('show the newest block that no re-org can remove', () => {
    expect(after(range(100, 163)).buried).toBeUndefined();
    expect(after(range(100, 164)).buried).toEqual(headAt(100));
    expect(after(range(100, 1_000)).buried).toEqual(headAt(936));
  });

  it('do not show a block of the last half minute, however many blocks have followed', () => {
    const fast = Array.from({ length: 200 }, (_, index) => headAt(100 + index, 1_000));
    expect(after(fast).buried).toBeUndefined();
    expect(after([...fast, headAt(300, 1_029)]).buried).toBeUndefined();
    expect(after([...fast, headAt(300, 1_030)]).buried).toMatchObject({ number: 236 });
  });

  it('remain few, however long the desk runs', () => {
    expect(after(range(100, 5_000)).heads.length).toBeLessThanOrEqual(OVERLAP + 1);
  });

  it('remain few when nodes behind one URL return different heads of a chain that has halted', () => {
    const flips = Array.from({ length: 10_000 }, (_, poll) => headAt(100 + (poll % 2)));
    expect(after(flips).heads).toEqual([headAt(100), headAt(101)]);
  });

  it('are forgotten when the chain is set back', () => {
    expect(after([...range(500, 600), headAt(20)]).heads).toEqual([headAt(20)]);
  });
});
