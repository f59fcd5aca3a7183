import { addressKey } from '../../shared/schema/hex.ts';
import type { SponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { toRpcUserOperation } from '../../core/user-operation/rpc-user-operation.ts';
import type { Paymaster } from '../store/registry-store.ts';
import { blankedJson } from './blank.ts';
import { kept, keptOperation } from './kept.ts';

/** A request for sponsorship of a known DApp. */
export interface SponsorshipRequest {
  readonly paymaster: Paymaster;
  /** The DApp's key under which it came. */
  readonly apiKey: string;
  /** JSON-RPC method by which it came. */
  readonly method: string;
  readonly userOperation: RequestedOperation;
  readonly options: SponsorshipOptions;
  /** The request as it came in, for the trace. */
  readonly received: unknown;
  /** True: a hash is stored in place of what the client sent beside the operation, and of what webhooks were told. */
  readonly isBlanked: boolean;
}

/** Options as a record keeps them; what is for webhooks may be blanked. */
const keptOptions = ({ options, isBlanked }: Pick<SponsorshipRequest, 'options' | 'isBlanked'>): unknown =>
  kept(isBlanked ? { ...options, sponsorshipInfo: blankedJson(options.sponsorshipInfo) } : options);

/** What a record says of any request that could be read. */
export const requestRecord = (
  id: string,
  { paymaster, method, userOperation, options, received, isBlanked }: SponsorshipRequest,
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
    received: isBlanked ? blankedJson(received) : kept(received),
    userOperation: keptOperation(toRpcUserOperation(userOperation)),
    options: keptOptions({ options, isBlanked }),
  },
});
