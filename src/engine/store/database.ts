import type { Store } from './store.ts';

/** What another engine has committed: decisions and their settlement, the operators' settings, or the vault. */
export type CommittedPart = 'decisions' | 'settings' | 'vault';

/** How the engines that use one database communicate. An engine that runs alone receives nothing. */
export interface Engines {
  /** True while this engine settles operations, signs checkpoints and sends notifications. */
  readonly isLeader: () => boolean;
  /** Calls the listener when another engine has committed. @returns unsubscribes */
  readonly onOthers: (listener: (part: CommittedPart) => void) => () => void;
}

export interface VaultStorage {
  /** Name for messages: a file's path, or "the database". */
  readonly name: string;
  /**
   * The text as last read; undefined if none exists. `update` counts as a read. A file is read at every call.
   *
   * @throws EngineError `DATA_FOLDER_UNUSABLE` if a file cannot be read
   */
  readonly current: () => string | undefined;
  /**
   * Atomically replaces the newest text with the result of `change`, which may be the same text. The new text is durable
   * when the promise resolves. If `change` throws, rejects with that error and writes nothing.
   *
   * @throws EngineError `DATA_FOLDER_UNUSABLE` or `STORE_UNAVAILABLE`; the text is unchanged
   */
  readonly update: (change: (newest: string | undefined) => string) => Promise<void>;
}

/** Everything that an engine keeps in a database, and its communication with other engines. */
export interface DeskDatabase {
  readonly store: Store;
  readonly engines: Engines;
  readonly vault: VaultStorage;
}
