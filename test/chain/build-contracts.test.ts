import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildContracts } from '../../scripts/build-contracts.ts';

/** Every test run builds it first: in a clean clone from nothing. */
const folder = join(import.meta.dirname, '..', '..', 'resources', 'contracts');

test('a build leaves whole artifacts and no rubbish, and the next has nothing to do', async () => {
  const files = (await readdir(folder)).filter((file) => file !== '.stamp');
  expect(files).toContain('EntryPoint-0.9.json');
  expect(files.filter((file) => !file.endsWith('.json'))).toEqual([]);
  for (const file of files) {
    const artifact = JSON.parse(await readFile(join(folder, file), 'utf8')) as { name: string; bytecode: string };
    expect(`${artifact.name}.json`).toBe(file);
    expect(artifact.bytecode).toMatch(/^0x[0-9a-f]{100,}$/);
  }
  const before = await stat(join(folder, '.stamp'));
  await buildContracts(folder);
  expect((await stat(join(folder, '.stamp'))).ino).toBe(before.ino);
});
