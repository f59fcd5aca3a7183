import { unitsToDecimal } from '../../shared/schema/decimal.ts';
import { addressKey } from '../../shared/schema/hex.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { SponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { Decoding } from '../calls/decode-calls.ts';
import type { SponsorshipTerms } from '../paymaster/layout.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { withPaymasterAndData } from '../paymaster/paymaster-fields.ts';
import type { DappPolicy, DecisionDraft, Paymaster } from '../store/store.ts';
import type { RequestedOperation } from '../user-operation/read-operation.ts';
import { toRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import { hashUserOperation } from '../user-operation/user-op-hash.ts';
import type { TokenSale } from '../token-mode/token-sale.ts';
import { type Reason, type Step, traceOf } from './steps.ts';
import { tracedCalls } from './traced-calls.ts';
import { whitelistOf } from './whitelist.ts';

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

/** A decision on its way: what is known of it when something fails. */
export interface Progress {
  readonly decisionId: string;
  readonly request: SponsorshipRequest;
  /** Steps taken so far. */
  steps: readonly Step[];
}

/** A decision that came to its end. */
interface Concluded extends Progress {
  readonly now: number;
  readonly policy: DappPolicy;
  readonly ready: ReadyPaymaster;
  /** How the user pays, if he does. */
  readonly sale: TokenSale | undefined;
  readonly terms: SponsorshipTerms;
  /** The operation with its gas. */
  readonly op: UserOperation;
  readonly decoding: Decoding;
  /** What the paymaster signed; `0x` if it does not sponsor. */
  readonly paymasterAndData: Hex;
  /** Of an EIP-7702 operation of v0.8. */
  readonly delegate: Address | undefined;
  readonly reason: Reason | undefined;
}

/** What a record says of any request that could be read. */
export const draftHead = (
  id: string,
  at: number,
  { paymaster, method, userOperation, options, received }: SponsorshipRequest,
) => ({
  id,
  at,
  method,
  mode: options.mode,
  chainId: paymaster.chainId,
  paymasterId: paymaster.paymasterId,
  dapp: paymaster.name,
  sender: addressKey(userOperation.sender),
  nonce: String(userOperation.nonce),
  request: { received, userOperation: toRpcUserOperation(userOperation), options },
});

/** The record of an operation that was sponsored or denied. */
export const decisionDraft = (concluded: Concluded): DecisionDraft => {
  const { decisionId, now, request, policy, steps, ready, terms, op, paymasterAndData, reason } = concluded;
  const sponsored = reason === undefined;
  const common = draftHead(decisionId, now, request);
  const calls = tracedCalls(concluded.decoding, whitelistOf(policy));
  return {
    ...common,
    request: { ...common.request, calls },
    entryPoint: ready.entryPoint,
    userOpHash: sponsored ? finishedHash(concluded) : null,
    outcome: sponsored ? 'sponsored' : 'denied',
    code: reason?.code ?? signedCode(concluded),
    rule: reason?.rule ?? null,
    message: reason?.message ?? signedMessage(concluded),
    hint: reason?.hint ?? '',
    paymasterAndData,
    validAfter: sponsored ? terms.validAfter : null,
    validUntil: sponsored ? terms.validUntil : null,
    maxCostWei: String(ready.layout.reservedCost(op)),
    actualCostWei: null,
    settlement: sponsored ? 'reserved' : null,
    ruleRevision: policy.revision,
    trace: traceOf(steps),
  };
};

const signedCode = ({ sale }: Concluded): string => (sale === undefined ? 'SPONSORED' : 'PAID_IN_TOKEN');

const signedMessage = ({ sale, op }: Concluded): string => {
  if (sale === undefined) return 'Sponsored: no rule denies this operation.';
  const { symbol, decimals } = sale.token;
  return `Signed: the user pays at most ${unitsToDecimal(sale.maxUnits(op), decimals)} ${symbol} for it.`;
};

const finishedHash = ({ ready, terms, op, paymasterAndData, delegate }: Concluded): Hex =>
  hashUserOperation(ready.layout.entryPointVersion, withPaymasterAndData(op, paymasterAndData), {
    chainId: terms.chainId,
    entryPoint: ready.entryPoint,
    ...(delegate !== undefined && { delegate }),
  });
