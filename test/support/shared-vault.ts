import type { VaultStorage } from '../../src/engine/store/database.ts';

/** What one engine has of a vault that several share. */
interface VaultView extends VaultStorage {
  /** Reads what the others have written: until then it is not known here. */
  readonly read: () => void;
}

/** A vault's text that several engines share, as a database has it: changes wait for each other. @returns makes a view of it */
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
