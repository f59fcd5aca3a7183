import { address } from '../../shared/schema/hex.ts';
import { partialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import { paymasterContext } from '../../shared/schema/sponsorship.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { MethodParam } from './method.ts';

/** The operation that is asked about. */
export const userOperationParam: MethodParam = {
  name: 'userOperation',
  summary: 'The user operation, in the fields of EntryPoint v0.6, of v0.7 and later, or packed',
  schema: partialUserOperation,
};

/** The EntryPoint that the operation is for: it must be the one of the DApp's paymaster version. */
export const entryPointParam: MethodParam = {
  name: 'entryPoint',
  summary: 'Address of the EntryPoint, which must be that of the DApp',
  schema: address,
};

/** The chain that the operation is for: it must be the one of the URL. */
export const chainIdParam: MethodParam = {
  name: 'chainId',
  summary: 'The chain id, which must be that of the URL',
  schema: quantity,
};

/** What ERC-7677 and Pimlico's dialect call the context. */
export const contextParam: MethodParam = {
  name: 'context',
  summary: "Biconomy's options, or Pimlico's names for some of them; default: sponsored",
  schema: paymasterContext,
  optional: true,
};

/** What a request about the contract and the tokens it takes may fail with, besides what any request may. */
export const feeTokenErrors: readonly ErrorCode[] = [
  'PAYMASTER_NOT_READY',
  'CHAIN_UNREACHABLE',
  'VAULT_LOCKED',
  'VERSION_NOT_SUPPORTED',
  'ENTRY_POINT_MISMATCH',
];

/** What a request for a signature may fail with, besides what any request may. */
export const signingErrors: readonly ErrorCode[] = [
  'PAYMASTER_NOT_READY',
  'CHAIN_UNREACHABLE',
  'GAS_ESTIMATION_FAILED',
  'NOT_SPONSORED',
  'FEE_TOKEN_REQUIRED',
  'TOKEN_NOT_SUPPORTED',
  'VAULT_LOCKED',
  'CONTRACT_MISMATCH',
  'VERSION_NOT_SUPPORTED',
];
