import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { account, decision, paymaster } from '../../../../test/support/store-records.ts';
import { useTempFolders } from '../../../../test/support/temp-folder.ts';
import { createLog } from '../../base/log.ts';
import type { Store } from '../store.ts';
import { openSqliteStore } from './sqlite-store.ts';

const tempFolder = useTempFolders();
let file: string;
let lines: string[];
let clock: ManualClock;
beforeEach(() => {
  file = join(tempFolder(), 'gasdesk.db');
  lines = [];
  clock = new ManualClock();
});

const openStore = (): Store =>
  openSqliteStore(file, { clock, log: createLog({ level: 'warn', write: (line) => lines.push(line) }) });

const filled = async (): Promise<Store> => {
  const store = openStore();
  await store.createAccount(account);
  await store.createDapp(paymaster());
  return store;
};

/** Decides while the clock advances by `ms`, as if SQLite had taken that time. */
const decideFor = async (store: Store, ms: number): Promise<void> => {
  await store.decideAndReserve({ reservations: [], ledgerVersion: 0 }, () => {
    void clock.advance(ms);
    return { decision: () => decision({ id: `took ${ms}` }), reserve: false };
  });
};

describe('the store on SQLite', () => {
  it('logs an operation that held the process up for more than 40 ms, and no other', async () => {
    const store = await filled();
    await decideFor(store, 40);
    expect(lines).toEqual([]);
    await decideFor(store, 41);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ event: 'store.slow', statement: 'commit', ms: 41, count: 1 }),
    ]);
    await store.close();
  });

  it('puts everything into the one file when it closes, so that the file can be copied', async () => {
    const store = await filled();
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(existsSync(`${file}-shm`)).toBe(false);
  });

  it('answers what was done under a hold though the hold cannot be released: money that was sent is sent', async () => {
    const store = await filled();
    const account = { kind: 'tank', id: 'one' } as const;
    const facts = { reservations: [{ account, kind: 'tank' as const, amount: 5n }], ledgerVersion: 0 };
    const breakReleases = async (): Promise<string> => {
      const beside = new Database(file);
      beside.exec(`CREATE TRIGGER stuck BEFORE DELETE ON ledger_hold BEGIN SELECT RAISE(ABORT, 'stuck'); END`);
      beside.close();
      return 'sent';
    };
    expect(await store.withHold(facts, () => undefined, breakReleases)).toBe('sent');
    expect(await store.heldOf([{ account }])).toEqual([5n]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ event: 'store.holdKept' }),
    );
    await store.close();
  });

  it('reports what is damaged, if the disk has changed what was written', async () => {
    const store = await filled();
    for (let n = 0; n < 50; n += 1) {
      await store.appendDecision(decision({ id: `d${n}` }));
    }
    await store.close();
    const handle = await open(file, 'r+');
    // The last page belongs to the table or to an index that grew with the decisions.
    await handle.write(Buffer.alloc(2048, 0xee), 0, 2048, statSync(file).size - 3000);
    await handle.close();

    const damaged = openStore();
    expect(await damaged.integrityFaults()).not.toEqual([]);
    await damaged.close();
  });
});
