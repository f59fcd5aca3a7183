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
import { burnRateBreaker } from './0063-burn-rate-breaker.ts';

const tempFolder = useTempFolders();

it('leaves the settings of a chain, without a breaker', () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  const before = [initial, ledger, originsAndFilters, cheaperDecisions, feeTokens, pause];
  migrate(database, before);
  database.exec(`INSERT INTO chain VALUES (10, 'Mine', 'OP', 'http://node', null, '0x11')`);
  migrate(database, [...before, burnRateBreaker]);
  expect(database.prepare('SELECT * FROM chain').get()).toEqual({
    chain_id: 10,
    name: 'Mine',
    symbol: 'OP',
    rpc: 'http://node',
    bundler: null,
    treasury: '0x11',
    breaker_wei: null,
    breaker_seconds: null,
  });
  expect(database.prepare('SELECT times FROM sponsorship_resume').pluck().get()).toBe(0);
  database.close();
});
