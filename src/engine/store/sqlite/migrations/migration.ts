/** One step of the schema. Versions grow and are stored in SQLite's `user_version`. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}
