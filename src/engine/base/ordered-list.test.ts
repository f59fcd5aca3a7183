import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOrderedList } from './ordered-list.ts';

test('a list has what a set would have, in the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30)), (steps) => {
      const list = createOrderedList<number>();
      const expected = new Set<number>();
      const entries: ReturnType<typeof list.add>[] = [];
      for (const step of steps) {
        const entry = entries[step];
        if (entry === undefined) {
          expected.add(entries.length);
          entries.push(list.add(entries.length));
        } else expect(list.remove(entry)).toBe(expected.delete(entry.item));
        expect([...list]).toEqual([...expected]);
        expect([list.first, list.size]).toEqual([[...expected][0], expected.size]);
      }
    }),
  );
});

test('a removed entry refers to no other entry, so that it keeps none of them in memory', () => {
  const list = createOrderedList<string>();
  const [, middle] = ['first', 'middle', 'last'].map((item) => list.add(item));
  list.remove(middle!);
  expect(middle).toEqual({ item: 'middle', before: undefined, after: undefined });
});
