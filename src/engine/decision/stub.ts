import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { stubPaymasterAndData } from '../paymaster/layout.ts';
import { AMPLE_CALL_GAS } from '../token-mode/try-payment.ts';
import { checkAuthorization } from './authorization.ts';
import { readMoney } from './chain-reads.ts';
import type { DecisionContext } from './decision-context.ts';
import { type SponsorshipRequest, decisionDraft } from './decision-draft.ts';
import { ledgerSteps } from './ledger-steps.ts';
import { decodeOperation, localSteps, unbound } from './local-steps.ts';
import { withGivenGas } from './operation-gas.ts';
import { pauseSteps } from './pause-switch.ts';
import { findPayer } from './payer.ts';
import { paymentClaim } from './payment-claim.ts';
import { recordingFailure } from './recording.ts';
import { termsAt } from './sponsor.ts';
import { type Reason, reasonOf } from './steps.ts';
import { tryTaking } from './token-taking.ts';

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
    const { store, clock, pause } = context;
    const { paymaster, userOperation, options } = request;
    const { ready, sale: offered, rpc } = await findPayer(context, request);
    await checkAuthorization(rpc, ready, userOperation, 'draft');

    // Gas that is not known yet costs nothing here: what is denied now would be denied with any gas.
    const given = withGivenGas(userOperation, ready);
    const origin = { estimated: false, open: true, callGasLimit: AMPLE_CALL_GAS };
    const taking = offered && (await tryTaking(rpc, offered, given, origin));
    const { sale, op } = taking ?? { sale: undefined, op: given };
    const money = await readMoney(store, rpc, ready, op, false);
    const rules = await store.dappPolicy(paymaster.paymasterId);
    const policy = sale === undefined ? rules : unbound(rules);
    const now = clock.now();
    const known = money && { ...money, ...(op.maxFeePerGas === 0n && { baseFeeWei: 0n }) };
    const decoding = decodeOperation(op, ready);
    const payment = taking && (await paymentClaim(clock, rpc, taking, decoding, 'draft'));
    const ledger = ledgerSteps(clock, { op, ready, policy, payment, money: known, now });
    const local = sale === undefined ? localSteps(clock, policy, op, decoding) : [];
    const steps = [...pauseSteps(clock, pause.current()), ...local, ...ledger.steps(await store.heldOf(ledger.claims))];
    const delegate = undefined;
    const terms = termsAt(now, options.expiryDuration, ready, { senderNonce: undefined, delegate });
    const reason = reasonOf(steps);
    // At the real price a bundler, which finds out the limits where nothing is taken, has too little gas for taking it.
    const { layout } = sale?.estimating ?? ready;
    const paymasterAndData = stubPaymasterAndData(layout, op, terms);
    if (reason !== undefined) {
      const denied = {
        policy,
        ready,
        sale,
        terms,
        op,
        decoding,
        delegate,
        paymasterAndData: '0x' as const,
        steps,
        reason,
      };
      await store.appendDecision(decisionDraft({ ...progress, now, ...denied }));
    }
    return { op, paymasterAndData, reason };
  });
