import { afterEach, beforeEach } from 'vitest';
import type { Clock } from '../../../src/engine/base/clock.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { account, paymaster } from '../../support/store-records.ts';
import { useTempFolders } from '../../support/temp-folder.ts';

/** Name of the database's file in the folder of its store. */
export const DATABASE = 'gasdesk.db';

/** Opens the store that is kept in a folder, of the implementation under test; again, after it was closed. */
export type OpenStore = (folder: string, clock: Clock) => Promise<Store>;

/**
 * Gives each test a store with one account and one DApp, in a folder of its own.
 *
 * @param use takes the store and its clock, also each time it was opened again
 * @returns what closes the store and opens it again
 */
export const useStore = (open: OpenStore, use: (store: Store, clock: ManualClock) => void): (() => Promise<void>) => {
  const tempFolder = useTempFolders();
  let dir: string;
  let store: Store;
  const openStore = async (): Promise<void> => {
    const clock = new ManualClock();
    store = await open(dir, clock);
    use(store, clock);
  };
  beforeEach(async () => {
    dir = tempFolder();
    await openStore();
    await store.createAccount(account);
    await store.createDapp(paymaster());
  });
  afterEach(() => store.close());
  return async () => {
    await store.close();
    await openStore();
  };
};
