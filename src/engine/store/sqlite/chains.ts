import type Database from 'better-sqlite3';
import type { ChainSettings, ChainSigner, PaymasterContract, Store } from '../store.ts';
import { remembered } from './remembered.ts';

type ChainStore = Pick<
  Store,
  | 'saveChain'
  | 'listChains'
  | 'findChain'
  | 'removeChain'
  | 'saveSigner'
  | 'listSigners'
  | 'findSigner'
  | 'savePaymasterContract'
  | 'listPaymasterContracts'
  | 'findPaymasterContract'
>;

/** A chain as it is stored. */
interface ChainRow extends Omit<ChainSettings, 'breaker'> {
  breakerWei: string | null;
  breakerSeconds: number | null;
}

interface ContractRow extends Omit<PaymasterContract, 'checked'> {
  checked: number;
}

const CHAIN = `SELECT chain_id AS chainId, name, symbol, rpc, bundler, treasury, breaker_wei AS breakerWei,
  breaker_seconds AS breakerSeconds FROM chain`;
const SIGNER = 'SELECT chain_id AS chainId, address FROM signer';
const CONTRACT = 'SELECT chain_id AS chainId, version, address, checked FROM paymaster_contract';

const toChain = ({ breakerWei, breakerSeconds, ...row }: ChainRow): ChainSettings => ({
  ...row,
  breaker:
    breakerWei === null || breakerSeconds === null
      ? null
      : Object.freeze({ amountWei: breakerWei, seconds: breakerSeconds }),
});

const toContract = (row: ContractRow): PaymasterContract => ({ ...row, checked: row.checked === 1 });

/** Chain settings, signers and attached paymaster contracts in SQLite. `outdate` lets decisions on their way begin anew. */
export const chainStore = (database: Database.Database, outdate: () => void): ChainStore => {
  const save = database.prepare(
    `INSERT OR REPLACE INTO chain (chain_id, name, symbol, rpc, bundler, treasury, breaker_wei, breaker_seconds)
     VALUES (@chainId, @name, @symbol, @rpc, @bundler, @treasury, @breakerWei, @breakerSeconds)`,
  );
  const chains = database.prepare<[], ChainRow>(`${CHAIN} ORDER BY chain_id`);
  const chain = database.prepare<[number], ChainRow>(`${CHAIN} WHERE chain_id = ?`);
  const remove = database.prepare<[number]>('DELETE FROM chain WHERE chain_id = ?');
  const saveSigner = database.prepare('INSERT OR REPLACE INTO signer VALUES (@chainId, @address)');
  const signers = database.prepare<[], ChainSigner>(`${SIGNER} ORDER BY chain_id`);
  const signer = database.prepare<[number], ChainSigner>(`${SIGNER} WHERE chain_id = ?`);
  const uncheck = database.prepare<[number]>('UPDATE paymaster_contract SET checked = 0 WHERE chain_id = ?');
  const replaceSigner = database.transaction((value: ChainSigner): void => {
    saveSigner.run(value);
    uncheck.run(value.chainId);
  });
  const saveContract = database.prepare(
    'INSERT OR REPLACE INTO paymaster_contract VALUES (@chainId, @version, @address, @checked)',
  );
  const contracts = database.prepare<[], ContractRow>(`${CONTRACT} ORDER BY chain_id, version`);
  const contract = database.prepare<[number, string], ContractRow>(`${CONTRACT} WHERE chain_id = ? AND version = ?`);

  // Every decision asks for these.
  const chainOf = remembered((chainId: number) => {
    const row = chain.get(chainId);
    return row && toChain(row);
  });
  const signerOf = remembered((chainId: number) => signer.get(chainId));
  const contractOf = remembered((chainId: number, version: string) => {
    const row = contract.get(chainId, version);
    return row && toContract(row);
  });

  return {
    async saveChain({ breaker, ...value }) {
      save.run({ ...value, breakerWei: breaker?.amountWei ?? null, breakerSeconds: breaker?.seconds ?? null });
      chainOf.forget();
      outdate();
    },
    async listChains() {
      return chains.all().map(toChain);
    },
    async findChain(chainId) {
      return chainOf.get(chainId);
    },
    async removeChain(chainId) {
      const { changes } = remove.run(chainId);
      chainOf.forget();
      return changes > 0;
    },
    async saveSigner(value) {
      replaceSigner(value);
      signerOf.forget();
      contractOf.forget();
    },
    async listSigners() {
      return signers.all();
    },
    async findSigner(chainId) {
      return signerOf.get(chainId);
    },
    async savePaymasterContract(value) {
      saveContract.run({ ...value, checked: Number(value.checked) });
      contractOf.forget();
    },
    async listPaymasterContracts() {
      return contracts.all().map(toContract);
    },
    async findPaymasterContract(chainId, version) {
      return contractOf.get(chainId, version);
    },
  };
};
