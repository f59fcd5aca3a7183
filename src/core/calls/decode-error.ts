/**
 * Why callData could not be turned into calls. A policy that limits targets denies the operation with this code.
 *
 * - `UNKNOWN_SELECTOR`: not an execute function we know, or fewer than four bytes.
 * - `MALFORMED_CALL_DATA`: out of range, truncated, dirty or contradictory encoding.
 * - `NESTED_EXECUTE_USER_OP`: a second `executeUserOp` behind the first; some accounts then run yet another callData.
 * - `HIDDEN_CALLS`: a batch points outside its declared bytes, at bytes an account without bounds checks would run.
 * - `UNKNOWN_EXECUTION_MODE`: an ERC-7579 mode or an operation number without a known, single meaning.
 * - `AMBIGUOUS_TARGET`: ERC-7821 accounts take target zero as themselves, ERC-7579 accounts as address zero; with data
 *   it makes a difference.
 * - `NESTED_TOO_DEEP`: MultiSend inside MultiSend beyond the limit.
 * - `TOO_MANY_CALLS`: more calls than one operation is decoded for.
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

/** Carries an error up to `decodeCalls`, which turns it into data; it stays within this folder. */
export class DecodeError extends Error {
  readonly code: DecodeErrorCode;

  /** `detail` is one plain sentence for the operator. */
  constructor(code: DecodeErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
