import { chainSymbol } from '../../shared/chains.ts';
import type { ProcedureOutput } from '../../api/index.ts';
import { draftPolicy } from '../../core/policy-file/draft-policy.ts';
import type { PolicyFile } from '../../core/policy-file/format.ts';
import { parsePolicyFile } from '../../core/policy-file/parse-file.ts';
import { pastDecision } from '../../core/decision/past-decision.ts';
import { policyChanges, settingsOutsideFile } from '../../core/policy-file/policy-changes.ts';
import { runPolicyTests } from '../../core/policy-file/run-tests.ts';
import { updatePolicyFile } from '../../core/policy-file/update-file.ts';
import { policyFileText } from '../../core/policy-file/write-file.ts';
import { type Policy, policyHash } from '../../core/policy/policy.ts';
import type { Assumption, Assumptions } from '../../core/trial/assumptions.ts';
import { type DraftedDecision, decideUnderDraft } from '../../core/trial/decide-under-draft.ts';
import { isHidden } from '../../core/webhooks/hidden-credentials.ts';
import { EngineError } from '../../shared/errors.ts';
import { changedPolicy } from '../policy-trial/changed-policy.ts';
import { type CurrentPolicy, currentPolicy } from '../sponsorship/current-policy.ts';
import type { PolicyTime } from '../store/policy-store.ts';
import { forgetWebhookUrl } from '../webhooks/url-in-vault.ts';
import { requireDapp } from './dapps.ts';
import type { PolicyRecorder } from './policy-recorder.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';
import { narrow } from './narrow.ts';
import { rehearse } from './rehearse.ts';
import { thresholdTrialHandlers } from './threshold-trials.ts';
import { findWorstCase } from './worst-case.ts';

const SCHEME = 'sha256:';
const BEGINNING = /^(?:sha256:)?([0-9a-f]{4,64})$/i;

/**
 * The start of a revision's stored hash, from a full or shortened hash. @throws EngineError `POLICY_REVISION_NOT_FOUND`
 */
const startOf = (revision: string): string => {
  const [, digits] = BEGINNING.exec(revision) ?? [];
  if (digits !== undefined) return SCHEME + digits.toLowerCase();
  throw new EngineError(
    'POLICY_REVISION_NOT_FOUND',
    `"${revision}" names no revision: use 4 or more hex digits of one that "gasdesk policy history" lists`,
  );
};

/** Ids of the webhooks and rules whose URLs may be in the vault. */
const idsInVault = ({ webhooks, rules }: Policy): ReadonlySet<string> =>
  new Set(
    [
      ...webhooks.map(({ webhookId, webhookUrl }) => [webhookId, webhookUrl] as const),
      ...rules.map(({ ruleId, policyData }) => [ruleId, JSON.stringify(policyData)] as const),
    ].flatMap(([id, text]) => (isHidden(text) ? [id] : [])),
  );

const requireExpected = ({ hash }: CurrentPolicy, expect: string | undefined): void => {
  if (expect === undefined || hash.startsWith(startOf(expect))) return;
  throw new EngineError('POLICY_CHANGED', `The policy is not ${expect} any more: ${hash} is in force`, {
    revision: hash,
  });
};

const draftedView = ({ outcome, steps, reason }: DraftedDecision): ProcedureOutput<'policies.flip'> => ({
  outcome,
  code: reason?.code ?? 'SPONSORED',
  rule: reason?.rule ?? null,
  message: reason?.message ?? 'No rule denies it.',
  hint: reason?.hint ?? '',
  trace: steps.map((step) => ({ ...step })),
});

/** Procedures for DApps' policies: their revisions, and policies as files. */
export const policyHandlers = (context: ServiceContext, recorder: PolicyRecorder): Handlers<NamesOf<'policies'>> => {
  const { store, clock, entropy, vault, trials } = context;

  /** The policy in force, which is also recorded in the history. */
  const inForce = async (paymasterId: string): Promise<CurrentPolicy> => {
    const current = await currentPolicy(context, await requireDapp(context, paymasterId));
    await store.recordPolicy(paymasterId, current, clock.now());
    return current;
  };

  /** What a trial assumes. @throws EngineError `VALIDATION` if the price is to be assumed and cannot be read */
  const assumptionsOf = async (current: Policy, assume: readonly Assumption[]): Promise<Assumptions> => {
    const webhook = assume.includes('webhook');
    if (!assume.includes('price')) return { webhook };
    const { chain, dapp } = current;
    const price = chain?.price && (await context.rates.coinPrice(dapp.chainId, chain.price));
    if (typeof price?.usd === 'string') return { webhook, price };
    const why = price?.error ?? 'no price is set for the chain';
    throw new EngineError('VALIDATION', `Today's price cannot be assumed: ${why}`);
  };

  const requireRevision = async (paymasterId: string, revision: string): Promise<{ hash: string; policy: Policy }> => {
    const [hash, second] = await store.findRevisions(paymasterId, startOf(revision));
    if (second !== undefined) {
      const words = `Several revisions begin with ${revision}. Use more of its digits`;
      throw new EngineError('POLICY_REVISION_NOT_FOUND', words);
    }
    const policy = hash === undefined ? undefined : await store.findPolicy(hash);
    if (hash !== undefined && policy !== undefined) return { hash, policy };
    throw new EngineError('POLICY_REVISION_NOT_FOUND', `This DApp has no policy revision ${revision}`);
  };

  const policyAt = async (time: PolicyTime | undefined): Promise<Policy | undefined> =>
    time === undefined ? undefined : store.findPolicy(time.hash);

  const draftOf = (file: PolicyFile, { policy }: CurrentPolicy): Policy =>
    draftPolicy(file, policy, { now: clock.now(), newId: () => entropy.uuid() });

  const planOf = (file: PolicyFile, current: CurrentPolicy) => {
    const draft = draftOf(file, current);
    const tests = runPolicyTests(file, clock.now(), current.policy);
    return { draft, changes: policyChanges(current.policy, draft), tests };
  };

  return {
    'policies.history': async ({ paymasterId, limit }) => {
      await inForce(paymasterId);
      const times = await store.policyHistory(paymasterId, limit + 1);
      const revisions = [];
      let after = await policyAt(times[0]);
      for (const [index, { hash, at }] of times.slice(0, limit).entries()) {
        const before = await policyAt(times[index + 1]);
        const changes = before === undefined || after === undefined ? null : policyChanges(before, after);
        revisions.push({ revision: hash, at, changes });
        after = before;
      }
      return revisions;
    },
    'policies.show': async ({ paymasterId, revision }) => {
      const current = await inForce(paymasterId);
      const { hash, policy } = revision === undefined ? current : await requireRevision(paymasterId, revision);
      return {
        revision: hash,
        isInForce: hash === current.hash,
        policy,
        file: policyFileText(policy),
        settings: settingsOutsideFile(policy).map(([title, value]) => ({ title, value })),
      };
    },
    'policies.diff': async ({ paymasterId, from, to }) => {
      await inForce(paymasterId);
      const [one, other] = [await requireRevision(paymasterId, from), await requireRevision(paymasterId, to)];
      return { from: one.hash, to: other.hash, changes: policyChanges(one.policy, other.policy) };
    },
    'policies.export': async ({ paymasterId, into }) => {
      const { hash, policy } = await inForce(paymasterId);
      return { revision: hash, text: into === undefined ? policyFileText(policy) : updatePolicyFile(into, policy) };
    },
    'policies.plan': async ({ paymasterId, text, expect }) => {
      const current = await inForce(paymasterId);
      const file = parsePolicyFile(text);
      requireExpected(current, expect);
      const { changes, tests } = planOf(file, current);
      return { revision: current.hash, changes, tests };
    },
    'policies.apply': async ({ paymasterId, text, expect }) => {
      const current = await inForce(paymasterId);
      const file = parsePolicyFile(text);
      requireExpected(current, expect);
      const { draft, changes, tests } = planOf(file, current);
      const failed = tests.find(({ passed }) => !passed);
      if (failed !== undefined) {
        const { name, expected, actual } = failed;
        const words = `The test "${name}" fails: ${actual} instead of ${expected}. Nothing was changed`;
        throw new EngineError('POLICY_TESTS_FAILED', words, { tests });
      }
      const before = current.hash;
      if (policyHash(draft) === before) return { before, revision: before, changes, tests };
      const { allowedOrigins, maxExpirySeconds, tokenMode } = draft.dapp;
      const isReplaced = await store.replaceDappPolicy(current.dapp, current.version, {
        ...draft,
        allowedOrigins,
        maxExpirySeconds,
        tokenMode,
      });
      if (!isReplaced) throw new EngineError('POLICY_CHANGED');
      const remaining = idsInVault(draft);
      for (const id of idsInVault(current.policy)) if (!remaining.has(id)) await forgetWebhookUrl(vault, id);
      await recorder.catchUp();
      return { before, revision: policyHash(draft), changes, tests };
    },
    'policies.try': async ({ change, assume, ...times }) => {
      const { paymasterId } = change.input;
      const { policy: current } = await inForce(paymasterId);
      // Throws now if the change is invalid.
      changedPolicy(current, change)(clock.now());
      const assumptions = assume && (await assumptionsOf(current, assume));
      return { trialId: trials.start({ current, change, query: { paymasterId, ...times }, assumptions }) };
    },
    'policies.trial': async ({ trialId, seen }) => {
      const { done, of = null, result } = await trials.news(trialId, seen);
      if (result === undefined) return { done, of, result: null };
      const flips = result.flips.map(({ held: _held, ...flip }) => flip);
      const { assumed, ...report } = result.report;
      const usd = trials.task(trialId).assumptions?.price?.usd ?? null;
      const counts = { ...report, ...(assumed !== undefined && { assumed: { ...assumed, usd } }) };
      return { done, of, result: { report: { ...counts, flips }, series: result.series } };
    },
    'policies.flip': async ({ trialId, decisionId }) => {
      const { current, change, assumptions } = trials.task(trialId);
      const { result } = await trials.news(trialId, -1);
      const flip = result?.flips.find(({ id }) => id === decisionId);
      const record = await store.findDecision(decisionId);
      if (result === undefined || flip === undefined || record === undefined) {
        throw new EngineError('DECISION_NOT_FOUND');
      }
      const revision = await store.findPolicy(record.policy ?? '');
      const draft = { draftAt: changedPolicy(current, change), from: result.from, held: flip.held, assumptions };
      const decided = decideUnderDraft(pastDecision(record, revision), draft);
      if (decided === undefined) throw new EngineError('DECISION_NOT_FOUND');
      return draftedView(decided);
    },
    'policies.cancelTrial': async ({ trialId }) => {
      trials.cancel(trialId);
      return null;
    },
    ...thresholdTrialHandlers(context, inForce),
    'policies.rehearse': async ({ paymasterId, schedule, last }) => {
      const { policy } = await inForce(paymasterId);
      const report = await rehearse(trials, { paymasterId, schedule, last });
      return { coin: chainSymbol(policy.dapp.chainId, policy.chain), ...report };
    },
    'policies.narrow': async (query) => narrow(trials, await inForce(query.paymasterId), query),
    'policies.worstCase': async ({ paymasterId, people }) => findWorstCase(context, await inForce(paymasterId), people),
    'policies.test': async ({ paymasterId, text }) => {
      const file = parsePolicyFile(text);
      const dapp = paymasterId === undefined ? undefined : (await inForce(paymasterId)).policy;
      return runPolicyTests(file, clock.now(), dapp);
    },
  };
};
