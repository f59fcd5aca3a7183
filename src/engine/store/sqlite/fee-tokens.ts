import type Database from 'better-sqlite3';
import type { FeeToken } from '../../../shared/schema/fee-token.ts';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { Store } from '../store.ts';

type FeeTokenStore = Pick<Store, 'saveFeeToken' | 'listFeeTokens' | 'removeFeeToken'>;

interface Row extends Omit<FeeToken, 'rate' | 'preFund'> {
  rate: string;
  preFund: number;
}

const TOKEN = `SELECT chain_id AS chainId, address, symbol, decimals, premium, rate, pre_fund AS preFund,
  logo_url AS logoUrl FROM fee_token`;
const ORDER = 'ORDER BY chain_id, address_key';

const toToken = (row: Row): FeeToken => ({
  ...row,
  rate: JSON.parse(row.rate) as FeeToken['rate'],
  preFund: row.preFund === 1,
});

/** Fee tokens in SQLite. */
export const feeTokenStore = (database: Database.Database): FeeTokenStore => {
  const save = database.prepare(
    `INSERT OR REPLACE INTO fee_token
     VALUES (@chainId, @addressKey, @address, @symbol, @decimals, @premium, @rate, @preFund, @logoUrl)`,
  );
  const all = database.prepare<[], Row>(`${TOKEN} ${ORDER}`);
  const ofChain = database.prepare<[number], Row>(`${TOKEN} WHERE chain_id = ? ${ORDER}`);
  const remove = database.prepare<[number, string]>('DELETE FROM fee_token WHERE chain_id = ? AND address_key = ?');

  return {
    async saveFeeToken(token) {
      save.run({
        ...token,
        addressKey: addressKey(token.address),
        rate: JSON.stringify(token.rate),
        preFund: Number(token.preFund),
      });
    },
    async listFeeTokens(chainId) {
      return (chainId === undefined ? all.all() : ofChain.all(chainId)).map(toToken);
    },
    async removeFeeToken(chainId, address) {
      return remove.run(chainId, addressKey(address)).changes > 0;
    },
  };
};
