import { address, hex } from '../../shared/schema/hex.ts';
import { partialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import { paymasterContext } from '../../shared/schema/sponsorship.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { MethodParam } from './method.ts';

export const userOperationParam: MethodParam = {
  name: 'userOperation',
  summary: 'The user operation, with the fields of EntryPoint v0.6, or those of v0.7 and later, or packed',
  schema: partialUserOperation,
};

/** The EntryPoint parameter, which must be the EntryPoint of the DApp's paymaster version. */
export const entryPointParam: MethodParam = {
  name: 'entryPoint',
  summary: "Address of the DApp's EntryPoint",
  schema: address,
};

/** The chain id parameter, which must equal the chain id in the URL. */
export const chainIdParam: MethodParam = {
  name: 'chainId',
  summary: 'The chain id, the same as in the URL',
  schema: quantity,
};

export const contextParam: MethodParam = {
  name: 'context',
  summary:
    "Biconomy's options, some also by Pimlico's names; or the id of a policy alone. Default: the operation is sponsored",
  schema: paymasterContext,
  optional: true,
};

export const userOpHashParam: MethodParam = {
  name: 'userOpHash',
  summary: 'The hash of the operation, as the EntryPoint computes it',
  schema: hex,
};

/** Errors of requests about the contract and its tokens, besides the common ones. */
export const feeTokenErrors: readonly ErrorCode[] = [
  'PAYMASTER_NOT_READY',
  'CHAIN_UNREACHABLE',
  'VAULT_LOCKED',
  'VERSION_NOT_SUPPORTED',
  'ENTRY_POINT_MISMATCH',
];

/** Errors of requests for a signature, in addition to the common errors. */
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
