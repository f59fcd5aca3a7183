import { verifyAuthorization } from 'ethers';
import { type Address, sameAddress } from '../../shared/schema/hex.ts';
import { type Eip7702Authorization, isV06 } from '../../shared/schema/user-operation.ts';
import { type RuleKind, pass } from './rule.ts';

/**
 * False for an unsigned authorisation. Clients request paymaster data before their users sign, and viem then writes
 * zeros for the signature.
 */
export const isSigned = ({ r, s }: Eip7702Authorization): boolean => BigInt(r) !== 0n || BigInt(s) !== 0n;

const signerOf = ({ address, chainId, nonce, r, s, yParity }: Eip7702Authorization): Address | undefined => {
  try {
    return verifyAuthorization({ address, chainId, nonce }, { r, s, yParity: yParity === 1n ? 1 : 0 }) as Address;
  } catch {
    return undefined; // r is not the x-coordinate of a point on the curve
  }
};

/** Shows the operator who signed the operation's EIP-7702 authorisation. Never denies. */
export const authorization: RuleKind<never> = {
  type: 'authorization',
  title: 'EIP-7702 authorisation',
  denials: {},
  bindsDrafts: false,
  check({ op }) {
    if (isV06(op) || op.eip7702Auth === undefined) return [];
    const { address: delegate } = op.eip7702Auth;
    if (!isSigned(op.eip7702Auth)) return [pass('NOT_SIGNED_YET', { delegate })];
    const signer = signerOf(op.eip7702Auth);
    if (signer === undefined) return [pass('SIGNATURE_OF_NOBODY', { delegate })];
    const code = sameAddress(signer, op.sender) ? 'SIGNED_BY_SENDER' : 'NOT_SIGNED_BY_SENDER';
    return [pass(code, { delegate, signer })];
  },
};
