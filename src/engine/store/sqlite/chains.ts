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

interface ContractRow extends Omit<PaymasterContract, 'checked'> {
  checked: number;
}

const CHAIN = 'SELECT chain_id AS chainId, name, symbol, rpc, bundler, treasury FROM chain';
const SIGNER = 'SELECT chain_id AS chainId, address FROM signer';
const CONTRACT = 'SELECT chain_id AS chainId, version, address, checked FROM paymaster_contract';

const toContract = (row: ContractRow): PaymasterContract => ({ ...row, checked: row.checked === 1 });

/** Chain settings, signers and attached paymaster contracts in SQLite. */
export const chainStore = (database: Database.Database): ChainStore => {
  const save = database.prepare(
    'INSERT OR REPLACE INTO chain VALUES (@chainId, @name, @symbol, @rpc, @bundler, @treasury)',
  );
  const chains = database.prepare<[], ChainSettings>(`${CHAIN} ORDER BY chain_id`);
  const chain = database.prepare<[number], ChainSettings>(`${CHAIN} WHERE chain_id = ?`);
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
  const chainOf = remembered((chainId: number) => chain.get(chainId));
  const signerOf = remembered((chainId: number) => signer.get(chainId));
  const contractOf = remembered((chainId: number, version: string) => {
    const row = contract.get(chainId, version);
    return row && toContract(row);
  });

  return {
    async saveChain(value) {
      save.run(value);
      chainOf.forget();
    },
    async listChains() {
      return chains.all();
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
