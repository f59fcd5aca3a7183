import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DeskClient, deskClient } from '../../src/demo/desk-client.ts';
import { type ServingCli, gasdesk, useServe } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { removeTempFolder, useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

/** What the DApp may have signed in a year. */
const LIMIT = 40;
let apiKey: string;
let nonce = 0;

const sponsor = async (client: DeskClient): Promise<boolean> => {
  const reply = await client.sponsor(CHAIN, apiKey, [signableOperation((nonce += 1)), { mode: 'SPONSORED' }]);
  expect(reply.status).toBe(200);
  return (reply.result as { paymasterAndData: string }).paymasterAndData !== '0x';
};

/** Four clients ask until nothing more is signed. @returns how many were signed */
const useUp = async ({ url }: ServingCli): Promise<number> => {
  let signed = 0;
  const clients = Array.from({ length: 4 }, async () => {
    const client = deskClient(url);
    while (await sponsor(client)) signed += 1;
  });
  await Promise.all(clients);
  return signed;
};

/** The folder of a desk that was killed once its limit was used up. */
let killed: string;
let backup: string;
const wal = (dir: string): string => join(dir, 'gasdesk.db-wal');

beforeAll(async () => {
  killed = tempFolder();
  apiKey = await signingFolder(killed, LIMIT);
  backup = join(tempFolder(), 'desk.gasdesk-backup');
  expect((await gasdesk(['backup', backup, '--data', killed], SIGNING_ENV)).code).toBe(0);
  const desk = await serve(['--data', killed], SIGNING_ENV);
  expect(await useUp(desk)).toBe(LIMIT);
  desk.signal('SIGKILL');
  await desk.ended;
});

const copy = (): string => {
  const dir = tempFolder();
  cpSync(killed, dir, { recursive: true });
  removeTempFolder(join(dir, 'run'));
  return dir;
};

const cut = (part: number) => (dir: string) => truncateSync(wal(dir), Math.floor(readFileSync(wal(dir)).length * part));
const flip = (part: number) => (dir: string) => {
  const bytes = readFileSync(wal(dir));
  bytes[Math.floor(bytes.length * part)]! ^= 1;
  writeFileSync(wal(dir), bytes);
};
const remove = (dir: string): void => rmSync(wal(dir));

const OLDER =
  /^gasdesk: The database is an older state of this desk: .* so Gasdesk signs and changes nothing\. Restore/;

describe('a database that was put back to an older state', () => {
  test.each([
    ['whose log of SQLite is removed', remove],
    ['whose log of SQLite is cut to a quarter', cut(0.25)],
    ['whose log of SQLite is cut to a half', cut(0.5)],
    ['whose log of SQLite is cut by a twentieth', cut(0.95)],
    ['with one bit flipped in the middle of it', flip(0.5)],
    ['with one bit flipped near its end', flip(0.95)],
  ])('%s: the desk does not start, and says why', async (_what, damage) => {
    const dir = copy();
    damage(dir);
    const { code, stdout, stderr } = await gasdesk(['serve', '--port', '0', '--data', dir], SIGNING_ENV);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(OLDER);
  });

  test('an engine that was only killed has lost nothing: it starts, and signs no more', async () => {
    const desk = await serve(['--data', copy()], SIGNING_ENV);
    expect(await useUp(desk)).toBe(0);
  });

  test('no command changes it; "doctor" and "log verify" open it, and show what is missing', async () => {
    const dir = copy();
    cut(0.5)(dir);
    const created = await gasdesk(['account', 'create', '--name', 'Late', '--data', dir], SIGNING_ENV);
    expect(created).toMatchObject({ code: 1, stderr: expect.stringMatching(OLDER) as string });

    for (let again = 0; again < 2; again += 1) {
      const doctor = await gasdesk(['doctor', '--data', dir, '--json'], SIGNING_ENV);
      const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; ok: boolean; fix: string }[] };
      expect(doctor.code).toBe(1);
      expect(checks.find(({ name }) => name === 'rollback')).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/Limits, gas tanks and settings lack the last \d+ entries$/) as string,
        fix: expect.stringContaining('gasdesk restore FILE') as string,
      });
      const verified = await gasdesk(['log', 'verify', '--data', dir, '--json'], SIGNING_ENV);
      expect(verified.code).toBe(1);
      expect(JSON.parse(verified.stdout)).toMatchObject({ ok: false, faults: [{ fault: 'ROLLED_BACK' }] });
    }
  });

  test('the operator accepts it knowingly: the log has another key and records it', async () => {
    const dir = copy();
    cut(0.5)(dir);
    const keyOf = async () =>
      (JSON.parse((await gasdesk(['log', 'key', '--data', dir, '--json'], SIGNING_ENV)).stdout) as { key: string }).key;
    const accepted = await gasdesk(['log', 'accept-rollback', '--data', dir, '--json'], SIGNING_ENV);
    expect(accepted.code).toBe(0);
    const { written, found } = JSON.parse(accepted.stdout) as Record<string, { deskId: string; size: number }>;
    expect(found!.size).toBeLessThan(written!.size);

    const key = await keyOf();
    expect(key).not.toContain(written!.deskId);
    const listed = await gasdesk(['log', 'list', '--kind', 'action', '--data', dir, '--json'], SIGNING_ENV);
    const bodies = (JSON.parse(listed.stdout) as { body: { action: string } }[]).map(({ body }) => body);
    expect(bodies).toContainEqual({
      action: 'log.acceptRollback',
      via: 'cli',
      by: 'operator',
      changes: [
        {
          subject: 'desk',
          id: key.split('/')[1]!.split('+')[0],
          before: { deskId: written!.deskId },
          after: expect.objectContaining({ entries: found!.size, written }) as unknown,
        },
      ],
    });

    const desk = await serve(['--data', dir], SIGNING_ENV);
    expect(await useUp(desk)).toBeGreaterThan(0);
    desk.signal('SIGTERM');
    expect((await desk.ended).code).toBe(0);
    const verified = await gasdesk(['log', 'verify', '--data', dir, '--json'], SIGNING_ENV);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, faults: [] });
    expect(await keyOf()).toBe(key);

    const again = await gasdesk(['log', 'accept-rollback', '--data', dir], SIGNING_ENV);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('not rolled back') as string });
  });

  test('another database in its place is found, too', async () => {
    const dir = copy();
    for (const file of ['gasdesk.db', 'gasdesk.db-wal', 'gasdesk.db-shm']) rmSync(join(dir, file), { force: true });
    const { code, stderr } = await gasdesk(['serve', '--port', '0', '--data', dir], SIGNING_ENV);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^gasdesk: The database is not the one that this data folder was last used with: that was/);
  });

  test('a restored backup is an older state that the operator chose: the desk starts', async () => {
    const dir = copy();
    cut(0.5)(dir);
    expect((await gasdesk(['restore', backup, '--data', dir], SIGNING_ENV)).code).toBe(0);
    expect(existsSync(join(dir, 'log-end'))).toBe(false);
    const desk = await serve(['--data', dir], SIGNING_ENV);
    expect(await useUp(desk)).toBe(LIMIT);
    desk.signal('SIGTERM');
    expect((await desk.ended).code).toBe(0);
    const { code } = await gasdesk(['log', 'verify', '--data', dir], SIGNING_ENV);
    expect(code).toBe(0);
  });

  test('what is in the file is not trusted to be whole: half a line says nothing', async () => {
    const dir = copy();
    truncateSync(join(dir, 'log-end'), 30);
    const desk = await serve(['--data', dir], { ...SIGNING_ENV, GASDESK_LOG_LEVEL: 'warn' });
    desk.signal('SIGTERM');
    const { code, stderr } = await desk.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('"event":"log.endUnreadable"');
  });
});
