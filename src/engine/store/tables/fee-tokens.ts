import type { FeeToken } from '../../../shared/schema/fee-token.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';
import type { Access } from '../access.ts';
import { storedAs } from './stored-as.ts';

const COLUMNS = 'chain_id, address, symbol, decimals, premium, rate, pre_fund, logo_url';
const REMOVE = 'DELETE FROM fee_token WHERE chain_id = $1 AND address_key = $2';

const tokens = storedAs<FeeToken>({ json: ['rate'], flags: ['preFund'] });

export const feeTokenStore = ({ rows, write }: Access) => ({
  /** Adds the token, or replaces its settings. Chain and address, in any letter case, identify it. */
  saveFeeToken: (token: FeeToken): Promise<void> =>
    write(function* (tx) {
      const key = addressKey(token.address);
      // The row is replaced, not updated, because in the log, an address in other letter case is another token.
      yield* tx.run(REMOVE, [token.chainId, key]);
      yield* tx.insert('fee_token', `address_key, ${COLUMNS}`, { ...tokens.write(token), addressKey: key });
      tx.settingsChanged({ chain: token.chainId });
    }),
  async listFeeTokens(chainId?: number): Promise<FeeToken[]> {
    const list = `SELECT ${COLUMNS} FROM fee_token WHERE CAST($1 AS bigint) IS NULL OR chain_id = $1
      ORDER BY chain_id, address_key`;
    return (await rows.all<object>(list, [chainId ?? null])).map(tokens.read);
  },
  removeFeeToken: (chainId: number, address: Address): Promise<boolean> =>
    write(function* (tx) {
      const removed = yield* tx.run(REMOVE, [chainId, addressKey(address)]);
      tx.settingsChanged({ chain: chainId });
      return removed > 0;
    }),
});
