import type { FeeToken } from '../../../shared/schema/fee-token.ts';
import { addressKey } from '../../../shared/schema/hex.ts';
import type { FeeTokenStore } from '../registry-store.ts';
import type { Access } from '../access.ts';

type FeeTokenRow = Omit<FeeToken, 'rate' | 'preFund'> & { readonly rate: string; readonly preFund: number };

const COLUMNS = 'chain_id, address, symbol, decimals, premium, rate, pre_fund, logo_url';
const REMOVE = 'DELETE FROM fee_token WHERE chain_id = $1 AND address_key = $2';

const toFeeToken = (row: FeeTokenRow): FeeToken => ({
  ...row,
  rate: JSON.parse(row.rate) as FeeToken['rate'],
  preFund: row.preFund === 1,
});

export const feeTokenStore = ({ rows, write }: Access): FeeTokenStore => ({
  saveFeeToken: (token) =>
    write(function* (tx) {
      const key = addressKey(token.address);
      // The row is replaced, not updated, because in the log, an address in other letter case is another token.
      yield* tx.run(REMOVE, [token.chainId, key]);
      const row = { ...token, addressKey: key, rate: JSON.stringify(token.rate), preFund: Number(token.preFund) };
      yield* tx.insert('fee_token', `address_key, ${COLUMNS}`, row);
      tx.settingsChanged({ chain: token.chainId });
    }),
  async listFeeTokens(chainId) {
    const list = `SELECT ${COLUMNS} FROM fee_token WHERE CAST($1 AS bigint) IS NULL OR chain_id = $1
      ORDER BY chain_id, address_key`;
    return (await rows.all<FeeTokenRow>(list, [chainId ?? null])).map(toFeeToken);
  },
  removeFeeToken: (chainId, address) =>
    write(function* (tx) {
      const removed = yield* tx.run(REMOVE, [chainId, addressKey(address)]);
      tx.settingsChanged({ chain: chainId });
      return removed > 0;
    }),
});
