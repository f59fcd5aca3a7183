import type { GasScheduleReading } from '../../../shared/schema/gas-schedule.ts';
import type { ChainSettings, ChainSigner, ChainState, ChainStore, PaymasterContract } from '../registry-store.ts';
import type { Access, Transaction } from '../access.ts';

interface ChainRow extends Omit<ChainSettings, 'breaker' | 'price'> {
  price: string | null;
  breakerWei: string | null;
  breakerSeconds: number | null;
  breakerOff: number;
}

type ContractRow = Omit<PaymasterContract, 'checked'> & { readonly checked: number };

const CHAIN = `chain_id, name, symbol, rpc, bundler, treasury, breaker_wei, breaker_seconds, breaker_off,
  unreachable_budget_wei, max_operation_cost_wei, price, forward_bundler, gas_schedule`;
const CHAIN_STATE = `${CHAIN}, gas_schedule_reading`;
const SIGNER = 'chain_id, address';
const CONTRACT = 'chain_id, version, address, checked';

interface ChainStateRow extends ChainRow {
  gasScheduleReading: string | null;
}

const toChain = (stored: ChainStateRow): ChainState => {
  const { breakerWei, breakerSeconds, breakerOff, price, gasScheduleReading, ...row } = stored;
  const hasOwn = breakerWei !== null && breakerSeconds !== null;
  const other = breakerOff === 1 ? null : 'default';
  return {
    ...row,
    price: price === null ? null : (JSON.parse(price) as ChainSettings['price']),
    gasScheduleReading: gasScheduleReading === null ? null : (JSON.parse(gasScheduleReading) as GasScheduleReading),
    breaker: hasOwn ? Object.freeze({ amountWei: breakerWei, seconds: breakerSeconds }) : other,
  };
};

const ofChain = ({ breaker, price, ...value }: ChainSettings): ChainRow => {
  const set = breaker === 'default' ? null : breaker;
  return {
    ...value,
    breakerWei: set?.amountWei ?? null,
    breakerSeconds: set?.seconds ?? null,
    breakerOff: Number(breaker === null),
    price: price && JSON.stringify(price),
  };
};

const toContract = (row: ContractRow): PaymasterContract => ({ ...row, checked: row.checked === 1 });

const settingsOfChainChanged = (tx: Transaction, chain: number): void => {
  tx.settingsChanged({ chain });
  // Cached chain data may come from another node, or follow other rules.
  tx.advanceLedger();
};

export const chainStore = ({ rows, write, cache }: Access): ChainStore => ({
  saveChain: (chain) =>
    write(function* (tx) {
      yield* tx.upsert('chain', CHAIN, ofChain(chain), 'chain_id');
      settingsOfChainChanged(tx, chain.chainId);
    }),
  saveGasSchedule: (chainId, reading) =>
    write(function* (tx) {
      const text = reading && JSON.stringify(reading);
      yield* tx.run('UPDATE chain SET gas_schedule_reading = $2 WHERE chain_id = $1', [chainId, text]);
      settingsOfChainChanged(tx, chainId);
    }),
  async listChains() {
    return (await rows.all<ChainStateRow>(`SELECT ${CHAIN_STATE} FROM chain ORDER BY chain_id`)).map(toChain);
  },
  findChain: cache.remembered(async (chainId) => {
    const row = await rows.get<ChainStateRow>(`SELECT ${CHAIN_STATE} FROM chain WHERE chain_id = $1`, [chainId]);
    return row && toChain(row);
  }),
  removeChain: (chainId) =>
    write(function* (tx) {
      const removed = yield* tx.run('DELETE FROM chain WHERE chain_id = $1', [chainId]);
      yield* tx.run('DELETE FROM chain_base_fee WHERE chain_id = $1', [chainId]);
      yield* tx.run('DELETE FROM chain_tip WHERE chain_id = $1', [chainId]);
      settingsOfChainChanged(tx, chainId);
      return removed > 0;
    }),
  saveSigner: (signer) =>
    write(function* (tx) {
      yield* tx.upsert('signer', SIGNER, signer, 'chain_id');
      yield* tx.run('UPDATE paymaster_contract SET checked = 0 WHERE chain_id = $1', [signer.chainId]);
      settingsOfChainChanged(tx, signer.chainId);
    }),
  listSigners: () => rows.all<ChainSigner>(`SELECT ${SIGNER} FROM signer ORDER BY chain_id`),
  findSigner: cache.remembered((chainId) =>
    rows.get<ChainSigner>(`SELECT ${SIGNER} FROM signer WHERE chain_id = $1`, [chainId]),
  ),
  savePaymasterContract: (contract) =>
    write(function* (tx) {
      const row = { ...contract, checked: Number(contract.checked) };
      yield* tx.upsert('paymaster_contract', CONTRACT, row, 'chain_id, version');
      settingsOfChainChanged(tx, contract.chainId);
    }),
  async listPaymasterContracts() {
    const list = `SELECT ${CONTRACT} FROM paymaster_contract ORDER BY chain_id, version`;
    return (await rows.all<ContractRow>(list)).map(toContract);
  },
  findPaymasterContract: cache.remembered(async (chainId, version) => {
    const find = `SELECT ${CONTRACT} FROM paymaster_contract WHERE chain_id = $1 AND version = $2`;
    const row = await rows.get<ContractRow>(find, [chainId, version]);
    return row && toContract(row);
  }),
});
