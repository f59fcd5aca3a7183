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
  /** Stores an object that does not exist. False if it exists: of several callers, one gets true. */
  create(name: string, bytes: Uint8Array): Promise<boolean>;
  remove(names: readonly string[]): Promise<void>;
}

/** Access to an S3-compatible object store. */
export interface S3Access {
  /** Empty for Amazon's. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A target, as the settings describe it. It can be sent to a thread. */
export interface TargetPlace {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly target: string;
  readonly s3: S3Access;
}
