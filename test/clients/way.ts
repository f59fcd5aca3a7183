import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';

/** How an operation is paid for. */
export type Payment = 'sponsored' | 'in a token';

/** What does not work yet: where, how the client says it, and who would have to change. */
export interface Error {
  /** Default: on all of the way's. */
  readonly on?: readonly EntryPointVersion[];
  /** Default: all of the way's. */
  readonly paid?: readonly Payment[];
  /** Words of the error. */
  readonly error: string;
  readonly whose: 'desk' | 'client';
  readonly why: string;
}

/** One way of a client to have operations paid: what it knows, and what of that fails. */
export interface Way {
  /** Stub data has neither `sponsor` nor `isFinal` (`dapp sponsor ID --hide`). */
  readonly hidesSponsor?: boolean;
  readonly on: readonly EntryPointVersion[];
  readonly paid: readonly Payment[];
  readonly errors?: readonly Error[];
}
