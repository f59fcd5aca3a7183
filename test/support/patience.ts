/**
 * Timeout after which a test counts as hung, ms: far longer than the slowest machine takes. The bench measures speed.
 */
export const PATIENCE_MS = 120_000;
