import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RollingWindow } from './rolling.ts';

test('a rolling window holds the sum of the buckets that count, also after the clock was set back or was far ahead', () => {
  const step = fc.record({
    at: fc.oneof({ weight: 9, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.nat(10_000) }),
    amount: fc.bigInt(-5n, 50n),
    isPut: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(20), (steps, length) => {
      const [window, buckets] = [new RollingWindow(), new Map<number, bigint>()];
      for (const { at, amount, isPut } of steps) {
        const since = Math.max(0, at - length);
        if (isPut) window.put(at, amount);
        else window.add(at, amount, since);
        buckets.set(at, isPut ? amount : (buckets.get(at) ?? 0n) + amount);
        const held = [...buckets].reduce((sum, [bucket, one]) => (bucket >= since ? sum + one : sum), 0n);
        expect(window.heldSince(since)).toBe(held);
      }
      expect(window.newest).toBe(buckets.size === 0 ? undefined : Math.max(...buckets.keys()));
    }),
  );
});
