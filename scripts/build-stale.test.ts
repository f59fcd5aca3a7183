import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolders } from '../test/support/temp-folder.ts';
import { newestOf } from './build-stale.ts';

const newFolder = useTempFolders();

test("a change deep in the sources is seen, so that yesterday's console never starts", () => {
  const dir = newFolder();
  const deep = join(dir, 'a', 'b');
  mkdirSync(deep, { recursive: true });
  const later = new Date('2040-01-01T00:00:00Z');
  writeFileSync(join(deep, 'x.ts'), '');
  expect(newestOf(dir)).toBeLessThan(later.getTime());
  utimesSync(join(deep, 'x.ts'), later, later);
  expect(newestOf(dir)).toBe(later.getTime());
});
