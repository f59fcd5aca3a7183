import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { restoreBackup } from '../../src/engine/backup/restore.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { ledgerFaults, newLogVerifier, verifyUpTo } from '../support/check-decisions.ts';
import { SIGNING_ENV } from '../support/signing-folder.ts';

/** A thread that restores the states of some seconds of a run (`every-second.ts`), and compares them with the desk. */

export interface RestoreTask {
  /** Of the desk that was copied. */
  readonly dir: string;
  readonly target: string;
  /** Does not exist yet. */
  readonly restoredDir: string;
  /** Epoch ms, oldest first. */
  readonly times: readonly number[];
}

export interface Restored {
  /** How old the restored state is, compared with the time that was asked for. */
  readonly behindMs: number;
  readonly restoreMs: number;
  readonly faults: readonly string[];
}

/** As `docs/back-up.md` promises. */
const MOST_BEHIND_MS = 10_000;

const { dir, target, restoredDir, times } = workerData as RestoreTask;
const passphrase = new Secret(SIGNING_ENV.GASDESK_PASSPHRASE);
const openLog = (folder: string): Database.Database => new Database(join(folder, 'gasdesk.db'), { readonly: true });
const desk = openLog(dir);
const verifier = newLogVerifier();

/** Times of all entries; the desk may add later ones. */
const entryTimes = desk.prepare<[], number>('SELECT at FROM log ORDER BY position').pluck().all();
const entriesUntil = (at: number): number => entryTimes.findLastIndex((time) => time <= at) + 1;

const ENTRIES = 'SELECT position, at, kind, hash, body FROM log WHERE position < ? ORDER BY position';

/** The first entry that differs from the desk's; undefined if none does. */
const firstDifference = (restored: Database.Database, size: number): number | undefined => {
  const was = desk.prepare<[number], unknown[]>(ENTRIES).raw().iterate(size);
  let first: number | undefined;
  let position = 0;
  for (const is of restored.prepare<[number], unknown[]>(ENTRIES).raw().iterate(size)) {
    const { value } = was.next() as IteratorResult<unknown[], undefined>;
    if (!isDeepStrictEqual(is, value)) first ??= position;
    position += 1;
  }
  was.return?.();
  return first;
};

const check = (restored: Database.Database, at: number): string[] => {
  const size = restored.prepare<[], number>('SELECT count(*) FROM log').pluck().get() ?? 0;
  const [most, least] = [entriesUntil(at), entriesUntil(at - MOST_BEHIND_MS)];
  const difference = firstDifference(restored, size);
  verifyUpTo(desk, verifier, size);
  return [
    ...(size > most ? [`${size} entries were restored, but there were ${most}`] : []),
    ...(size < least ? [`${size} entries were restored, but there were ${least} some seconds before`] : []),
    ...(difference === undefined ? [] : [`entry ${difference} differs`]),
    ...verifier.report().faults.map(({ fault, entry }) => `${fault} at entry ${entry}`),
    ...ledgerFaults(restored, verifier).map((detail) => `ledger: ${detail}`),
  ];
};

for (const at of times) {
  const beginning = performance.now();
  const { manifest } = await restoreBackup({
    file: target,
    passphrase,
    dir: restoredDir,
    until: at,
    now: Date.now,
    logN: 10,
  });
  const restoreMs = performance.now() - beginning;
  const restored = openLog(restoredDir);
  const faults = check(restored, at);
  restored.close();
  rmSync(restoredDir, { recursive: true });
  const behindMs = at - manifest.madeAt;
  if (behindMs < 0 || behindMs > MOST_BEHIND_MS) faults.push(`the restored state is ${behindMs} ms older`);
  const result: Restored = {
    behindMs,
    restoreMs,
    faults: faults.map((fault) => `${new Date(at).toISOString()}: ${fault}`),
  };
  parentPort?.postMessage(result);
}
desk.close();
