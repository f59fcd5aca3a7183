import { type Reason, decidePlanned, isDeniedForCalls, planInput } from '../../core/decision/decide.ts';
import { stubPaymasterAndData } from '../../core/paymaster-layouts/layout.ts';
import { termsOf } from '../../core/decision/terms.ts';
import { EngineError } from '../../shared/errors.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { Store } from '../store/store.ts';
import type { CommitPlan, LedgerFacts } from '../store/decision-store.ts';
import { type CurrentPolicy, currentPolicy } from './current-policy.ts';
import { ruleInput } from '../../core/decision/rule-input.ts';
import { MAX_ROUNDS, type SponsorshipDecision, decisionDraft, prepareFinal, signsNothing } from './decide-operation.ts';
import type { RuleInput } from '../../core/rules/rule.ts';
import type { DecisionContext } from './decision-context.ts';
import { gatherFacts, isRead, readChain } from './gather.ts';
import { type PreparedOperation, prepareOperation } from './prepare.ts';
import { findPayer } from './payer.ts';
import { withFailureRecord } from './recording.ts';
import type { SponsorshipRequest } from './request-record.ts';

/** Paymaster data of the final length that no contract accepts, or the reason for a denial. */
export interface Stub {
  readonly op: UserOperation;
  readonly paymasterAndData: Hex;
  readonly reason: Reason | undefined;
}

/** The answer of the first phase. It is stored as a decision only if it is a denial. */
type CommitAnswer = Omit<SponsorshipDecision, 'decisionId'> & { readonly decisionId: string | undefined };

const reasonIn = ({ code, rule, message, hint }: DecisionRecord): Reason => ({ code, rule: rule ?? '', message, hint });

/**
 * Stores the denial, given the current ledger; null if no rule denies any more.
 *
 * @returns undefined, with nothing written, if the settings have changed since they were read
 * @throws EngineError `DECISION_OUTDATED` if the ledger keeps changing
 */
const storeDenial = async (
  store: Store,
  { reservations, settings }: Pick<Required<LedgerFacts>, 'reservations' | 'settings'>,
  denial: (held: readonly bigint[]) => CommitPlan | undefined,
): Promise<DecisionRecord | null | undefined> => {
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    if (denial(await store.heldOf(reservations)) === undefined) return null;
    const ledgerVersion = await store.ledgerVersion();
    const stored = await store.decideAndReserve({ reservations, ledgerVersion, settings }, denial);
    if (stored !== undefined) return stored;
    if ((await store.settingsVersion(settings.scope)) !== settings.version) return undefined;
  }
  throw new EngineError('DECISION_OUTDATED');
};

/** Gathers the facts for the policy in force. Reads again if a new rule needs more. */
const gatherCurrent = async (
  context: DecisionContext,
  request: SponsorshipRequest,
  prepared: PreparedOperation,
): Promise<{ readonly input: RuleInput; readonly current: CurrentPolicy }> => {
  let { policy } = await currentPolicy(context, request.dapp);
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const reads = await readChain(context, request, prepared, policy);
    const current = await currentPolicy(context, request.dapp);
    const facts = await gatherFacts(context, request, prepared, { reads, current, webhooks: [] });
    ({ policy } = current);
    const input = ruleInput(facts, policy);
    if (isRead(input, reads, policy)) return { input, current };
  }
  throw new EngineError('DECISION_OUTDATED');
};

/**
 * Decides without webhooks. Stores a denial; otherwise answers with a placeholder signature.
 *
 * @param mayDeny which operations may lead to a denial
 */
const answerUnsigned = async (
  context: DecisionContext,
  request: SponsorshipRequest,
  decisionId: string,
  prepared: PreparedOperation,
  mayDeny: (input: RuleInput) => boolean = () => true,
): Promise<Stub> => {
  const { store } = context;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const { input, current } = await gatherCurrent(context, request, prepared);
    const { dapp, policy, hash, version } = current;
    const isDeniable = mayDeny(input);
    const planned = planInput(input);
    const { reservations } = planned;
    /** The denial, given the amounts in the accounts; undefined if no rule denies. */
    const denial = (held: readonly bigint[]): CommitPlan | undefined => {
      const verdict = decidePlanned(planned, held);
      if (!isDeniable || verdict.next === 'callWebhooks' || verdict.reason === undefined) return undefined;
      const { steps, reason, taken } = verdict;
      const concluded = { reservations: taken, held, steps, reason, paymasterAndData: '0x' as const };
      const decision = () => decisionDraft({ decisionId, request, planned, current }, concluded);
      return { decision, reserve: false, revision: { hash, policy } };
    };
    const settings = { scope: dapp, version };
    const denied = await storeDenial(store, { reservations, settings }, denial);
    if (denied === undefined) continue;
    // The estimating layout is used here: a bundler estimates limits without taking tokens, and these limits would be
    // too low at the real price.
    const { layout } = prepared.charge?.payment.estimating ?? prepared.ready;
    return {
      op: prepared.op,
      paymasterAndData: stubPaymasterAndData(layout, prepared.op, termsOf(input)),
      reason: denied === null ? undefined : reasonIn(denied),
    };
  }
  throw new EngineError('DECISION_OUTDATED');
};

/**
 * Returns paymaster data to estimate gas with. If the rules would deny the operation with any gas, denies it here and
 * stores the decision, so that the wallet does not estimate gas for nothing. Calls no webhooks and reserves nothing,
 * because the real decision uses the final gas.
 *
 * @param request gas may be missing; fees are missing if `maxFeePerGas` is 0
 * @throws EngineError as `decideOperation`, except for gas
 */
export const stubSponsorship = (context: DecisionContext, request: SponsorshipRequest): Promise<Stub> =>
  withFailureRecord(context, request, async (decisionId) => {
    const payer = await findPayer(context, request);
    const prepared = await prepareOperation(context, 'draft', request, { payer, signsNothing: false });
    return answerUnsigned(context, request, decisionId, prepared);
  });

/**
 * The first phase for an account that signs before the paymaster. Finds the operation's gas, and returns everything
 * that the operation's hash covers. Like {@link stubSponsorship}, it calls no webhooks and reserves nothing, but all
 * rules check the final operation. A denied operation has no paymaster data.
 *
 * @throws EngineError as `decideOperation`
 */
export const commitSponsorship = (context: DecisionContext, request: SponsorshipRequest): Promise<CommitAnswer> =>
  withFailureRecord(context, request, async (decisionId) => {
    const [current, payer] = await Promise.all([currentPolicy(context, request.dapp), findPayer(context, request)]);
    const prepared = await prepareFinal(context, request, { current, payer });
    const answer = await answerUnsigned(context, request, decisionId, prepared);
    const isDenied = answer.reason !== undefined;
    return { ...answer, decisionId: isDenied ? decisionId : undefined, ...(isDenied && { paymasterAndData: '0x' }) };
  });

/**
 * Denies an operation whose gas is to be estimated, if a rule denies it for its sender, calls or deployment, and so with
 * any gas: an estimate would cost time, and fail in other words if the forbidden call reverts.
 *
 * @param isGasWanted true: the gas of the denied operation is estimated, for a user who pays for it; as far as possible
 * @returns undefined if no such rule denies
 * @throws EngineError as `decideOperation`, except for gas
 */
export const denyBeforeGas = (
  context: DecisionContext,
  request: SponsorshipRequest,
  isGasWanted: boolean,
): Promise<SponsorshipDecision | undefined> | undefined => {
  const { mode, calculateGasLimits } = request.options;
  // Users who pay in a token may call what they like.
  if (!calculateGasLimits || mode === 'ERC20') return undefined;
  return withFailureRecord(context, request, async (decisionId) => {
    const payer = await findPayer(context, request);
    const prepared = await prepareOperation(context, 'draft', request, { payer, signsNothing: false });
    const current = await currentPolicy(context, request.dapp);
    const unread = { ledgerVersion: 0, priceSource: undefined, chain: null };
    const facts = await gatherFacts(context, request, prepared, { reads: unread, current, webhooks: [] });
    if (!isDeniedForCalls(ruleInput(facts, current.policy))) return undefined;
    const { reason } = await answerUnsigned(context, request, decisionId, prepared, isDeniedForCalls);
    if (reason === undefined) return undefined;
    const found = { payer, signsNothing: signsNothing({ current, payer }) };
    const estimate = async () => prepareOperation(context, 'final', request, found);
    const { op } = isGasWanted ? await estimate().catch(() => prepared) : prepared;
    return { decisionId, op, paymasterAndData: '0x', reason };
  });
};
