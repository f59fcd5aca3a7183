import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const cli = join(import.meta.dirname, '..', 'src', 'cli', 'index.ts');

/**
 * The flags that the command line is run with, by its first line. V8 leaves garbage until the heap is large, on a machine
 * with much memory half a gigabyte: with these a flooded desk stays below 400 MB (`test/faults/flood.test.ts`).
 */
export const nodeFlags: readonly string[] = readFileSync(cli, 'utf8').split('\n', 1)[0]?.split(' ').slice(3) ?? [];
