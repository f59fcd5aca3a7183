import type { GasScheduleName } from '../../shared/schema/gas-schedule.ts';
import type { GasSchedule } from './gas-schedule.ts';

const cancun: GasSchedule = {
  name: 'cancun',
  // Yellow Paper, G_transaction.
  transaction: 21_000n,
  // EIP-2028.
  callData: { zero: 4n, other: 16n },
  callDataFloor: { zero: 0n, other: 0n },
  // EIP-7702, PER_EMPTY_ACCOUNT_COST, for chains that took it on without the rest of Prague. A refund for accounts
  // that exist does not count: it depends on the gas of the whole transaction.
  authorization: { each: 25_000n, newDelegate: 0n, newAccount: 0n },
  mostTransactionGas: undefined,
  hidesStateGas: false,
  // EIP-2929.
  coldAccount: 2_600n,
  coldSlot: 2_100n,
  slotWrite: 2_900n,
  // EIP-2200 and EIP-2929: SSTORE_SET_GAS - SSTORE_RESET_GAS = 20,000 - 2,900.
  newSlot: 17_100n,
  // Yellow Paper, G_callvalue, G_create, G_codedeposit.
  valueTransfer: 9_000n,
  create: 32_000n,
  codeByte: 200n,
  usualOperation: 2_000_000n,
  // Deploying a passkey account takes 5 million on EntryPoint v0.6, which counts verificationGasLimit three times, and
  // clients offer twice the price. A usual operation takes 1.8 million, at ten times the price if it is urgent.
  largestOperation: 20_000_000n,
};

const prague: GasSchedule = {
  ...cancun,
  name: 'prague',
  // EIP-7623.
  callDataFloor: { zero: 10n, other: 40n },
};

const osaka: GasSchedule = {
  ...prague,
  name: 'osaka',
  // EIP-7825: 2^24.
  mostTransactionGas: 16_777_216n,
};

/** EIP-8037, CPSB: the price of a byte of new state. */
const STATE_BYTE = 1_530n;
/** EIP-8038, ACCOUNT_WRITE. */
const ACCOUNT_WRITE = 9_000n;

/**
 * The EIPs of Amsterdam as of August 2026: EIP-2780, EIP-7976, EIP-8037 and EIP-8038. EIP-7981 prices access lists,
 * which bundles do not have.
 */
const amsterdam: GasSchedule = {
  ...osaka,
  name: 'amsterdam',
  // EIP-2780, TX_BASE_COST + COLD_ACCOUNT_ACCESS.
  transaction: 15_000n,
  // EIP-7976.
  callDataFloor: { zero: 64n, other: 64n },
  // EIP-8037, EXECUTION_PER_AUTH_BASE_COST, and EIP-2780: ACCOUNT_WRITE, 23 bytes of state for a delegate, and 120 for
  // an account.
  authorization: { each: 7_816n + ACCOUNT_WRITE, newDelegate: 23n * STATE_BYTE, newAccount: 120n * STATE_BYTE },
  hidesStateGas: true,
  // EIP-8038.
  coldAccount: 3_000n,
  slotWrite: 10_000n,
  // EIP-8037, STATE_BYTES_PER_STORAGE_SET.
  newSlot: 64n * STATE_BYTE,
  // EIP-8038, ACCOUNT_WRITE + CALL_STIPEND.
  valueTransfer: ACCOUNT_WRITE + 2_300n,
  // EIP-8038, CREATE_ACCESS, and EIP-8037.
  create: 12_000n + 120n * STATE_BYTE,
  codeByte: STATE_BYTE,
  // Measured: creating a SimpleAccount takes 2.9 (v0.6) to 4.4 times as much gas as before (v0.7), a larger account at
  // most 7.7 times as much, and all of it has to fit into a transaction.
  usualOperation: 6_000_000n,
  largestOperation: 60_000_000n,
};

/** Every gas schedule, by name. */
export const gasSchedules: Readonly<Record<GasScheduleName, GasSchedule>> = { cancun, prague, osaka, amsterdam };

/**
 * The schedule of a chain that has none: its node has not reported any, or one that Gasdesk does not know. Most
 * chains price calldata like this, and it denies no operation for the size of its transaction.
 */
export const assumedSchedule: GasSchedule = prague;
