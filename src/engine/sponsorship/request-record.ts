import { addressKey } from '../../shared/schema/hex.ts';
import type { SponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { toRpcUserOperation } from '../../core/user-operation/rpc-user-operation.ts';
import type { Paymaster } from '../store/registry-store.ts';
import { kept, keptOperation } from './kept.ts';

/** A request for sponsorship of a known DApp. */
export interface SponsorshipRequest {
  readonly paymaster: Paymaster;
  /** JSON-RPC method by which it came. */
  readonly method: string;
  readonly userOperation: RequestedOperation;
  readonly options: SponsorshipOptions;
  /** The request as it came in, for the trace. */
  readonly received: unknown;
}

/** What a record says of any request that could be read. */
export const requestRecord = (
  id: string,
  { paymaster, method, userOperation, options, received }: SponsorshipRequest,
) => ({
  id,
  method,
  mode: options.mode,
  chainId: paymaster.chainId,
  paymasterId: paymaster.paymasterId,
  dapp: paymaster.name,
  sender: addressKey(userOperation.sender),
  nonce: String(userOperation.nonce),
  request: {
    received: kept(received),
    userOperation: keptOperation(toRpcUserOperation(userOperation)),
    options: kept(options),
  },
});
