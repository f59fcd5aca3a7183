import type { ServiceContext } from './service.ts';

/** What those ask who watch the desk from outside. None of it holds a secret. */
export interface Monitoring {
  /** The metrics, and the content type of their format. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
  /** What keeps the desk from deciding, in plain words; empty where nothing does. */
  readonly missing: () => Promise<readonly string[]>;
}

/** Watches the desk that the context is of. */
export const createMonitoring = (context: ServiceContext): Monitoring => {
  const { metrics, store, vault, storage, rollback, log } = context;
  const isStoreUp = (): Promise<boolean> =>
    store.schemaVersion().then(
      () => true,
      (err: unknown) => {
        log.warn('store.unreadable', { err });
        return false;
      },
    );
  /** Whether what is decided would be stored, in the database that this engine has written. */
  const lost = async (): Promise<string[]> => {
    const found = await rollback();
    const problem = await storage.problem(store);
    return [...(found === undefined ? [] : [`${found.words}.`]), ...(problem === undefined ? [] : [problem])];
  };
  const lockedVault = (): string[] =>
    vault.state === 'unlocked' ? [] : ['The vault is locked: nothing can be signed until it is opened.'];
  return {
    metrics: async () => ({ text: await metrics.text(context), contentType: metrics.contentType }),
    missing: async () => {
      const isUp = await isStoreUp();
      return [...(isUp ? await lost() : ['The database does not answer.']), ...lockedVault()];
    },
  };
};
