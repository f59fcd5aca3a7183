import type Database from 'better-sqlite3';
import { addressKey } from '../../../shared/schema/hex.ts';
import {
  CHAIN,
  type ChainRow,
  CONTRACT,
  type ContractRow,
  FEE_TOKEN,
  type FeeTokenRow,
  ofChain,
  ofFeeToken,
  SIGNER,
  toChain,
  toContract,
  toFeeToken,
} from '../chain-rows.ts';
import type { ChainSigner, ChainStore, FeeTokenStore } from '../registry-store.ts';
import { remembered } from './memory.ts';

/** Chains. `changed` is called with the chain of every change, so that pending decisions restart. */
export const chainStore = (database: Database.Database, changed: (chainId: number) => void): ChainStore => {
  const save = database.prepare(
    `INSERT OR REPLACE INTO chain (chain_id, name, symbol, rpc, bundler, treasury, breaker_wei, breaker_seconds,
       breaker_off, unreachable_budget_wei, max_operation_cost_wei, price)
     VALUES (@chainId, @name, @symbol, @rpc, @bundler, @treasury, @breakerWei, @breakerSeconds,
       @breakerOff, @unreachableBudgetWei, @maxOperationCostWei, @price)`,
  );
  const chains = database.prepare<[], ChainRow>(`${CHAIN} ORDER BY chain_id`);
  const chain = database.prepare<[number], ChainRow>(`${CHAIN} WHERE chain_id = ?`);
  const remove = database.prepare<[number]>('DELETE FROM chain WHERE chain_id = ?');
  const forgetBaseFee = database.prepare<[number]>('DELETE FROM chain_base_fee WHERE chain_id = ?');
  const forgetTips = database.prepare<[number]>('DELETE FROM chain_tip WHERE chain_id = ?');
  const removeWithFees = database.transaction((chainId: number): number => {
    forgetBaseFee.run(chainId);
    forgetTips.run(chainId);
    return remove.run(chainId).changes;
  });
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

  // Every decision reads these.
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
    async saveChain(value) {
      save.run(ofChain(value));
      chainOf.forget();
      changed(value.chainId);
    },
    async listChains() {
      return chains.all().map(toChain);
    },
    async findChain(chainId) {
      return chainOf.get(chainId);
    },
    async removeChain(chainId) {
      const changes = removeWithFees(chainId);
      chainOf.forget();
      changed(chainId);
      return changes > 0;
    },
    async saveSigner(value) {
      replaceSigner(value);
      signerOf.forget();
      contractOf.forget();
      changed(value.chainId);
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
      changed(value.chainId);
    },
    async listPaymasterContracts() {
      return contracts.all().map(toContract);
    },
    async findPaymasterContract(chainId, version) {
      return contractOf.get(chainId, version);
    },
  };
};

const ORDER = 'ORDER BY chain_id, address_key';

/** Fee tokens. `changed` is called with the chain of every change. */
export const feeTokenStore = (database: Database.Database, changed: (chainId: number) => void): FeeTokenStore => {
  const save = database.prepare(
    `INSERT OR REPLACE INTO fee_token
     VALUES (@chainId, @addressKey, @address, @symbol, @decimals, @premium, @rate, @preFund, @logoUrl)`,
  );
  const all = database.prepare<[], FeeTokenRow>(`${FEE_TOKEN} ${ORDER}`);
  const ofChain = database.prepare<[number], FeeTokenRow>(`${FEE_TOKEN} WHERE chain_id = ? ${ORDER}`);
  const remove = database.prepare<[number, string]>('DELETE FROM fee_token WHERE chain_id = ? AND address_key = ?');

  return {
    async saveFeeToken(token) {
      save.run({ ...ofFeeToken(token), addressKey: addressKey(token.address) });
      changed(token.chainId);
    },
    async listFeeTokens(chainId) {
      return (chainId === undefined ? all.all() : ofChain.all(chainId)).map(toFeeToken);
    },
    async removeFeeToken(chainId, address) {
      const { changes } = remove.run(chainId, addressKey(address));
      changed(chainId);
      return changes > 0;
    },
  };
};
