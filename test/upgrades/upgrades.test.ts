import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { version as current } from '../../src/engine/base/version.ts';
import { SCHEMA_VERSION } from '../../src/engine/store/schema-version.ts';
import { startEngine } from '../support/engine.ts';
import { folderHash } from '../support/folder-hash.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { checkDesk, continueDesk } from './check-desk.ts';
import { expectedOf, fixtureVersions, unpackFixture } from './fixtures.ts';

const tempFolder = useTempFolders();
const MINUTE = 60_000;

test('this version has a fixture, and so does each version of the changelog', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  const released = [...changelog.matchAll(/^## (\d\S*) - /gm)].map(([, version]) => version);
  expect([...fixtureVersions()].sort()).toEqual(released.sort());
  expect(released).toContain(current);
});

describe.each(fixtureVersions())('the data folder of version %s', (version) => {
  const unpacked = (): string => {
    const dir = join(tempFolder(), 'desk');
    unpackFixture(version, dir);
    return dir;
  };
  const start = (dir: string) => startEngine({ dir, clock: new ManualClock(expectedOf(version).at + MINUTE) });

  test('opens, verifies and is decided again the same, and the desk continues with its limits and its log', async () => {
    const dir = unpacked();
    const engine = await start(dir);
    try {
      await checkDesk(engine.service.call, version);
      await continueDesk(engine, version);
    } finally {
      await engine.stop();
    }
    const again = await start(dir);
    await again.stop();
  });

  test('is refused, unchanged and with what to do, by a version that is older', async () => {
    const dir = unpacked();
    const database = new Database(join(dir, 'gasdesk.db'));
    database.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
    database.close();
    const before = folderHash(dir);
    await expect(start(dir)).rejects.toMatchObject({
      code: 'DATABASE_TOO_NEW',
      message: `The database has schema ${SCHEMA_VERSION + 1}, and this Gasdesk knows up to ${SCHEMA_VERSION}. Use a newer Gasdesk, or restore a backup.`,
    });
    const { '/engine.lock': _lock, '/run': _run, ...after } = folderHash(dir);
    expect(after).toEqual(before);
  });
});
