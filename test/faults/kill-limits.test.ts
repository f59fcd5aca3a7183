import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { readCheckpoint } from '../../src/core/log/checkpoint.ts';
import { isConsistent } from '../../src/core/log/merkle-tree.ts';
import { deskClient } from '../../src/demo/desk-client.ts';
import { systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { sha256 } from '../../src/engine/base/sha256.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { gasdesk, useServe } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const ROUNDS = 50;
const REQUESTS = 30;
/** More than one round asks for, less than all of them do: the limit is reached in between. */
const THRESHOLD = 400;

/** Proves of all checkpoints, two by two, that the later log begins with the earlier. */
const checkpointsAreConsistent = async (file: string): Promise<void> => {
  const store = openSqliteStore(file, { clock: systemClock, log: createLog({ level: 'silent' }) });
  try {
    const checkpoints = await store.listCheckpoints({ after: 0, limit: 1_000 });
    const heads = checkpoints.map(({ note }) => readCheckpoint(note));
    expect(heads.length).toBeGreaterThan(1);
    for (const older of heads) {
      for (const newer of heads.filter((head) => (head?.size ?? 0) > (older?.size ?? 0))) {
        if (older === undefined || newer === undefined) throw new Error('This is no checkpoint');
        const proof = await store.consistencyProof(older.size, newer.size);
        expect(isConsistent(older, newer, proof, sha256)).toBe(true);
      }
    }
  } finally {
    await store.close();
  }
};

it('what a client was promised is in the store, and no limit is exceeded, however often the service is killed', async () => {
  const dir = tempFolder();
  const apiKey = await signingFolder(dir, THRESHOLD);
  const approved: string[] = [];

  for (let round = 0; round < ROUNDS; round += 1) {
    const desk = await serve(['--data', dir], SIGNING_ENV);
    const client = deskClient(desk.url);
    const killAfter = round % REQUESTS;
    let answered = 0;
    await Promise.all(
      Array.from({ length: REQUESTS }, async (_, index) => {
        try {
          const op = signableOperation(round * REQUESTS + index);
          const { result } = await client.sponsor(CHAIN, apiKey, [op, { mode: 'SPONSORED' }]);
          const { paymasterAndData } = result as { paymasterAndData: string };
          if (paymasterAndData !== '0x') approved.push(paymasterAndData);
        } catch {
          // Killed in the middle: what was not answered may be stored or not.
        }
        answered += 1;
        if (answered > killAfter) desk.signal('SIGKILL');
      }),
    );
    desk.signal('SIGKILL');
    await desk.ended;
  }

  const { code, stdout } = await gasdesk(['log', 'verify', '--no-signatures', '--json', '--data', dir], SIGNING_ENV);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, faults: [] }]);
  await checkpointsAreConsistent(join(dir, 'gasdesk.db'));

  const database = new Database(join(dir, 'gasdesk.db'), { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    const stored = database
      .prepare(`SELECT record ->> 'paymasterAndData' FROM decision WHERE outcome = 'sponsored'`)
      .pluck()
      .all() as string[];
    expect(approved.length).toBeGreaterThan(THRESHOLD / 2);
    const known = new Set(stored);
    expect(approved.filter((promise) => !known.has(promise))).toEqual([]);
    expect(stored.length).toBeLessThanOrEqual(THRESHOLD);
    const held = database.prepare(`SELECT held FROM limit_row`).pluck().all();
    expect(held).toEqual([String(stored.length)]);
  } finally {
    database.close();
  }
});
