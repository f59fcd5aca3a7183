import type { VaultStorage } from '../../src/engine/store/database.ts';

interface VaultView extends VaultStorage {
  /** Reads changes of the others, which are unknown here until then. */
  readonly read: () => void;
}

/**
 * A vault's text that several engines share, like one in a database: changes wait for each other. @returns a function
 * that makes a view of it
 */
export const sharedVault = (): (() => VaultView) => {
  let text: string | undefined;
  let turn = Promise.resolve();
  return () => {
    let known = text;
    return {
      name: 'the database',
      current: () => known,
      read() {
        known = text;
      },
      update(change) {
        const done = turn.then(() => {
          text = change(text);
          known = text;
        });
        turn = done.catch(() => undefined);
        return done;
      },
    };
  };
};
