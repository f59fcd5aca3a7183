import type { Migration } from './migration.ts';

/** The sponsor in stubs, as JSON; null, also for existing DApps: the DApp's name, without an icon. */
export const sponsorAnswer: Migration = { version: 80, sql: 'ALTER TABLE paymaster ADD COLUMN sponsor TEXT;' };
