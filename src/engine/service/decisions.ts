import { EngineError } from '../../shared/errors.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { type Address, addressKey } from '../../shared/schema/hex.ts';
import type { Subscribe } from '../events/decision-feed.ts';
import { type Origin, decisionReport } from './decision-report.ts';
import { callsOf } from './decoded-calls.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const NEXT_PAGE = 100;
/** Shorter than any proxy's or client's patience. */
const NEXT_WAIT_MS = 20_000;
const HOUR_MS = 3_600_000;

/** Senders are stored in lower case. */
const withSenderKey = <Filter extends { sender?: Address | undefined }>(filter: Filter): Filter =>
  filter.sender === undefined ? filter : { ...filter, sender: addressKey(filter.sender) };

/** Decisions already made, and those to come; `origin` is what they come from, if it is not the desk itself. */
export const decisionHandlers = (
  { store, clock }: Pick<ServiceContext, 'store' | 'clock'>,
  subscribe: Subscribe,
  origin?: Origin,
): Handlers<NamesOf<'decisions'>> => {
  const requireDecision = async (decisionId: string): Promise<DecisionRecord> => {
    const decision = await store.findDecision(decisionId);
    if (decision === undefined) throw new EngineError('DECISION_NOT_FOUND');
    return decision;
  };

  /** Resolves once there is a decision behind `after`, or the time is up. */
  const waitForOne = (after: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        cancelTimer();
        subscription.cancel();
        resolve();
      };
      const cancelTimer = clock.setTimer(NEXT_WAIT_MS, end);
      const subscription = subscribe(after, end);
      subscription.ended.catch(reject);
    });

  return {
    'decisions.list': ({ userOpHash, ...filter }) =>
      store.listDecisions({ ...withSenderKey(filter), userOpHash: userOpHash?.toLowerCase() }),
    'decisions.page': (filter) => store.pageDecisions(withSenderKey(filter)),
    'decisions.report': (filter) => decisionReport({ store, clock }, withSenderKey(filter), origin),
    'decisions.show': ({ decisionId }) => requireDecision(decisionId),
    'decisions.calls': async ({ decisionId }) => {
      const decision = await requireDecision(decisionId);
      const { contracts } = await store.dappPolicy(decision.paymasterId);
      return callsOf(decision, contracts);
    },
    'decisions.next': async ({ after }) => {
      const [newest] = await store.listDecisions({ limit: 1 });
      const live = newest?.seq ?? 0;
      if (after === undefined) return { decisions: [], upTo: live, more: false };
      // A restored backup may be older than what the caller has seen.
      const begin = Math.min(after, live);
      await waitForOne(begin);
      return store.pageDecisions({ after: begin, limit: NEXT_PAGE });
    },
    'decisions.summary': async ({ hours, steps }) => {
      const stepMs = (hours * HOUR_MS) / steps;
      // The last hours of what is reviewed lie where its last decision does.
      const from = (origin === undefined ? clock.now() : origin.to + 1) - hours * HOUR_MS;
      const { outcomes, rules, spent } = await store.summarizeDecisions({ from, stepMs, steps });
      return {
        from,
        stepMs,
        outcomes,
        rules: [...rules].map(([rule, count]) => ({ rule, count })),
        spent: [...spent].map(([chainId, wei]) => ({ chainId, wei: wei.map(String) })),
      };
    },
  };
};
