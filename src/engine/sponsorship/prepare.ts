import type { Facts } from '../../core/facts/facts.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { windowOf } from '../../core/decision/terms.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { AMPLE_CALL_GAS } from '../token-mode/try-payment.ts';
import type { Authority } from '../../shared/schema/gas-schedule.ts';
import type { GasSchedule } from '../../core/gas-schedules/gas-schedule.ts';
import { carriesAuthorization, readAuthority, withCheckedAuthorization } from './authorization.ts';
import { readDelegate, readNonce } from './chain-reads.ts';
import { type Soon, soon } from '../base/soon.ts';
import type { DecisionContext } from './decision-context.ts';
import { scheduleOf } from '../chain/rpc.ts';
import { withGas, withGivenGas, withLeastGas } from './operation-gas.ts';
import type { Payer } from './payer.ts';
import type { SponsorshipRequest } from './request-record.ts';
import { type TokenCharge, simulateTokenCharge } from './token-charge.ts';

/** `draft`: paymaster data for estimating gas; gas and fees may be missing. `final`: the real decision. */
export type Stage = Facts['stage'];

/** An operation with its gas and payer. It is valid until the payer or the pause changes. */
export interface PreparedOperation {
  readonly stage: Stage;
  readonly payer: Payer;
  readonly op: UserOperation;
  /** The contract and key that sign; in token mode, with the payment's terms. */
  readonly ready: ReadyPaymaster;
  readonly charge: TokenCharge | undefined;
  /** The ledger's version before the payment in tokens was simulated. Absent: none was, or nothing is signed. */
  readonly ledgerVersion?: number;
  readonly gasSource: Facts['gasSource'];
  readonly senderNonce: bigint | undefined;
  /** The contract to which an EIP-7702 account delegates. */
  readonly delegate: Address | undefined;
  /** True if the account has already signed the operation. */
  readonly isSigned: boolean;
  /** The state of the sender's account before its EIP-7702 authorisation takes effect. */
  readonly authority: Authority | undefined;
  readonly schedule: GasSchedule;
}

const prepareDraft = async (
  { chains }: DecisionContext,
  request: SponsorshipRequest,
  payer: Payer,
): Promise<PreparedOperation> => {
  const { ready, rpc } = payer;
  const userOperation = await withCheckedAuthorization(rpc, ready, request.userOperation, 'draft');
  // Missing gas counts as free here, so a denial at this point would be a denial with any gas.
  const given = withLeastGas(withGivenGas(userOperation, ready), ready.layout.paymasterGas);
  const origin = { estimated: false, open: true, callGasLimit: AMPLE_CALL_GAS };
  const charge = payer.payment && (await simulateTokenCharge(rpc, payer.payment, given, origin));
  const found = { payer, ready: charge?.payment.charging ?? ready, op: charge?.op ?? given, charge };
  const schedule = await chains.gasSchedule(ready.chainId);
  const unread = { senderNonce: undefined, delegate: undefined, authority: undefined, isSigned: false };
  return { stage: 'draft', ...found, ...unread, gasSource: 'GAS_GIVEN', schedule };
};

/** The terms of a draft, at `now` (epoch ms). */
const draftTerms = (
  now: number,
  { chainId, contract, fundingWallet, layout }: ReadyPaymaster,
  { expiryDuration }: SponsorshipRequest['options'],
  { senderNonce, delegate }: Pick<PreparedOperation, 'senderNonce' | 'delegate'>,
) => ({
  chainId,
  paymaster: contract,
  ...windowOf(now, expiryDuration, layout),
  ...(fundingWallet !== undefined && { fundingWallet }),
  ...(senderNonce !== undefined && { senderNonce }),
  ...(delegate !== undefined && { eip7702Delegate: delegate }),
});

/** Requires the account's signature. @throws EngineError `VALIDATION` */
const requireSignature = ({ signature }: RequestedOperation): void => {
  if (signature !== '0x') return;
  const message = 'signature must be given with signingPhase finalize: the account signs before the paymaster';
  throw new EngineError('VALIDATION', message, { errors: [message] });
};

/** What was read about an operation before its gas is known. */
interface Known extends Pick<PreparedOperation, 'senderNonce' | 'delegate' | 'authority' | 'schedule'> {
  readonly userOperation: RequestedOperation;
}

/** The reads follow each other, so that only the first error is reported. */
const readKnown = ({ chains }: DecisionContext, { rpc, ready }: Payer, requested: RequestedOperation): Soon<Known> => {
  const authorized = carriesAuthorization(requested);
  const checked = authorized ? withCheckedAuthorization(rpc, ready, requested, 'final') : requested;
  return soon(checked, (op) =>
    soon(readNonce(rpc, ready, op.sender), (senderNonce) =>
      soon(readDelegate(rpc, ready, op), (delegate) =>
        soon(carriesAuthorization(op) ? readAuthority(rpc, ready, op) : undefined, (authority) =>
          soon(rpc === undefined ? chains.gasSchedule(ready.chainId) : scheduleOf(rpc), (schedule) => ({
            userOperation: op,
            senderNonce,
            delegate,
            authority,
            schedule,
          })),
        ),
      ),
    ),
  );
};

const prepareFinal = (
  context: DecisionContext,
  request: SponsorshipRequest,
  payer: Payer,
  signsNothing: boolean,
): Soon<PreparedOperation> => {
  const isSigned = request.options.signingPhase === 'finalize';
  if (isSigned) requireSignature(request.userOperation);
  return soon(readKnown(context, payer, request.userOperation), (known) =>
    soon(findGas(context, { request, payer, known, signsNothing }), (gas) => {
      const { userOperation: _, ...read } = known;
      const { ready } = payer;
      const { op, gasSource } = gas;
      const prepared = { stage: 'final', payer, ready, op, charge: undefined, ...read, gasSource, isSigned } as const;
      const { payment } = payer;
      if (payment === undefined) return prepared;
      const estimated = gasSource === 'GAS_ESTIMATED';
      const open = signsNothing ? { open: true, callGasLimit: AMPLE_CALL_GAS } : { open: estimated };
      return soon(context.store.ledgerVersion(), (ledgerVersion) =>
        simulateTokenCharge(payer.rpc, payment, op, { estimated, ...open }).then((charge) => ({
          ...prepared,
          ready: charge.payment.charging,
          op: charge.op,
          charge,
          ledgerVersion,
        })),
      );
    }),
  );
};

interface GasSearch {
  readonly request: SponsorshipRequest;
  readonly payer: Payer;
  readonly known: Known;
  readonly signsNothing: boolean;
}

const findGas = (
  { chains, clock, entropy }: DecisionContext,
  { request, payer, known, signsNothing }: GasSearch,
): Soon<Pick<PreparedOperation, 'op' | 'gasSource'>> => {
  const { ready, rpc, payment } = payer;
  const { userOperation, authority } = known;
  if (signsNothing) return { op: withGivenGas(userOperation, ready), gasSource: 'GAS_NOT_ESTIMATED' };
  const terms = () => draftTerms(clock.now(), ready, request.options, known);
  const drafting = payment?.estimating ?? ready;
  return withGas({ request: { ...request, userOperation }, ready, chains, rpc, entropy, drafting, terms, authority });
};

/**
 * Finds the operation's gas. An estimate needs a signed draft, so with `signsNothing` no gas is estimated. An operation
 * without an estimate is never signed.
 *
 * @throws EngineError as `decideOperation`
 */
export const prepareOperation = (
  context: DecisionContext,
  stage: Stage,
  request: SponsorshipRequest,
  { payer, signsNothing }: { readonly payer: Payer; readonly signsNothing: boolean },
): Soon<PreparedOperation> =>
  stage === 'draft' ? prepareDraft(context, request, payer) : prepareFinal(context, request, payer, signsNothing);
