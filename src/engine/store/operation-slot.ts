/** What an EntryPoint lets be mined once. */
export interface OperationSlot {
  readonly entryPoint: string;
  readonly paymaster: string;
  readonly sender: string;
  readonly nonce: bigint | string;
}

/** A decision that may be what was mined. */
export interface Candidate extends OperationSlot {
  readonly seq: number;
  readonly settlement: string;
}

/** Tells slots apart, in any letter case. */
export const slotKey = ({ entryPoint, paymaster, sender, nonce }: OperationSlot): string =>
  [entryPoint, paymaster, sender, nonce].join(' ').toLowerCase();
