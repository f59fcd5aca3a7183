import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { ensureAgreement } from '../paymaster/agreement.ts';
import { stubPaymasterAndData } from '../paymaster/layout.ts';
import { requireReady } from '../paymaster/readiness.ts';
import { readMoney } from './chain-reads.ts';
import { type DecisionContext, localSteps, recordingFailure, refuseTokenMode, termsAt } from './decide.ts';
import { type SponsorshipRequest, decisionDraft } from './decision-draft.ts';
import { ledgerSteps } from './ledger-steps.ts';
import { withGivenGas } from './operation-gas.ts';
import { type Reason, reasonOf } from './steps.ts';

/** Paymaster data of the final length that no contract accepts, or the reason why there will be none. */
export interface Stub {
  readonly op: UserOperation;
  readonly paymasterAndData: Hex;
  readonly reason: Reason | undefined;
}

/**
 * Gives paymaster data to estimate gas with. What the rules deny already, whatever the gas may turn out to be, is
 * denied here and stored as a decision, so that the wallet does not estimate in vain. Webhooks are not asked, and
 * nothing is reserved: the decision proper is taken over the final gas.
 *
 * @param request gas may be open still; fees are, if `maxFeePerGas` is 0
 * @throws EngineError as `decide` does, but for gas
 */
export const stubSponsorship = (context: DecisionContext, request: SponsorshipRequest): Promise<Stub> =>
  recordingFailure(context, request, async (progress) => {
    const { store, vault, chains, clock } = context;
    const { paymaster, userOperation, options } = request;
    refuseTokenMode(options);
    const ready = await requireReady(store, vault, paymaster);
    const rpc = await chains.rpc(paymaster.chainId);
    await ensureAgreement(store, rpc, ready);

    // Gas that is not known yet costs nothing here: what is denied now would be denied with any gas.
    const op = withGivenGas(userOperation, ready);
    const money = await readMoney(rpc, ready, false);
    const policy = await store.dappPolicy(paymaster.paymasterId);
    const now = clock.now();
    const known = money && { ...money, ...(op.maxFeePerGas === 0n && { baseFeeWei: 0n }) };
    const ledger = ledgerSteps(clock, { op, ready, policy, money: known, now });
    const steps = [...localSteps(clock, policy, ready, op), ...ledger.steps(await store.heldOf(ledger.claims))];
    const delegate = undefined;
    const terms = termsAt(now, options.expiryDuration, ready, { senderNonce: undefined, delegate });
    const reason = reasonOf(steps);
    if (reason !== undefined) {
      const denied = { policy, ready, terms, op, delegate, paymasterAndData: '0x' as const, steps, reason };
      await store.appendDecision(decisionDraft({ ...progress, now, ...denied }));
    }
    return { op, paymasterAndData: stubPaymasterAndData(ready.layout, op, terms), reason };
  });
