import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { deskClient } from '../../src/demo/desk-client.ts';
import { useServe } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

/** No file of the process may grow beyond `bytes`: what a full disk or a quota does, without root's rights. */
const limitFiles = (pid: number, bytes: number | 'unlimited'): boolean =>
  spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`], { stdio: 'ignore' }).status === 0;
const canLimit = limitFiles(process.pid, 'unlimited');

it.skipIf(!canLimit)(
  'a disk that fills while operations are decided: nothing is signed that is not stored',
  async () => {
    const dir = tempFolder();
    const apiKey = await signingFolder(dir, 1_000);
    const desk = await serve(['--data', dir], SIGNING_ENV);
    const client = deskClient(desk.url);
    let nonce = 0;
    const ask = async () => {
      const reply = await client.sponsor(CHAIN, apiKey, [signableOperation((nonce += 1)), { mode: 'SPONSORED' }]);
      return { ...reply, signed: (reply.result as { paymasterAndData: string } | undefined)?.paymasterAndData };
    };
    const answered: string[] = [];
    for (let count = 0; count < 3; count += 1) answered.push((await ask()).signed!);

    // A few more fit, the rest do not.
    limitFiles(desk.pid, statSync(join(dir, 'gasdesk.db-wal')).size + 50_000);
    const replies = await Promise.all(Array.from({ length: 60 }, ask));
    replies.push(await ask());
    const refused = replies.filter(({ error }) => error !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, error, signed } of refused) {
      expect([status, error?.code, signed]).toEqual([503, -32053, undefined]);
      expect(error?.message).toMatch(
        /^Gasdesk cannot write to its database \(.*\), so it signs and changes nothing\. Free space /,
      );
    }
    answered.push(...replies.flatMap(({ signed }) => (signed === undefined ? [] : [signed])));

    const ready = async () => {
      const response = await fetch(`${desk.url}/readyz`);
      return { status: response.status, ...((await response.json()) as { missing: string[] }) };
    };
    // What is written then may still fit into what was written for nothing.
    limitFiles(desk.pid, 1_000);
    // `/readyz` reports it until something can be written again.
    for (let again = 0; again < 2; again += 1) {
      const { status, missing } = await ready();
      expect(status).toBe(503);
      expect(missing).toEqual([expect.stringMatching(/^Gasdesk cannot write to its database \(.*\), so /)]);
    }

    limitFiles(desk.pid, 'unlimited');
    // Though no one asks for anything meanwhile.
    await expect.poll(ready).toEqual({ status: 200, ready: true, missing: [] });
    const recovered = await ask();
    expect(recovered.status).toBe(200);
    answered.push(recovered.signed!);
    desk.signal('SIGTERM');
    const { stderr } = await desk.ended;
    expect(stderr).toContain('"event":"storage.failed"');

    const database = new Database(join(dir, 'gasdesk.db'), { readonly: true });
    try {
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
      const stored = database
        .prepare(`SELECT record ->> 'paymasterAndData' FROM decision WHERE outcome = 'sponsored'`)
        .pluck()
        .all();
      expect(new Set(stored)).toEqual(new Set(answered));
      const held = database.prepare(`SELECT held FROM limit_row`).pluck().all();
      expect(held).toEqual([String(stored.length)]);
    } finally {
      database.close();
    }
  },
);
