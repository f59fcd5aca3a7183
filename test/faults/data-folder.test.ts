import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { gasdesk, useServe } from '../support/cli.ts';
import { canMount, fillUp, mountSmall, unmount } from '../support/small-disk.ts';
import { folderHash } from '../support/folder-hash.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();
const UNLOCKED = { GASDESK_PASSPHRASE: 'correct horse' };

describe('a data folder that cannot be used', () => {
  it.each([
    ['is a file', (dir: string) => join(dir, 'file')],
    ['would be inside a file', (dir: string) => join(dir, 'file', 'inside')],
  ])('that %s: says so in one line, and the file stays as it is', async (_what, path) => {
    const dir = tempFolder();
    writeFileSync(join(dir, 'file'), 'content');
    const { code, stdout, stderr } = await gasdesk(['serve', '--port', '0', '--data', path(dir)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      `gasdesk: Cannot use the data folder ${path(dir)}: Gasdesk cannot create it or write to it`,
    );
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(readFileSync(join(dir, 'file'), 'utf8')).toBe('content');
  });

  it.skipIf(!existsSync('/proc/self'))('that is read-only, even for root: says so in one line', async () => {
    const { code, stdout, stderr } = await gasdesk(['account', 'list', '--data', '/proc/self']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^gasdesk: Cannot use the data folder \/proc\/self: .*\n$/);
  });

  it('whose database is something else: says so in one line, and leaves it alone', async () => {
    const dir = tempFolder();
    const file = join(dir, 'gasdesk.db');
    writeFileSync(file, 'my notes\n'.repeat(100));
    const { code, stdout, stderr } = await gasdesk(['account', 'list', '--data', dir]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const mend =
      'Stop the service, look for the cause (a failing disk, for one), and restore the newest backup: "gasdesk restore FILE"';
    expect(stderr).toBe(`gasdesk: Cannot open the database ${file}: file is not a database. ${mend}\n`);
    expect(readFileSync(file, 'utf8')).toBe('my notes\n'.repeat(100));
  });
});

describe('a database of a newer Gasdesk', () => {
  it('is refused at the start, in words that say what to do, with every file as it was', async () => {
    const dir = tempFolder();
    expect((await gasdesk(['account', 'create', '--name', 'A', '--data', dir])).code).toBe(0);
    const database = new Database(join(dir, 'gasdesk.db'));
    database.pragma('user_version = 99999');
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    const before = folderHash(dir);
    const { code, stdout, stderr } = await gasdesk(['serve', '--port', '0', '--data', dir], UNLOCKED);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^gasdesk: The database has schema 99999, and this Gasdesk knows up to \d+\. Use a newer Gasdesk, or restore a backup\.\n$/,
    );
    expect(folderHash(dir)).toEqual(before);
  });
});

describe.skipIf(!canMount)('a disk that is full', () => {
  it('loses nothing: the service refuses what it cannot keep, and continues when space is free', async () => {
    const dir = tempFolder();
    expect(mountSmall(dir)).toBe(true);
    try {
      const created = await gasdesk(['token', 'create', '--label', 'CI', '--scope', 'manage', '--data', dir, '--json']);
      const { authToken } = JSON.parse(created.stdout) as { authToken: string };
      const desk = await serve(['--data', dir], { GASDESK_LOG_LEVEL: 'error' });
      const register = async (name: string) => {
        const body = JSON.stringify({ name, type: 'HYBRID', chainId: 31337, version: '1.1.0' });
        const headers = { authToken, 'content-type': 'application/json' };
        const response = await fetch(`${desk.url}/api/v2/public/sdk/paymaster`, { method: 'POST', headers, body });
        return { status: response.status, text: await response.text() };
      };
      expect((await register('before')).status).toBe(200);
      const filler = join(dir, 'filler');
      fillUp(filler);

      const refused = await register('no room');
      expect(refused).toEqual({
        status: 503,
        text: expect.stringContaining('Gasdesk cannot write to its database (') as string,
      });

      const missing = async () => {
        const { missing: told } = (await (await fetch(`${desk.url}/readyz`)).json()) as { missing: string[] };
        return told.filter((one) => one.includes('cannot write'));
      };
      expect(await missing()).toHaveLength(1);

      rmSync(filler);
      await expect.poll(missing).toEqual([]);
      expect((await register('after')).status).toBe(200);
      desk.signal('SIGTERM');
      expect((await desk.ended).code).toBe(0);

      fillUp(filler);
      const { code, stdout, stderr } = await gasdesk(['account', 'create', '--name', 'No room', '--data', dir]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^gasdesk: Cannot use the data folder .*: .*\n$/);

      rmSync(filler);
      const dapps = await gasdesk(['dapp', 'list', '--data', dir, '--json']);
      expect((JSON.parse(dapps.stdout) as { name: string }[]).map(({ name }) => name)).toEqual(['before', 'after']);
    } finally {
      unmount(dir);
    }
  });
});
