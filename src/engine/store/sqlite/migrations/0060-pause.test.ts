import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { originsAndFilters } from './0030-origins-and-filters.ts';
import { cheaperDecisions } from './0035-cheaper-decisions.ts';
import { feeTokens } from './0040-fee-tokens.ts';
import { pause } from './0060-pause.ts';

const tempFolder = useTempFolders();

it('leaves a desk that was sponsoring sponsoring', () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  const before = [initial, ledger, originsAndFilters, cheaperDecisions, feeTokens];
  migrate(database, before);
  migrate(database, [...before, pause]);
  expect(database.prepare('SELECT * FROM sponsorship_pause').all()).toEqual([]);
  database.close();
});
