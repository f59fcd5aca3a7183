import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { createSettingsVersion } from '../memory.ts';
import { migrate } from '../migrate.ts';
import { policyRevisionStore } from '../policy-revisions.ts';
import { policyRevisions } from './0069-policy-revisions.ts';
import { initial } from './0010-initial.ts';
import { policyHistory } from './0095-policy-history.ts';

const tempFolder = useTempFolders();

it('the policies by which decisions were made are the history of a desk of before', async () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, [initial, policyRevisions]);
  database.exec(
    `INSERT INTO policy_revision VALUES ('sha256:b', 'p', 2, '{}'), ('sha256:a', 'p', 3, '{}'), ('sha256:c', 'q', 1, '{}')`,
  );
  migrate(database, [initial, policyRevisions, policyHistory]);
  const store = policyRevisionStore(database, createSettingsVersion());
  expect(await store.policyHistory('p', 9)).toEqual([
    { hash: 'sha256:a', at: 3 },
    { hash: 'sha256:b', at: 2 },
  ]);
  expect(await store.policyHistory('q', 9)).toEqual([{ hash: 'sha256:c', at: 1 }]);
  database.close();
});
