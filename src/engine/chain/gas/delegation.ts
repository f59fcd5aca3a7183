import { addressKey } from '../../../shared/schema/hex.ts';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { isV06 } from '../../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import { digits } from '../../../core/user-operation/hex-digits.ts';
import type { StateOverride } from './eth-call.ts';

/** What stands before the delegate's address in the code of an account (EIP-7702). */
const DESIGNATOR = '0xef0100';

/** The code of an account that has taken on a delegate's. */
const delegationTo = (delegate: Address): Hex => `${DESIGNATOR}${digits(delegate)}`;

/** The delegate whose code an account has taken on, by the account's own code; undefined if it has taken on none. */
export const delegateOf = (code: Hex): Address | undefined =>
  code.length === 48 && code.startsWith(DESIGNATOR) ? `0x${code.slice(DESIGNATOR.length)}` : undefined;

/** The state in which an operation's EIP-7702 authorisation has taken effect, as it will before the operation runs. */
export const withAuthorization = (op: UserOperation): StateOverride =>
  isV06(op) || op.eip7702Auth === undefined
    ? {}
    : { [addressKey(op.sender)]: { code: delegationTo(op.eip7702Auth.address) } };
