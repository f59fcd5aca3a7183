import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { dappStore } from '../dapps.ts';
import { initial } from './0010-initial.ts';
import { originsAndFilters } from './0030-origins-and-filters.ts';
import { ledger } from './0020-ledger.ts';
import { cheaperDecisions } from './0035-cheaper-decisions.ts';
import { feeTokens } from './0040-fee-tokens.ts';
import { pause } from './0060-pause.ts';
import { fundingProof } from './0061-funding-proof.ts';
import { operatorTransactions } from './0062-operator-transactions.ts';
import { burnRateBreaker } from './0063-burn-rate-breaker.ts';
import { boundsPerDapp } from './0067-bounds-per-dapp.ts';
import { sponsorAnswer } from './0080-sponsor-answer.ts';
import { tokensAndKeys } from './0120-tokens-and-keys.ts';
import { tokenMode } from './0135-token-mode.ts';

const tempFolder = useTempFolders();

it('leaves a DApp as it is: wallets see its name', async () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  const before = [
    initial,
    ledger,
    originsAndFilters,
    cheaperDecisions,
    feeTokens,
    pause,
    fundingProof,
    operatorTransactions,
    burnRateBreaker,
    boundsPerDapp,
  ];
  migrate(database, before);
  database.exec(`
    INSERT INTO account (account_id, name, created_at) VALUES ('a', 'Operator', 1);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, created_at)
      VALUES ('d', 'a', 'Game', 10, 'key', '1.1.0', 2);
  `);
  migrate(database, [...before, sponsorAnswer, tokensAndKeys, tokenMode]);
  const store = dappStore(database, () => undefined);
  expect(await store.findDapp('d')).not.toHaveProperty('sponsor');
  expect(await store.setSponsor('d', { icon: null, isTold: false })).toMatchObject({ sponsor: { isTold: false } });
  database.close();
});
