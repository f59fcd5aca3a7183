import type { Hex } from '../../shared/schema/hex.ts';
import type { StubUserOperationV06 } from '../../shared/schema/sponsorship.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { ensureAgreement } from '../paymaster/agreement.ts';
import { stubPaymasterAndData } from '../paymaster/layout.ts';
import { requireReady } from '../paymaster/readiness.ts';
import { readMoney } from './chain-reads.ts';
import { type DecisionContext, localSteps, recordingFailure, refuseTokenMode, termsAt } from './decide.ts';
import { type Progress, type SponsorshipRequest, decisionDraft } from './decision-draft.ts';
import { ledgerSteps } from './ledger-steps.ts';
import { type Reason, reasonOf } from './steps.ts';

/** A request for paymaster data to estimate gas with (ERC-7677): gas and fees may be open still. */
export interface StubRequest extends Omit<SponsorshipRequest, 'userOperation'> {
  readonly userOperation: StubUserOperationV06;
}

/** Paymaster data of the final length that no contract accepts, or the reason why there will be none. */
export interface Stub {
  readonly paymasterAndData: Hex;
  readonly reason: Reason | undefined;
}

/**
 * Gives paymaster data to estimate gas with. What the rules deny already, whatever the gas may turn out to be, is
 * denied here and stored as a decision, so that the wallet does not estimate in vain. Webhooks are not asked, and
 * nothing is reserved: the decision proper is taken over the final gas.
 *
 * @throws EngineError as `decide` does, but for gas
 */
export const stubSponsorship = (context: DecisionContext, { userOperation, ...rest }: StubRequest): Promise<Stub> => {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = userOperation;
  const request: SponsorshipRequest = {
    ...rest,
    userOperation: { ...userOperation, maxFeePerGas, maxPriorityFeePerGas },
  };
  const feesKnown = userOperation.maxFeePerGas !== undefined;
  return recordingFailure(context, request, (progress) => stubInOrder(context, progress, feesKnown));
};

const stubInOrder = async (context: DecisionContext, progress: Progress, feesKnown: boolean): Promise<Stub> => {
  const { store, vault, chains, clock } = context;
  const { paymaster, userOperation, options } = progress.request;
  refuseTokenMode(options);
  const ready = await requireReady(store, vault, paymaster);
  const rpc = await chains.rpc(paymaster.chainId);
  await ensureAgreement(store, rpc, ready);

  const op: UserOperationV06 = {
    ...userOperation,
    // What is not known yet costs nothing here: what is denied now would be denied with any gas.
    callGasLimit: userOperation.callGasLimit ?? 0n,
    verificationGasLimit: userOperation.verificationGasLimit ?? 0n,
    preVerificationGas: userOperation.preVerificationGas ?? 0n,
    paymasterAndData: '0x',
  };
  const money = await readMoney(rpc, ready, false);
  const policy = await store.dappPolicy(paymaster.paymasterId);
  const now = clock.now();
  const known = money && { ...money, ...(!feesKnown && { baseFeeWei: 0n }) };
  const ledger = ledgerSteps(clock, { op, ready, policy, money: known, now });
  const steps = [...localSteps(clock, policy, ready, op), ...ledger.steps(await store.heldOf(ledger.claims))];
  const terms = termsAt(now, options.expiryDuration, ready, undefined);
  const reason = reasonOf(steps);
  if (reason !== undefined) {
    await store.appendDecision(
      decisionDraft({ ...progress, now, policy, ready, terms, op, signed: op, steps, reason }),
    );
  }
  return { paymasterAndData: stubPaymasterAndData(ready.layout, op, terms), reason };
};
