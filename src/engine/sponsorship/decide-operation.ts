import { isDeepStrictEqual } from 'node:util';
import { isRequestCut } from '../../core/json/cut.ts';
import { type Plan, type Reason, decidePlanned, planInput } from '../../core/decision/decide.ts';
import type { Facts } from '../../core/facts/facts.ts';
import { type Decision, callsOf, decidedFields, leanFacts, reservationRecords } from '../../core/decision/record.ts';
import { traceText } from '../../core/decision/stored-record.ts';
import { ruleInput } from '../../core/decision/rule-input.ts';
import { termsOf } from '../../core/decision/terms.ts';
import { uncalledWebhooks } from '../../core/rules/webhook.ts';
import { withPaymasterAndData } from '../../core/user-operation/paymaster-fields.ts';
import { EngineError } from '../../shared/errors.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { type Soon, soon } from '../base/soon.ts';
import { sha256Hex } from '../base/sha256.ts';
import { version as engine } from '../base/version.ts';
import type { CommitPlan, DecisionDraft } from '../store/decision-store.ts';
import { type CurrentPolicy, currentPolicy } from './current-policy.ts';
import type { DecisionContext } from './decision-context.ts';
import { checkExpiry } from './expiry.ts';
import { gatherFacts, isRead, readChain } from './gather.ts';
import { nameRevert } from './name-revert.ts';
import { type PreparedOperation, prepareOperation } from './prepare.ts';
import { cutForRecord } from '../../core/json/cut-for-record.ts';
import { type Payer, findCurrentPayer, holdsKey, isSamePayer } from './payer.ts';
import { withFailureRecord } from './recording.ts';
import { type SponsorshipRequest, requestRecord } from './request-record.ts';
import { beginToSign } from './sign-terms.ts';
import { callWebhooks } from './webhook-calls.ts';

/** A signed operation, or its gas values and the reason for the denial. */
export interface SponsorshipDecision {
  readonly decisionId: string;
  /** The operation with its final gas values and, if sponsored, with the paymaster's fields. */
  readonly op: UserOperation;
  /** In the format of the contracts, which is packed from v0.7 on; `0x` if the operation is not sponsored. */
  readonly paymasterAndData: Hex;
  readonly reason: Reason | undefined;
}

/**
 * Maximum number of attempts at one decision. Another attempt is necessary if the settings or the ledger have changed,
 * or after webhook answers.
 */
export const MAX_ROUNDS = 8;

interface Current {
  readonly current: CurrentPolicy;
  readonly payer: Payer;
}

/** The current policy and payer for a request, regardless of what was read when the request arrived. */
const findCurrent = (context: DecisionContext, { dapp, apiKey, options }: SponsorshipRequest): Soon<Current> => {
  const withPayer = (current: CurrentPolicy) =>
    soon(findCurrentPayer(context, current, options), (payer) => ({ current, payer }));
  return soon(currentPolicy(context, dapp), (current) =>
    soon(context.store.findDappByApiKey(apiKey), (found) => {
      // The key may have been revoked since the request arrived, even through another engine.
      if (found?.paymasterId !== dapp.paymasterId) throw new EngineError('UNKNOWN_API_KEY');
      checkExpiry(current.dapp, options);
      return withPayer(current);
    }),
  );
};

/** True if the first rules already deny. In that case, no drafts may be signed, so no gas is estimated. */
export const signsNothing = ({ current: { policy }, payer: { payment } }: Current): boolean =>
  policy.pause !== null || (payment !== undefined && !policy.dapp.tokenMode);

/** Prepares an operation for its final decision. The custom error of a reverting call is named by the policy's ABIs. */
export const prepareFinal = (
  context: DecisionContext,
  request: SponsorshipRequest,
  found: Current,
): Soon<PreparedOperation> => {
  const prepared = prepareOperation(context, 'final', request, {
    payer: found.payer,
    signsNothing: signsNothing(found),
  });
  if (!(prepared instanceof Promise)) return prepared;
  return prepared.catch((error: unknown) => {
    throw nameRevert(error, found.current.policy);
  });
};

const begin = (
  context: DecisionContext,
  request: SponsorshipRequest,
): Soon<{ found: Current; prepared: PreparedOperation }> =>
  soon(findCurrent(context, request), (found) =>
    soon(prepareFinal(context, request, found), (prepared) => ({ found, prepared })),
  );

/**
 * Prepares an operation for another attempt. A settlement may have ended a reservation of tokens that the simulation of
 * the payment still found in the account.
 */
const tryAgain = (
  context: DecisionContext,
  request: SponsorshipRequest,
  found: Current,
  prepared: PreparedOperation,
): Soon<PreparedOperation> => (prepared.charge === undefined ? prepared : prepareFinal(context, request, found));

const isStillPrepared = ({ payer, gasSource }: PreparedOperation, found: Current): boolean =>
  isSamePayer(payer, found.payer) && (gasSource !== 'GAS_NOT_ESTIMATED' || signsNothing(found));

/**
 * Decides whether to sponsor a user operation: gathers the facts, decides, calls webhooks if required, gathers again
 * what may have changed, and then decides and commits in one step. The decision is stored when the promise resolves. If
 * an error occurs before, the error is stored, and then thrown.
 *
 * @throws EngineError `UNKNOWN_API_KEY`, `PAYMASTER_NOT_READY`, `VERSION_NOT_SUPPORTED`, `CONTRACT_MISMATCH`,
 * `CHAIN_UNREACHABLE`, `VAULT_LOCKED`, `GAS_ESTIMATION_FAILED`, `FEE_TOKEN_REQUIRED`, `TOKEN_NOT_SUPPORTED` or
 * `VALIDATION`; `DECISION_OUTDATED` if the inputs keep changing
 */
export const decideOperation = (context: DecisionContext, request: SponsorshipRequest): Promise<SponsorshipDecision> =>
  withFailureRecord(context, request, async (decisionId) => {
    const { store, pause } = context;
    const begun = begin(context, request);
    let { found, prepared } = begun instanceof Promise ? await begun : begun;
    let webhooks: Facts['webhooks'] = [];
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      // Finishes all waiting before it reads the settings, so that changes that the operator makes meanwhile apply to
      // this operation.
      const reading = readChain(context, request, prepared, found.current.policy);
      const reads = reading instanceof Promise ? await reading : reading;
      const version = store.settingsVersion(request.dapp);
      if (round > 1 || (version instanceof Promise ? await version : version) !== found.current.version) {
        found = await findCurrent(context, request);
        if (!isStillPrepared(prepared, found)) {
          const { op } = prepared;
          prepared = await prepareFinal(context, request, found);
          // Webhooks' verdicts on an operation with other gas do not apply to this operation.
          if (!isDeepStrictEqual(prepared.op, op)) webhooks = [];
          continue;
        }
      }
      const { current } = found;
      const gathering = gatherFacts(context, request, prepared, { reads, current, webhooks });
      const facts = gathering instanceof Promise ? await gathering : gathering;
      // If a rule was added or became active meanwhile, or if the price source changed, the missing data is read first.
      const input = ruleInput(facts, current.policy, prepared.op);
      if (!isRead(input, reads, current.policy)) continue;
      const planned = planInput(input);
      const { reservations } = planned;
      if (uncalledWebhooks(facts, input.policy).length > 0) {
        const verdict = decidePlanned(planned, await store.heldOf(reservations));
        if (verdict.next === 'callWebhooks') {
          const call = { decisionId, ...request };
          const responses = await callWebhooks(context, verdict.targets, prepared.op, call);
          webhooks = [...webhooks, ...responses];
          continue;
        }
      }
      const settings = { scope: current.dapp, version: current.version };
      const { ledgerVersion } = reads;
      const decided = await store.decideAndReserve({ reservations, ledgerVersion, settings }, (held) =>
        commitPlan(context, { decisionId, request, planned, current }, prepared, held),
      );
      if (decided === undefined) {
        prepared = await tryAgain(context, request, found, prepared);
        continue;
      }
      // The decision is stored, and its pause binds. If it cannot be read now, only what shows the pause is out of date.
      if (decided.rule === 'burnRate') await pause.refresh().catch(() => undefined);
      return answerOf(decided, prepared.op);
    }
    throw new EngineError('DECISION_OUTDATED');
  });

interface OperationInputs {
  readonly decisionId: string;
  readonly request: SponsorshipRequest;
  readonly planned: Plan;
  readonly current: CurrentPolicy;
}

export const decisionDraft = (
  { decisionId, request, planned: { input }, current: { policy, hash } }: OperationInputs,
  concluded: Pick<Decision, 'reservations' | 'held' | 'steps' | 'reason' | 'paymasterAndData'>,
): DecisionDraft => {
  const head = requestRecord(decisionId, request);
  const { reservations, held, steps, reason } = concluded;
  const decided = {
    // The DApp may have been renamed since the request arrived.
    ...head,
    dapp: policy.dapp.name,
    ...decidedFields({ input, policyHash: hash, engine, ...concluded }),
  };
  // A signed decision must be reproducible, however long it is. Denied requests must not fill the disk.
  const isWhole = reason === undefined || !isRequestCut(head.request);
  if (!isWhole) {
    const calls = cutForRecord(callsOf(input));
    return { ...decided, request: { ...head.request, calls }, reservations: reservationRecords(reservations, held) };
  }
  return {
    ...decided,
    facts: leanFacts(input.facts, head.request.userOperation),
    held: held.map(String),
    traceHash: sha256Hex(traceText(steps)),
  };
};

/** The data to write, given the amounts in the ledger accounts; undefined if the decision must restart. */
const commitPlan = (
  { vault, clock, signingThread }: Pick<DecisionContext, 'vault' | 'clock' | 'signingThread'>,
  deciding: OperationInputs,
  { ready, op }: PreparedOperation,
  held: readonly bigint[],
): CommitPlan | undefined => {
  const { planned, current } = deciding;
  const { policy, hash } = current;
  if (!holdsKey(vault, ready)) return undefined;
  const verdict = decidePlanned(planned, held, () => clock.monotonic() * 1000);
  if (verdict.next === 'callWebhooks') return undefined;
  const { steps, reason, effects, taken } = verdict;
  const signing = reason === undefined ? beginToSign(signingThread, ready, op, termsOf(planned.input)) : undefined;
  const { pauseChain, pauseDapp } = effects;
  return {
    decision() {
      const paymasterAndData = signing?.() ?? '0x';
      return decisionDraft(deciding, { reservations: taken, held, steps, reason, paymasterAndData });
    },
    reserve: reason === undefined,
    taken,
    revision: { hash, policy },
    pauseChain: pauseChain && { ...pauseChain, chainId: current.dapp.chainId },
    pauseDapp: pauseDapp && { ...pauseDapp, paymasterId: current.dapp.paymasterId },
  };
};

const answerOf = (decided: DecisionRecord, op: UserOperation): SponsorshipDecision => {
  const { id: decisionId, code, rule, message, hint } = decided;
  const paymasterAndData = decided.paymasterAndData as Hex;
  if (decided.outcome === 'sponsored') {
    return { decisionId, op: withPaymasterAndData(op, paymasterAndData), paymasterAndData, reason: undefined };
  }
  const reason = { code: code, rule: rule ?? '', message, hint };
  return { decisionId, op, paymasterAndData, reason };
};
