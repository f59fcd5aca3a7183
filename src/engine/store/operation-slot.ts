/** Identifies what an EntryPoint mines only once. */
export interface OperationSlot {
  readonly entryPoint: string;
  readonly paymaster: string;
  readonly sender: string;
  readonly nonce: bigint | string;
}

/** A decision that may match a mined operation. */
export interface Candidate extends OperationSlot {
  readonly seq: number;
  readonly settlement: string;
}

/** Distinguishes slots, ignoring letter case. */
export const slotKey = ({ entryPoint, paymaster, sender, nonce }: OperationSlot): string =>
  [entryPoint, paymaster, sender, nonce].join(' ').toLowerCase();
