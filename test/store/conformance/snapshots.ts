import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createLog } from '../../../src/engine/base/log.ts';
import { openSqliteStore } from '../../../src/engine/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { account, decision, paymaster } from '../../support/store-records.ts';
import { useTempFolders } from '../../support/temp-folder.ts';
import { DATABASE, type OpenStore, useStore } from './open-store.ts';

/**
 * What every implementation of {@link Snapshots} does.
 *
 * @param asOf the moment that a copy is of: when it began, or when it is done
 */
export const describeSnapshots = (open: OpenStore, asOf: 'begin' | 'end'): void => {
  // Whatever the store is kept in, its copy is a file of SQLite.
  const openCopy = (folder: string): Store =>
    openSqliteStore(join(folder, DATABASE), { clock: new ManualClock(), log: createLog({ level: 'silent' }) });

  const tempFolder = useTempFolders();
  let store: Store;
  useStore(open, (opened) => (store = opened));

  const MANY = 400;
  const decide = (id: string) => store.appendDecision(decision({ id }));
  beforeEach(() => Promise.all(Array.from({ length: MANY }, (_, n) => decide(`before-${n}`))));

  test('a copy is a sound database of the same schema, with all that was written before', async () => {
    const folder = tempFolder();
    await store.copyTo(join(folder, DATABASE), new AbortController().signal);
    await decide('after');

    const copy = openCopy(folder);
    expect(await copy.integrityFaults()).toEqual([]);
    expect(await copy.schemaVersion()).toBe(await store.schemaVersion());
    expect(await copy.listAccounts()).toEqual([account]);
    expect(await copy.listDapps()).toEqual([paymaster()]);
    expect(await copy.countDecisions()).toBe(MANY);
    await copy.close();
    expect(await store.countDecisions()).toBe(MANY + 1);
  });

  test(`others write and read while a copy is made, which is as the database was at its ${asOf}`, async () => {
    const folder = tempFolder();
    let isCopied = false;
    const copied = store.copyTo(join(folder, DATABASE), new AbortController().signal).then(() => (isCopied = true));
    let read = 0;
    const writeAndRead = async () => {
      for (let n = 0; !isCopied; n += 1) {
        read = await store.countDecisions();
        await decide(`meanwhile-${n}`);
      }
    };
    await writeAndRead();
    await copied;
    expect(read).toBeGreaterThan(MANY);

    const copy = openCopy(folder);
    expect(await copy.integrityFaults()).toEqual([]);
    if (asOf === 'end') expect(await copy.countDecisions()).toBeGreaterThanOrEqual(read);
    else expect(await copy.countDecisions()).toBeGreaterThanOrEqual(MANY);
    expect(await copy.logSize()).toBeGreaterThan(await copy.countDecisions());
    await copy.close();
  });

  test('a cancelled copy rejects, and the database continues', async () => {
    const abort = new AbortController();
    const copied = store.copyTo(join(tempFolder(), DATABASE), abort.signal);
    abort.abort(new Error('given up'));
    await expect(copied).rejects.toThrow('given up');
    await decide('afterwards');
    expect([await store.integrityFaults(), await store.countDecisions()]).toEqual([[], MANY + 1]);
  });
};
