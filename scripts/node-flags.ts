import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const cli = join(import.meta.dirname, '..', 'src', 'cli', 'index.ts');

/**
 * Node flags from the first line of the command line script. With much memory, V8 leaves half a gigabyte of garbage;
 * with these flags, a flooded service stays below 400 MB (`test/faults/flood.test.ts`).
 */
export const nodeFlags: readonly string[] = readFileSync(cli, 'utf8').split('\n', 1)[0]?.split(' ').slice(3) ?? [];
