import type { Store } from './store.ts';

/** What another engine has committed: decisions and what settlement makes of them, what operators set, or the vault. */
export type CommittedPart = 'decisions' | 'settings' | 'vault';

/** What several engines on one database tell each other. Where one engine is alone, nothing ever comes. */
export interface Engines {
  /** True while this engine is the one that settles, signs checkpoints and notifies. */
  readonly isLeader: () => boolean;
  /** Calls the listener when another engine has committed. @returns ends that */
  readonly onOthers: (listener: (part: CommittedPart) => void) => () => void;
}

/** Where the vault's sealed text is kept. */
export interface VaultStorage {
  /** For messages: a file's path, or "the database". */
  readonly name: string;
  /**
   * The text as last read, undefined where there is none; what `update` has written is read. A file is read each time.
   *
   * @throws EngineError `DATA_FOLDER_UNUSABLE` if a file cannot be read
   */
  readonly current: () => string | undefined;
  /**
   * One atomic step, durable when it resolves: replaces the newest text by what `change` makes of it, which may be the same
   * text. What `change` throws rejects, with nothing written.
   *
   * @throws EngineError `DATA_FOLDER_UNUSABLE` or `STORE_UNAVAILABLE`; the text is unchanged
   */
  readonly update: (change: (newest: string | undefined) => string) => Promise<void>;
}

/** All that an engine keeps in a database, and how it shares that with others. */
export interface DeskDatabase {
  readonly store: Store;
  readonly engines: Engines;
  readonly vault: VaultStorage;
}
