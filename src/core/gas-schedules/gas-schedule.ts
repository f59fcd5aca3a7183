import type { GasScheduleName } from '../../shared/schema/gas-schedule.ts';

/** Prices of a byte of calldata, in gas. */
export interface BytePrices {
  readonly zero: bigint;
  readonly other: bigint;
}

/** What an EIP-7702 authorisation costs the transaction that carries it, in gas. */
export interface AuthorizationPrices {
  /** Of every authorisation. */
  readonly each: bigint;
  /** In addition, if the account has no delegate yet. */
  readonly newDelegate: bigint;
  /** In addition, if the account does not exist yet: no coins, no transaction, no code. */
  readonly newAccount: bigint;
}

/**
 * The gas prices of a chain, as far as Gasdesk computes with them. A fork changes them all at once, so decisions name
 * the schedule that they were made under.
 */
export interface GasSchedule {
  readonly name: GasScheduleName;
  /** A call of a contract, without data. */
  readonly transaction: bigint;
  readonly callData: BytePrices;
  /** If higher, this replaces the price of calldata together with all gas of the execution. */
  readonly callDataFloor: BytePrices;
  readonly authorization: AuthorizationPrices;
  /** The most gas that a transaction may have; undefined if only the block limits it. */
  readonly mostTransactionGas: bigint | undefined;
  /**
   * True if gas for new state comes from a reservoir that contracts cannot see, wherever a transaction has more gas
   * than {@link mostTransactionGas} (EIP-8037). The EntryPoint does not charge for that gas.
   */
  readonly hidesStateGas: boolean;
  /** The first access to an account in a transaction. */
  readonly coldAccount: bigint;
  /** The first access to a storage slot in a transaction. */
  readonly coldSlot: bigint;
  /** The first change of a storage slot in a transaction, without the access. */
  readonly slotWrite: bigint;
  /** In addition to the change, if the slot was zero. */
  readonly newSlot: bigint;
  /** A call with coins, without the access to the account. Includes the stipend that the account gets. */
  readonly valueTransfer: bigint;
  /** The creation of a contract, without its code. */
  readonly create: bigint;
  /** A byte of a new contract's code. */
  readonly codeByte: bigint;
  /** The sum of the gas limits of a usual operation, which creates an account and makes calls. */
  readonly usualOperation: bigint;
  /** The same for the largest honest operation, counted as its EntryPoint counts, at twice the price of gas. */
  readonly largestOperation: bigint;
}
