/** Where a copy is stored: a folder, or a bucket of an object store. Objects have paths as names. */
export interface CopyTarget {
  /** For messages. */
  readonly name: string;
  /** Names that begin with `prefix`, in order. */
  list(prefix: string): Promise<string[]>;
  /** Undefined if there is no such object. */
  read(name: string): Promise<Buffer | undefined>;
  /** Stores an object, or replaces it. It is durable when the promise resolves, and never readable in part. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
}
