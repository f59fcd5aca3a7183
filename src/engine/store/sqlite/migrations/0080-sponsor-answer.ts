import type { Migration } from './migration.ts';

/** What stubs say of who sponsors, as JSON; null, also for the DApps of before: the DApp's name, without an icon. */
export const sponsorAnswer: Migration = {
  version: 80,
  sql: 'ALTER TABLE paymaster ADD COLUMN sponsor TEXT;',
};
