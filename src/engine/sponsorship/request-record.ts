import { addressKey } from '../../shared/schema/hex.ts';
import type { SponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { toRpcUserOperation } from '../../core/user-operation/rpc-user-operation.ts';
import type { Dapp } from '../store/registry-store.ts';
import { blankedJson } from './blank.ts';
import { cutForRecord, cutOperation } from '../../core/json/cut-for-record.ts';
import { withoutProof } from './withhold.ts';

export interface SponsorshipRequest {
  readonly dapp: Dapp;
  readonly apiKey: string;
  readonly method: string;
  readonly userOperation: RequestedOperation;
  readonly options: SponsorshipOptions;
  /** The params as received, for the record. */
  readonly received: unknown;
  /** True: hashes replace the webhook requests, and all client data except the operation. */
  readonly isBlanked: boolean;
}

const recordOptions = ({ options, isBlanked }: Pick<SponsorshipRequest, 'options' | 'isBlanked'>): unknown =>
  cutForRecord(
    withoutProof(isBlanked ? { ...options, sponsorshipInfo: blankedJson(options.sponsorshipInfo) } : options),
  );

/** A request as it was received, in the form for the record. */
export const recordReceived = ({ received, isBlanked }: Pick<SponsorshipRequest, 'received' | 'isBlanked'>): unknown =>
  isBlanked ? blankedJson(withoutProof(received)) : cutForRecord(withoutProof(received));

export const requestRecord = (
  id: string,
  { dapp, method, userOperation, options, received, isBlanked }: SponsorshipRequest,
) => ({
  id,
  method,
  mode: options.mode,
  chainId: dapp.chainId,
  paymasterId: dapp.paymasterId,
  dapp: dapp.name,
  sender: addressKey(userOperation.sender),
  nonce: String(userOperation.nonce),
  request: {
    received: recordReceived({ received, isBlanked }),
    userOperation: cutOperation(toRpcUserOperation(userOperation)),
    options: recordOptions({ options, isBlanked }),
  },
});
