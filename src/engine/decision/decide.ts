import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { withPaymasterAndData } from '../paymaster/paymaster-fields.ts';
import { burnRateStep } from './burn-rate-step.ts';
import { readMoney } from './chain-reads.ts';
import type { DecisionContext } from './decision-context.ts';
import { type Progress, type SponsorshipRequest, decisionDraft } from './decision-draft.ts';
import { ledgerSteps } from './ledger-steps.ts';
import { decodeOperation, localSteps, unbound } from './local-steps.ts';
import { paymentClaim } from './payment-claim.ts';
import { prepareOperation } from './prepare-operation.ts';
import { recordingFailure } from './recording.ts';
import { sponsor } from './sponsor.ts';
import { type Reason, reasonOf } from './steps.ts';
import { type WebhookAnswers, askWebhooks, needsAnswers } from './webhook-steps.ts';

/** How a request ended: signed, or the operation's gas values and the reason why not. */
export interface SponsorshipDecision {
  readonly decisionId: string;
  /** The operation with final gas values, and with the paymaster's part if it is sponsored. */
  readonly op: UserOperation;
  /** As the contracts take it, packed from v0.7 on; `0x` if it is not sponsored. */
  readonly paymasterAndData: Hex;
  readonly reason: Reason | undefined;
}

/**
 * Decides whether to sponsor a user operation, in the order of SPEC 5. The decision is stored when this resolves;
 * a failure on the way is stored too, and thrown.
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, `VERSION_NOT_SUPPORTED`, `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE`,
 *   `VAULT_LOCKED`, `GAS_ESTIMATION_FAILED`, `FEE_TOKEN_REQUIRED`, `TOKEN_NOT_SUPPORTED` or `VALIDATION`
 */
export const decide = (context: DecisionContext, request: SponsorshipRequest): Promise<SponsorshipDecision> =>
  recordingFailure(context, request, (progress) => decideInOrder(context, progress));

const decideInOrder = async (context: DecisionContext, progress: Progress): Promise<SponsorshipDecision> => {
  const { store, clock } = context;
  const { paymaster } = progress.request;
  // 1. Gas
  const prepared = await prepareOperation(context, progress);
  const { rpc, taking, ready, op, notes, delegate, pauseNow, termsNow } = prepared;
  const sale = taking?.sale;
  progress.steps = notes;
  const decoding = decodeOperation(op, ready);

  let asked: WebhookAnswers = new Map();
  for (;;) {
    // Whatever waits comes before the policy is read: what the operator changes meanwhile binds this operation.
    const settlements = await store.settlements();
    const money = await readMoney(store, rpc, ready, op, prepared.isEstimated);
    const payment = taking && (await paymentClaim(clock, rpc, taking, decoding, 'final'));
    const rules = await store.dappPolicy(paymaster.paymasterId);
    const policy = sale === undefined ? rules : unbound(rules);

    // 2. Contracts, 3. wallet deployment
    progress.steps = [...notes, ...(sale === undefined ? localSteps(clock, policy, op, decoding) : [])];
    // 4. Spending limits, or what the user pays with; 5. gas tank
    const ledger = ledgerSteps(clock, { op, ready, policy, payment, money, now: clock.now() });
    const burnRate = await burnRateStep(context, ready.chainId, ready.layout.reservedCost(op));

    // 6. Webhooks, only when no local rule denies. Afterwards everything is looked at anew.
    const preview = needsAnswers(policy, asked)
      ? [...pauseNow(), ...progress.steps, ...ledger.steps(await store.heldOf(ledger.claims)), ...asked.values()]
      : undefined;
    if (preview !== undefined && reasonOf(preview) === undefined) {
      asked = await askWebhooks(context, policy, op, progress, asked);
      continue;
    }

    // 7. Sign and store: one atomic step, so that no two operations are promised the same wei. The breaker is asked last:
    // it stops everything, and what is not signed anyway is no reason to.
    const terms = termsNow();
    const concluded = { ...progress, now: clock.now(), policy, ready, sale, terms, op, decoding, delegate };
    const claims = [...ledger.claims, ...burnRate.claims];
    const decided = await store.decideAndReserve({ claims, settlements }, (held) => {
      // Where a webhook was not asked because a local rule denied, that denial stands.
      const before = preview ?? [...pauseNow(), ...progress.steps, ...ledger.steps(held), ...asked.values()];
      const steps = [...before, ...burnRate.steps(held[ledger.claims.length])];
      const reason = reasonOf(steps);
      const paymasterAndData = reason === undefined ? sponsor(ready, op, terms) : '0x';
      return {
        decision: decisionDraft({ ...concluded, steps, reason, paymasterAndData }),
        reserve: reason === undefined,
        pause: burnRate.trippedBy(reason),
      };
    });
    if (decided === undefined) continue;
    if (decided.code === 'BURN_RATE_EXCEEDED') await context.pause.refresh();
    const { id: decisionId, code, rule, message, hint } = decided;
    const paymasterAndData = decided.paymasterAndData as Hex;
    if (decided.outcome === 'sponsored') {
      return { decisionId, op: withPaymasterAndData(op, paymasterAndData), paymasterAndData, reason: undefined };
    }
    return { decisionId, op, paymasterAndData, reason: { code, rule: rule ?? '', message, hint } };
  }
};
