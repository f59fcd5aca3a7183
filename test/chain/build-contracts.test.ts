import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildContracts } from '../../scripts/build-contracts.ts';
import { playsAll } from '../support/combinations.ts';

test.runIf(playsAll)('a build leaves whole artifacts and no rubbish, and the next has nothing to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gasdesk-contracts-'));
  try {
    await buildContracts(folder);
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
  } finally {
    await rm(folder, { recursive: true });
  }
});
