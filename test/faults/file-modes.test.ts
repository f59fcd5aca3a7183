import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();

/** Everything below a folder whose mode is not that of its owner alone, as `path mode`. */
const openToOthers = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) => `${relative(dir, path)} ${(statSync(path).mode & 0o777).toString(8)}`);

test.skipIf(process.platform === 'win32')(
  "in a folder that others may enter, whatever an engine puts there is its owner's alone",
  async () => {
    const dir = tempFolder();
    chmodSync(dir, 0o755);
    const before = process.umask(0);
    try {
      const engine = await quickEngine(dir);
      const { service } = engine;
      await service.call('signers.create', { chainId: 31337 });
      await service.call('keystores.create', { label: 'Funding', password: 'of the funding key' });
      await service.call('backups.create', { file: 'one', passphrase: 'of the backup' });
      const database = ['gasdesk.db', 'gasdesk.db-wal', 'gasdesk.db-shm'];
      const others = ['engine.lock', 'engine.pid', 'vault.json', 'keystores', 'backups', 'run'];
      expect(readdirSync(dir)).toEqual(expect.arrayContaining([...database, ...others]));
      expect(openToOthers(dir)).toEqual([]);
      await engine.stop();
      expect(openToOthers(dir)).toEqual([]);
    } finally {
      process.umask(before);
    }
  },
);
