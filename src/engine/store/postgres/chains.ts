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
import type { Rows } from './rows.ts';
import type { Access, Writer, Transaction } from './writer.ts';

const REMOVE_CHAIN = 'DELETE FROM chain WHERE chain_id = $1';
const INSERT_CHAIN = `INSERT INTO chain (chain_id, name, symbol, rpc, bundler, treasury, breaker_wei, breaker_seconds,
    unreachable_budget_wei, max_operation_cost_wei, price, breaker_off)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
const SAVE_SIGNER = `INSERT INTO signer (chain_id, address) VALUES ($1, $2)
  ON CONFLICT (chain_id) DO UPDATE SET address = excluded.address`;
const SAVE_CONTRACT = `INSERT INTO paymaster_contract (chain_id, version, address, checked) VALUES ($1, $2, $3, $4)
  ON CONFLICT (chain_id, version) DO UPDATE SET address = excluded.address, checked = excluded.checked`;

const settingsOfChainChanged = (tx: Transaction, chain: number): void => {
  tx.settingsChanged({ chain });
  // Cached chain data may come from another node, or follow other rules.
  tx.advanceLedger();
};

export const chainStore = ({ rows, writer, cache }: Access): ChainStore => ({
  saveChain: (value) =>
    writer.run(async (tx) => {
      const row = ofChain(value);
      await tx.run(REMOVE_CHAIN, [row.chainId]);
      await tx.run(INSERT_CHAIN, [
        row.chainId,
        row.name,
        row.symbol,
        row.rpc,
        row.bundler,
        row.treasury,
        row.breakerWei,
        row.breakerSeconds,
        row.unreachableBudgetWei,
        row.maxOperationCostWei,
        row.price,
        row.breakerOff,
      ]);
      settingsOfChainChanged(tx, value.chainId);
    }),
  async listChains() {
    return (await rows.all<ChainRow>(`${CHAIN} ORDER BY chain_id`)).map(toChain);
  },
  findChain: (chainId) =>
    cache.get(`chain ${chainId}`, async () => {
      const row = await rows.get<ChainRow>(`${CHAIN} WHERE chain_id = $1`, [chainId]);
      return row && toChain(row);
    }),
  removeChain: (chainId) =>
    writer.run(async (tx) => {
      const removed = await tx.run(REMOVE_CHAIN, [chainId]);
      await tx.run('DELETE FROM chain_base_fee WHERE chain_id = $1', [chainId]);
      await tx.run('DELETE FROM chain_tip WHERE chain_id = $1', [chainId]);
      settingsOfChainChanged(tx, chainId);
      return removed > 0;
    }),
  saveSigner: ({ chainId, address }) =>
    writer.run(async (tx) => {
      await tx.run(SAVE_SIGNER, [chainId, address]);
      await tx.run('UPDATE paymaster_contract SET checked = 0 WHERE chain_id = $1', [chainId]);
      settingsOfChainChanged(tx, chainId);
    }),
  listSigners: () => rows.all<ChainSigner>(`${SIGNER} ORDER BY chain_id`),
  findSigner: (chainId) =>
    cache.get(`signer ${chainId}`, () => rows.get<ChainSigner>(`${SIGNER} WHERE chain_id = $1`, [chainId])),
  savePaymasterContract: ({ chainId, version, address, checked }) =>
    writer.run(async (tx) => {
      await tx.run(SAVE_CONTRACT, [chainId, version, address, Number(checked)]);
      settingsOfChainChanged(tx, chainId);
    }),
  async listPaymasterContracts() {
    return (await rows.all<ContractRow>(`${CONTRACT} ORDER BY chain_id, version`)).map(toContract);
  },
  findPaymasterContract: (chainId, version) =>
    cache.get(`contract ${chainId} ${version}`, async () => {
      const row = await rows.get<ContractRow>(`${CONTRACT} WHERE chain_id = $1 AND version = $2`, [chainId, version]);
      return row && toContract(row);
    }),
});

const REMOVE_TOKEN = 'DELETE FROM fee_token WHERE chain_id = $1 AND address_key = $2';
const INSERT_TOKEN = `INSERT INTO fee_token (chain_id, address_key, address, symbol, decimals, premium, rate, pre_fund,
    logo_url)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export const feeTokenStore = ({ rows, writer }: { readonly rows: Rows; readonly writer: Writer }): FeeTokenStore => ({
  saveFeeToken: (token) =>
    writer.run(async (tx) => {
      const row = ofFeeToken(token);
      const key = [row.chainId, addressKey(row.address)];
      await tx.run(REMOVE_TOKEN, key);
      await tx.run(INSERT_TOKEN, [
        ...key,
        row.address,
        row.symbol,
        row.decimals,
        row.premium,
        row.rate,
        row.preFund,
        row.logoUrl,
      ]);
      tx.settingsChanged({ chain: token.chainId });
    }),
  async listFeeTokens(chainId) {
    const found = await rows.all<FeeTokenRow>(
      `${FEE_TOKEN} WHERE $1::bigint IS NULL OR chain_id = $1 ORDER BY chain_id, address_key`,
      [chainId ?? null],
    );
    return found.map(toFeeToken);
  },
  removeFeeToken: (chainId, address) =>
    writer.run(async (tx) => {
      const removed = await tx.run(REMOVE_TOKEN, [chainId, addressKey(address)]);
      tx.settingsChanged({ chain: chainId });
      return removed > 0;
    }),
});
