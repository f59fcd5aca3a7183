import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { policyRevisions } from './0069-policy-revisions.ts';
import { initial } from './0010-initial.ts';
import { policyHistory } from './0095-policy-history.ts';

const tempFolder = useTempFolders();

it('the policies of earlier decisions are the history of an older desk', () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  migrate(database, [initial, policyRevisions]);
  database.exec(
    `INSERT INTO policy_revision VALUES ('sha256:b', 'p', 2, '{}'), ('sha256:a', 'p', 3, '{}'), ('sha256:c', 'q', 1, '{}')`,
  );
  migrate(database, [initial, policyRevisions, policyHistory]);
  const history = database.prepare('SELECT hash, at FROM policy_history WHERE paymaster_id = ? ORDER BY seq DESC');
  expect(history.all('p')).toEqual([
    { hash: 'sha256:a', at: 3 },
    { hash: 'sha256:b', at: 2 },
  ]);
  expect(history.all('q')).toEqual([{ hash: 'sha256:c', at: 1 }]);
  database.close();
});
