import { expect, test } from 'vitest';
import { measureKeptObjects } from '../bench/kept-objects.ts';

/** A request allocates some 110,000 bytes, of which 10,000 were kept before the causes were removed. */
const MOST_KEPT = 3_000;

test('a sponsored request leaves hardly anything that only a full collection can remove', async () => {
  const { allocatedPerRequest, keptPerRequest, fullCollections } = await measureKeptObjects();
  expect(allocatedPerRequest).toBeGreaterThan(10_000);
  expect(keptPerRequest).toBeLessThan(MOST_KEPT);
  expect(fullCollections).toBeLessThan(4);
});
