import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { isV06 } from '../../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import { digits } from '../../../core/user-operation/hex-digits.ts';
import type { StateOverride } from './eth-call.ts';

/** Prefix of a delegate's address in an account's code (EIP-7702). */
const DESIGNATOR = '0xef0100';

/** Code of an account with this delegate. */
const delegationTo = (delegate: Address): Hex => `${DESIGNATOR}${digits(delegate)}`;

/** The delegate in an account's code; undefined if it has none. */
export const delegateOf = (code: Hex): Address | undefined =>
  code.length === 48 && code.startsWith(DESIGNATOR) ? `0x${code.slice(DESIGNATOR.length)}` : undefined;

/**
 * A state override in which an operation's EIP-7702 authorisation is in effect, as it will be when the operation runs.
 */
export const withAuthorization = (op: UserOperation): StateOverride =>
  isV06(op) || op.eip7702Auth === undefined
    ? {}
    : { [addressKey(op.sender)]: { code: delegationTo(op.eip7702Auth.address) } };
