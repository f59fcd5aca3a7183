import type { GasScheduleName, GasScheduleReading } from '../../shared/schema/gas-schedule.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { gasSchedules } from './schedules.ts';

/** The names in a fork's configuration that a node returns for `eth_config` (EIP-7910). */
export interface ForkConfig {
  /** Epoch seconds. */
  readonly activationTime: number;
  readonly precompiles: readonly string[];
  readonly systemContracts: readonly string[];
}

/** For each fork, a sign that only it and later forks show, newest fork first (EIP-8282, EIP-7951, EIP-2537, EIP-4844). */
const MARKS: readonly (readonly [GasScheduleName, (config: ForkConfig) => boolean])[] = [
  ['amsterdam', ({ systemContracts }) => systemContracts.some((name) => name.startsWith('BUILDER_'))],
  ['osaka', ({ precompiles }) => precompiles.includes('P256VERIFY')],
  ['prague', ({ precompiles }) => precompiles.includes('BLS12_G1ADD')],
  ['cancun', ({ precompiles }) => precompiles.includes('KZG_POINT_EVALUATION')],
];

const nameOf = (config: ForkConfig): GasScheduleName | null => MARKS.find(([, has]) => has(config))?.[0] ?? null;

/** The gas schedule that a node's configuration shows. A fork that changes no gas price does not change the schedule. */
export const scheduleOfConfig = (current: ForkConfig, next: ForkConfig | null): GasScheduleReading => {
  const name = nameOf(current);
  const nextName = next === null ? null : nameOf(next);
  const changes = next !== null && nextName !== null && nextName !== name;
  return { name, source: 'eth_config', next: changes ? { name: nextName, at: next.activationTime * 1000 } : null };
};

const DATA_BYTES = 1_000;

/** Data of the transaction whose gas shows what calldata costs. All of its bytes are other than zero. */
export const MEASURED_DATA: Hex = `0x${'ff'.repeat(DATA_BYTES)}`;

/**
 * Creation code that reverts unless it has more than 16,800,000 gas, which no transaction has where EIP-7825 limits
 * it: `if (gasleft() <= 16_800_000) revert()`.
 */
export const CODE_ABOVE_LIMIT: Hex = '0x5a630100590010600d575f5ffd5b00';

/** Nodes may estimate somewhat more than is needed: 1.5 % in geth. */
const ROOM_PERCENT = 3n;

/**
 * The gas schedule under which a transaction with {@link MEASURED_DATA} takes this gas; null for no known schedule, as on
 * chains that charge for layer 1 data in gas.
 *
 * @param hasLimit whether the node refuses a transaction with {@link CODE_ABOVE_LIMIT}
 */
export const measuredSchedule = (gas: bigint, hasLimit: boolean): GasScheduleName | null => {
  const found = Object.values(gasSchedules).find(({ transaction, callData, callDataFloor, mostTransactionGas }) => {
    const perByte = callData.other > callDataFloor.other ? callData.other : callDataFloor.other;
    const expected = transaction + perByte * BigInt(DATA_BYTES);
    const isExpected = gas >= expected && gas * 100n <= expected * (100n + ROOM_PERCENT);
    return isExpected && (mostTransactionGas !== undefined) === hasLimit;
  });
  return found?.name ?? null;
};
