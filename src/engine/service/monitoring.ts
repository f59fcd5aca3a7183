import type { ServiceContext } from './service.ts';

/** Information for external monitoring. Contains no secrets. */
export interface Monitoring {
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
  /** Why Gasdesk cannot decide at the moment, as sentences; empty if it can. */
  readonly missing: () => Promise<readonly string[]>;
}

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
  /** Why decisions could not be stored, or why entries that this engine wrote are missing in the database. */
  const lost = async (): Promise<string[]> => {
    const found = await rollback();
    const problem = await storage.problem(store);
    return [...(found === undefined ? [] : [`${found.words}.`]), ...(problem === undefined ? [] : [problem])];
  };
  const lockedVault = (): string[] =>
    vault.state === 'unlocked' ? [] : ['The vault is locked: nothing can be signed until you unlock it.'];
  return {
    metrics: async () => ({ text: await metrics.text(context), contentType: metrics.contentType }),
    missing: async () => {
      const isUp = await isStoreUp();
      return [...(isUp ? await lost() : ['The database does not answer.']), ...lockedVault()];
    },
  };
};
