/**
 * Why callData could not be decoded into calls. A policy that limits targets denies the operation with this code.
 *
 * - `UNKNOWN_SELECTOR`: not a known execute function, or fewer than four bytes.
 * - `MALFORMED_CALL_DATA`: the encoding is out of range, truncated, dirty or contradictory.
 * - `NESTED_EXECUTE_USER_OP`: a second `executeUserOp` selector follows the first; accounts differ in which callData
 *   they then run.
 * - `HIDDEN_CALLS`: a batch points outside its declared bytes; an account without bounds checks would execute the
 *   bytes
 * there.
 * - `UNKNOWN_EXECUTION_MODE`: an ERC-7579 mode or an operation number without a single known meaning.
 * - `AMBIGUOUS_TARGET`: a call with data to address zero, which ERC-7821 accounts treat as the account itself and
 * ERC-7579 accounts as address zero.
 * - `NESTED_TOO_DEEP`: MultiSends are nested deeper than the limit.
 * - `TOO_MANY_CALLS`: more calls than the limit for one operation.
 */
export type DecodeErrorCode =
  | 'UNKNOWN_SELECTOR'
  | 'MALFORMED_CALL_DATA'
  | 'NESTED_EXECUTE_USER_OP'
  | 'HIDDEN_CALLS'
  | 'UNKNOWN_EXECUTION_MODE'
  | 'AMBIGUOUS_TARGET'
  | 'NESTED_TOO_DEEP'
  | 'TOO_MANY_CALLS';

/** Passes an error up to `decodeCalls`, which returns it as a result. Never leaves this folder. */
export class DecodeError extends Error {
  readonly code: DecodeErrorCode;

  /** `detail` is one plain sentence for the operator. */
  constructor(code: DecodeErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
