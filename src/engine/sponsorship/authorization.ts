import { isSigned } from '../../core/rules/authorization.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Authority } from '../../shared/schema/gas-schedule.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import { type Eip7702Authorization, isV06 } from '../../shared/schema/user-operation.ts';
import { delegateOf } from '../chain/gas/delegation.ts';
import { readCode, readQuantity, readTransactionCount } from '../chain/gas/eth-call.ts';
import { type RpcClient, scheduleOf } from '../chain/rpc.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { withCallErrors } from '../paymaster/verify-contract.ts';

/** Order of secp256k1. */
const N = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;

const error = (message: string): EngineError => new EngineError('VALIDATION', message, { errors: [message] });

/** True for an operation that {@link withCheckedAuthorization} does not return as it is. */
export const carriesAuthorization = (op: RequestedOperation): boolean => !isV06(op) && op.eip7702Auth !== undefined;

/**
 * The operation with the EIP-7702 authorisation that its bundle must carry. Without the authorisation if the sender is
 * a contract, which accepts no code, or already delegates to that contract: requests are not authenticated, so an
 * authorisation without effect must not increase the gas that the tank pays for.
 *
 * Refuses an authorisation that no chain accepts, as far as this is known. For a draft, which is only used for
 * estimates, checks the delegate. For a final operation, also checks the nonce and the format of the signature. The
 * signer is not checked: viem and others send a placeholder until the operation itself is signed.
 *
 * @param rpc undefined: the chain is not read
 * @throws EngineError `VALIDATION`, which names the field, `CHAIN_UNREACHABLE` or `PAYMASTER_NOT_READY`
 */
export const withCheckedAuthorization = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  op: RequestedOperation,
  stage: 'draft' | 'final',
): Promise<RequestedOperation> => {
  if (isV06(op) || op.eip7702Auth === undefined) return op;
  const { eip7702Auth: auth, ...rest } = op;
  const signed = stage === 'final' && isSigned(auth);
  if (signed) checkSignature(auth);
  if (rpc === undefined) return op;
  const { chainId } = ready;
  const [code, nonces, senderCode] = await Promise.all([
    withCallErrors(ready, () => readCode(rpc, auth.address)),
    signed ? withCallErrors(ready, () => possibleNonces(rpc, op.sender, auth.nonce)) : undefined,
    withCallErrors(ready, () => readCode(rpc, op.sender)),
  ]);
  if (code === '0x')
    throw error(`eip7702Auth.address must be a contract: ${auth.address} has no code on chain ${chainId}`);
  if (nonces === undefined || nonces.includes(auth.nonce)) return takesEffect(senderCode, auth) ? op : rest;
  const named = `eip7702Auth.nonce must be ${nonces.join(' or ')}, the nonce of ${op.sender} on chain ${chainId}`;
  throw error(`${named}, but it is ${auth.nonce}`);
};

/**
 * The state of the sender's account before its EIP-7702 authorisation takes effect; undefined without an authorisation
 * or a node, and on chains where the state makes no difference to the cost of the bundle.
 *
 * @throws EngineError `CHAIN_UNREACHABLE` or `PAYMASTER_NOT_READY`
 */
export const readAuthority = async (
  rpc: RpcClient | undefined,
  ready: ReadyPaymaster,
  op: RequestedOperation,
): Promise<Authority | undefined> => {
  if (isV06(op) || op.eip7702Auth === undefined || rpc === undefined) return undefined;
  const { newDelegate, newAccount } = scheduleOf(rpc).authorization;
  if (newDelegate + newAccount === 0n) return undefined;
  const { sender } = op;
  const [code, nonce, balanceWei] = await withCallErrors(ready, () =>
    Promise.all([
      readCode(rpc, sender),
      readTransactionCount(rpc, sender, 'latest'),
      readQuantity(rpc, 'eth_getBalance', [sender, 'latest']),
    ]),
  );
  if (code !== '0x') return 'delegated';
  return nonce > 0n || balanceWei > 0n ? 'existing' : 'new';
};

const takesEffect = (code: Hex, { address }: Eip7702Authorization): boolean => {
  if (code === '0x') return true;
  const delegate = delegateOf(code);
  return delegate !== undefined && !sameAddress(delegate, address);
};

const checkSignature = ({ r, s }: Eip7702Authorization): void => {
  if (BigInt(r) === 0n || BigInt(r) >= N) throw error('eip7702Auth.r must be above 0 and below the order of secp256k1');
  if (BigInt(s) > 0n && BigInt(s) <= N / 2n) return;
  throw error('eip7702Auth.s must be above 0 and at most half the order of secp256k1 (EIP-7702)');
};

/** The account's current nonce and, if it matters, its nonce after its pending transactions. */
const possibleNonces = async (rpc: RpcClient, sender: Address, expected: bigint): Promise<bigint[]> => {
  const latest = await readTransactionCount(rpc, sender, 'latest');
  if (latest === expected) return [latest];
  const pending = await readTransactionCount(rpc, sender, 'pending');
  return pending === latest ? [latest] : [latest, pending];
};
