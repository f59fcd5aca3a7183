/**
 * How long a test waits for anything before it takes it for hung, in ms: far longer than the slowest machine takes.
 * How fast something is belongs to the bench.
 */
export const PATIENCE_MS = 120_000;
