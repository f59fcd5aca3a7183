import type { GasScheduleReading } from '../../../shared/schema/gas-schedule.ts';
import type { ChainSettings, ChainSigner, ChainState, PaymasterContract } from '../registry-store.ts';
import type { Access, Transaction } from '../access.ts';
import { storedAs } from './stored-as.ts';

interface BreakerColumns {
  readonly breakerWei: string | null;
  readonly breakerSeconds: number | null;
  readonly breakerOff: boolean;
}

type ChainRow = Omit<ChainState, 'breaker'> & BreakerColumns;

const chains = storedAs<ChainRow>({ json: ['price', 'gasScheduleReading'], flags: ['breakerOff'] });
const contracts = storedAs<PaymasterContract>({ flags: ['checked'] });

const CHAIN = `chain_id, name, symbol, rpc, bundler, treasury, breaker_wei, breaker_seconds, breaker_off,
  unreachable_budget_wei, max_operation_cost_wei, price, forward_bundler, gas_schedule`;
const CHAIN_STATE = `${CHAIN}, gas_schedule_reading`;
const SIGNER = 'chain_id, address';
const CONTRACT = 'chain_id, version, address, checked';

const toChain = (stored: object): ChainState => {
  const { breakerWei, breakerSeconds, breakerOff, ...chain } = chains.read(stored);
  const hasOwn = breakerWei !== null && breakerSeconds !== null;
  const other = breakerOff ? null : 'default';
  return { ...chain, breaker: hasOwn ? Object.freeze({ amountWei: breakerWei, seconds: breakerSeconds }) : other };
};

const ofChain = ({ breaker, ...chain }: ChainSettings): object => {
  const own = breaker === 'default' ? null : breaker;
  const columns = { breakerWei: own?.amountWei ?? null, breakerSeconds: own?.seconds ?? null };
  return chains.write({ ...chain, ...columns, breakerOff: breaker === null });
};

const settingsOfChainChanged = (tx: Transaction, chain: number): void => {
  tx.settingsChanged({ chain });
  // Cached chain data may come from another node, or follow other rules.
  tx.advanceLedger();
};

export const chainStore = ({ rows, write, cache }: Access) => ({
  saveChain: (chain: ChainSettings): Promise<void> =>
    write(function* (tx) {
      yield* tx.upsert('chain', CHAIN, ofChain(chain), 'chain_id');
      settingsOfChainChanged(tx, chain.chainId);
    }),
  /** Keeps the reading of the gas schedule: saving settings does not change it. Ignores a chain without settings. */
  saveGasSchedule: (chainId: number, reading: GasScheduleReading | null): Promise<void> =>
    write(function* (tx) {
      const text = reading && JSON.stringify(reading);
      yield* tx.run('UPDATE chain SET gas_schedule_reading = $2 WHERE chain_id = $1', [chainId, text]);
      settingsOfChainChanged(tx, chainId);
    }),
  async listChains(): Promise<ChainState[]> {
    return (await rows.all<object>(`SELECT ${CHAIN_STATE} FROM chain ORDER BY chain_id`)).map(toChain);
  },
  findChain: cache.remembered(async (chainId: number): Promise<ChainState | undefined> => {
    const row = await rows.get<object>(`SELECT ${CHAIN_STATE} FROM chain WHERE chain_id = $1`, [chainId]);
    return row && toChain(row);
  }),
  removeChain: (chainId: number): Promise<boolean> =>
    write(function* (tx) {
      const removed = yield* tx.run('DELETE FROM chain WHERE chain_id = $1', [chainId]);
      yield* tx.run('DELETE FROM chain_base_fee WHERE chain_id = $1', [chainId]);
      yield* tx.run('DELETE FROM chain_tip WHERE chain_id = $1', [chainId]);
      settingsOfChainChanged(tx, chainId);
      return removed > 0;
    }),
  /** Replaces the signer of the chain. The chain's paymaster contracts must then be verified again. */
  saveSigner: (signer: ChainSigner): Promise<void> =>
    write(function* (tx) {
      yield* tx.upsert('signer', SIGNER, signer, 'chain_id');
      yield* tx.run('UPDATE paymaster_contract SET checked = 0 WHERE chain_id = $1', [signer.chainId]);
      settingsOfChainChanged(tx, signer.chainId);
    }),
  listSigners: () => rows.all<ChainSigner>(`SELECT ${SIGNER} FROM signer ORDER BY chain_id`),
  findSigner: cache.remembered((chainId: number) =>
    rows.get<ChainSigner>(`SELECT ${SIGNER} FROM signer WHERE chain_id = $1`, [chainId]),
  ),
  savePaymasterContract: (contract: PaymasterContract): Promise<void> =>
    write(function* (tx) {
      yield* tx.upsert('paymaster_contract', CONTRACT, contracts.write(contract), 'chain_id, version');
      settingsOfChainChanged(tx, contract.chainId);
    }),
  async listPaymasterContracts(): Promise<PaymasterContract[]> {
    const list = `SELECT ${CONTRACT} FROM paymaster_contract ORDER BY chain_id, version`;
    return (await rows.all<object>(list)).map(contracts.read);
  },
  findPaymasterContract: cache.remembered(async (chainId: number, version: string) => {
    const find = `SELECT ${CONTRACT} FROM paymaster_contract WHERE chain_id = $1 AND version = $2`;
    const row = await rows.get<object>(find, [chainId, version]);
    return row && contracts.read(row);
  }),
});
