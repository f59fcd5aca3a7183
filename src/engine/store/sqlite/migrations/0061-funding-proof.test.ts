import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { migrate } from '../migrate.ts';
import { dappStore } from '../dapps.ts';
import { initial } from './0010-initial.ts';
import { ledger } from './0020-ledger.ts';
import { originsAndFilters } from './0030-origins-and-filters.ts';
import { cheaperDecisions } from './0035-cheaper-decisions.ts';
import { feeTokens } from './0040-fee-tokens.ts';
import { pause } from './0060-pause.ts';
import { fundingProof } from './0061-funding-proof.ts';
import { boundsPerDapp } from './0067-bounds-per-dapp.ts';
import { sponsorAnswer } from './0080-sponsor-answer.ts';
import { tokensAndKeys } from './0120-tokens-and-keys.ts';
import { tokenMode } from './0135-token-mode.ts';

const tempFolder = useTempFolders();

it('keeps the changes of funding wallets that were made before their proofs were kept', async () => {
  const database = new Database(join(tempFolder(), 'test.db'));
  const before = [initial, ledger, originsAndFilters, cheaperDecisions, feeTokens, pause];
  migrate(database, before);
  database.exec(`
    INSERT INTO account VALUES ('a', 'A', 1);
    INSERT INTO paymaster (paymaster_id, account_id, name, chain_id, api_key, version, funding_wallet, created_at)
      VALUES ('p', 'a', 'P', 1, 'k', '1.1.0', '0xbb', 1);
    INSERT INTO funding_wallet_change (paymaster_id, funding_wallet, message, changed_at)
      VALUES ('p', '0xaa', 'first', 5), ('p', '0xbb', 'second', 6);
  `);
  migrate(database, [...before, fundingProof, boundsPerDapp, sponsorAnswer, tokensAndKeys, tokenMode]);
  expect(await dappStore(database, () => undefined).listFundingWalletChanges('p')).toEqual([
    { at: 6, previous: '0xaa', address: '0xbb', message: 'second', signature: null },
    { at: 5, previous: null, address: '0xaa', message: 'first', signature: null },
  ]);
  database.close();
});
