import type { GasSchedule } from './gas-schedule.ts';

/** What a contract does, by what it costs. Absent: none. */
export interface Work {
  /** What every schedule prices alike, in gas. */
  readonly gas: bigint;
  /** Accounts used for the first time in the transaction. */
  readonly coldAccounts?: bigint;
  /** Storage slots changed for the first time in the transaction. */
  readonly slotChanges?: bigint;
  /** How many of these slots were zero. */
  readonly newSlots?: bigint;
  /** Calls with coins. */
  readonly payments?: bigint;
}

/** The first change of a storage slot that is not zero, in gas. */
export const slotChangeGas = ({ coldSlot, slotWrite }: GasSchedule): bigint => coldSlot + slotWrite;

/** The gas of some work under a schedule. */
export const workGas = (
  schedule: GasSchedule,
  { gas, coldAccounts = 0n, slotChanges = 0n, newSlots = 0n, payments = 0n }: Work,
): bigint =>
  gas +
  coldAccounts * schedule.coldAccount +
  slotChanges * slotChangeGas(schedule) +
  newSlots * schedule.newSlot +
  payments * schedule.valueTransfer;
