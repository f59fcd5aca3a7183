import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { deskClient } from '../../src/demo/desk-client.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createEngine } from '../../src/engine/index.ts';
import type { EngineOptions } from '../../src/engine/service/engine-options.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { EngineError } from '../../src/shared/errors.ts';
import { gasdesk, useServe } from '../support/cli.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { canMount, mountSmall, unmount } from '../support/small-disk.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();
const MIB = 2n ** 20n;

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const open = async (dir: string, freeBytes: NonNullable<EngineOptions['freeBytes']>) => {
  const clock = new ManualClock();
  const engine = await createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({ flags: { port: 0 } }),
    log: createLog({ level: 'silent' }),
    passphrase: new Secret('correct horse'),
    scrypt: { N: 2, r: 1, p: 1 },
    clock,
    freeBytes,
  });
  ending.push(() => engine.stop());
  const backUp = (file?: string) =>
    engine.service.call('backups.create', { passphrase: 'correct horse', ...(file !== undefined && { file }) }).then(
      () => 'made' as const,
      (error: unknown) => error as EngineError,
    );
  return { clock, backUp };
};

/** What is in the folder of backups, and whether parts of one are left. */
const left = (dir: string) => ({
  backups: existsSync(join(dir, 'backups')) ? readdirSync(join(dir, 'backups')) : [],
  parts: existsSync(join(dir, 'backup.tmp')),
});

describe('a backup for which there is no room', () => {
  test('is refused before it takes any, with what it needs and what is free', async () => {
    const dir = tempFolder();
    const { backUp } = await open(dir, () => Promise.resolve(101n * MIB));
    const refused = await backUp();
    expect(refused).toMatchObject({
      code: 'BACKUP_NO_ROOM',
      message: expect.stringMatching(
        /^The backup needs 10\d MiB on the disk of .* \(including 100 MiB that Gasdesk keeps for decisions\), but only 101 MiB is free\. Free space/,
      ) as string,
      data: { freeBytes: String(101n * MIB) },
    });
    expect(left(dir)).toEqual({ backups: [], parts: false });
  });

  test('on its own disk needs room for the file alone there', async (context) => {
    const elsewhere = '/dev/shm';
    const dir = tempFolder();
    if (!existsSync(elsewhere) || statSync(elsewhere).dev === statSync(dir).dev) context.skip();
    const { backUp } = await open(dir, (folder) => Promise.resolve(folder === elsewhere ? 0n : 500n * MIB));
    const file = join(elsewhere, `desk-${randomBytes(8).toString('hex')}`);
    expect(await backUp(file)).toMatchObject({
      code: 'BACKUP_NO_ROOM',
      message: expect.stringContaining(`on the disk of ${elsewhere}, but only 0 MiB is free`) as string,
    });
    expect(existsSync(file)).toBe(false);
  });

  test('is given up when others fill the disk meanwhile, and leaves nothing', async () => {
    const dir = tempFolder();
    let free = 500n * MIB;
    const { clock, backUp } = await open(dir, () => {
      const told = free;
      free = 99n * MIB;
      return Promise.resolve(told);
    });
    const given = backUp();
    await expect.poll(() => left(dir).parts, { interval: 1 }).toBe(true);
    await clock.advance(250);
    expect(await given).toMatchObject({
      code: 'BACKUP_NO_ROOM',
      message: expect.stringMatching(/^The backup was stopped: only 99 MiB is left on the disk of /) as string,
    });
    expect(left(dir)).toEqual({ backups: [], parts: false });
    free = 500n * MIB;
  });
});

test.skipIf(!canMount)('operations are sponsored all the while that a backup finds no room', async () => {
  const dir = tempFolder();
  expect(mountSmall(dir, 160)).toBe(true);
  try {
    const apiKey = await signingFolder(dir, 100_000);
    const database = new Database(join(dir, 'gasdesk.db'));
    database.exec('CREATE TABLE filler (bytes BLOB)');
    database.prepare('INSERT INTO filler VALUES (?)').run(randomBytes(30 * Number(MIB)));
    database.close();
    writeFileSync(join(dir, 'filler'), Buffer.alloc(Number(MIB)));

    const desk = await serve(['--data', dir], SIGNING_ENV);
    const client = deskClient(desk.url);
    let isOver = false;
    let nonce = 0;
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const reply = await client.sponsor(CHAIN, apiKey, [signableOperation((nonce += 1)), { mode: 'SPONSORED' }]);
        statuses.push(reply.status);
      }
    });
    const refused = await gasdesk(['backup', '--data', dir], SIGNING_ENV);
    isOver = true;
    await Promise.all(load);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('MiB is free') as string });
    expect(statuses.length).toBeGreaterThan(10);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(left(dir)).toEqual({ backups: [], parts: false });
    desk.signal('SIGTERM');
    expect((await desk.ended).code).toBe(0);
  } finally {
    unmount(dir);
  }
});

test('what backups have left that were killed is removed by the next start, wherever they were written', async () => {
  const [dir, elsewhere] = [tempFolder(), tempFolder()];
  await signingFolder(dir, 1);
  for (const [file, partial] of [
    [[], join(dir, 'backups')],
    [[join(elsewhere, 'desk')], elsewhere],
  ] as const) {
    const desk = await serve(['--data', dir], SIGNING_ENV);
    const backup = gasdesk(['backup', ...file, '--data', dir], SIGNING_ENV);
    const partials = () => (existsSync(partial) ? readdirSync(partial).filter((name) => name.endsWith('.new')) : []);
    await expect.poll(partials, { timeout: 60_000, interval: 2 }).toHaveLength(1);
    desk.signal('SIGKILL');
    await desk.ended;
    expect((await backup).code).toBe(1);
    expect(partials()).toHaveLength(1);
    // Not ours: no one but its owner knows what it is.
    writeFileSync(join(partial, 'notes.new'), 'my notes');

    const next = await serve(['--data', dir], SIGNING_ENV);
    expect(partials()).toEqual(['notes.new']);
    expect(existsSync(join(dir, 'backup.tmp'))).toBe(false);
    next.signal('SIGTERM');
    await next.ended;
  }
});
