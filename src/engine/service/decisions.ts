import { ZodError } from 'zod';
import { callsWords } from '../../api/call-words.ts';
import type { ListedDecision } from '../../api/decisions.ts';
import { ruleName } from '../../core/decision/rule-words.ts';
import { EngineError } from '../../shared/errors.ts';
import type { DecisionRecord, DecisionRow, FeedPage } from '../../shared/schema/decision.ts';
import { type Address, type Hex, address, addressKey } from '../../shared/schema/hex.ts';
import { RpcError } from '../chain/rpc.ts';
import { findMined } from '../chain/user-operation-events.ts';
import type { DecisionFeed } from '../events/decision-feed.ts';
import { idsOfSubject } from '../identity/search-subject.ts';
import type { DecisionFilter } from '../store/decision-queries.ts';
import { turn } from '../store/rows.ts';
import { type Origin, decisionReport } from './decision-report.ts';
import { callsOf } from '../../core/calls/described-calls.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Shorter than the timeout of any proxy or client. */
const FOLLOW_WAIT_MS = 20_000;
const HOUR_MS = 3_600_000;

/** Senders are stored in lower case. */
const withSenderKey = <Filter extends { sender?: Address | undefined }>(filter: Filter): Filter =>
  filter.sender === undefined ? filter : { ...filter, sender: addressKey(filter.sender) };

/**
 * Procedures for decisions. Without `chains`, no node is called; without `vault`, no person is found by name. `origin` says where the decisions come from, if not
 * from this engine.
 */
export const decisionHandlers = (
  {
    store,
    clock,
    chains,
    vault,
  }: Pick<ServiceContext, 'store' | 'clock'> & Partial<Pick<ServiceContext, 'chains' | 'vault'>>,
  follow: DecisionFeed['follow'],
  origin?: Origin,
): Handlers<NamesOf<'decisions'>> => {
  const requireDecision = async (decisionId: string): Promise<DecisionRecord> => {
    const decision = await store.findDecision(decisionId);
    if (decision === undefined) throw new EngineError('DECISION_NOT_FOUND');
    return decision;
  };

  const readCalls = async (decisionId: string): Promise<ReturnType<typeof callsOf>> => {
    const decision = await requireDecision(decisionId);
    const { contracts } = await store.dappPolicy(decision.paymasterId);
    return callsOf(decision, contracts);
  };

  /** Adds what the operations call. */
  const describe = async (rows: readonly DecisionRow[]): Promise<ListedDecision[]> => {
    const described = [];
    for (const row of rows) {
      const { calls } = await readCalls(row.id);
      described.push({ ...row, calls: callsWords(calls) });
      await turn();
    }
    return described;
  };

  /** The transaction of a mined operation; null if the chain is unreachable. */
  const transactionOf = async (
    { chainId, entryPoint, sender, nonce }: DecisionRecord,
    blockNumber: number,
  ): Promise<Hex | null> => {
    try {
      const rpc = await chains?.rpc(chainId);
      if (rpc === undefined) return null;
      const place = { entryPoint: address.parse(entryPoint), sender: address.parse(sender) };
      return (await findMined(rpc, { ...place, nonce: BigInt(nonce), blockNumber }))?.transactionHash ?? null;
    } catch (error) {
      if (error instanceof EngineError || error instanceof RpcError || error instanceof ZodError) return null;
      throw error;
    }
  };

  /** The next page of the feed. It is empty if the caller does not wait, or if no decision comes in time. */
  const nextPage = async (after: number | undefined, wait: boolean): Promise<FeedPage> => {
    let next: FeedPage = { rows: [], upTo: after ?? 0, more: false };
    const subscription = follow(after, (page) => {
      next = page;
      if (!wait || page.rows.length > 0) subscription.cancel();
    });
    const cancelTimer = clock.setTimer(FOLLOW_WAIT_MS, () => subscription.cancel());
    await subscription.ended.finally(cancelTimer);
    return next;
  };

  /** Decisions whose texts contain a text, and decisions about the person with this name. */
  const search = async (filter: DecisionFilter & { readonly text: string }): Promise<DecisionRow[]> => {
    const ids = vault === undefined ? [] : await idsOfSubject({ store, vault }, filter.text, filter.paymasterId);
    const found: DecisionRow[] = [];
    for (const text of [filter.text.toLowerCase(), ...ids])
      found.push(...(await store.listDecisions({ ...filter, text })));
    const bySeq = new Map(found.map((row) => [row.seq, row]));
    return [...bySeq.values()].sort((one, other) => other.seq - one.seq).slice(0, filter.limit);
  };

  return {
    'decisions.list': async ({ withCalls, ...filter }) => {
      const { text, ...query } = withSenderKey(filter);
      const rows = await (text === undefined ? store.listDecisions(query) : search({ ...query, text }));
      return withCalls ? describe(rows) : rows;
    },
    'decisions.page': (filter) => store.pageDecisions(withSenderKey(filter)),
    'decisions.report': (filter) => decisionReport({ store, clock }, withSenderKey(filter), origin),
    'decisions.show': ({ decisionId }) => requireDecision(decisionId),
    'decisions.mined': async ({ decisionId }) => {
      const decision = await requireDecision(decisionId);
      const blockNumber = await store.minedBlock(decisionId);
      if (blockNumber === undefined) return null;
      return { blockNumber, transactionHash: await transactionOf(decision, blockNumber) };
    },
    'decisions.policy': async ({ hash }) => ({ policy: (await store.findPolicy(hash)) ?? null }),
    'decisions.calls': ({ decisionId }) => readCalls(decisionId),
    'decisions.follow': ({ after, wait }) => nextPage(after, wait),
    'decisions.summary': async ({ paymasterId, hours, steps }) => {
      const stepMs = (hours * HOUR_MS) / steps;
      // In a review, the period ends at its last decision.
      const from = (origin === undefined ? clock.now() : origin.to + 1) - hours * HOUR_MS;
      const { outcomes, rules, spent } = await store.summarizeDecisions({ paymasterId, from, stepMs, steps });
      return {
        from,
        stepMs,
        outcomes,
        rules: [...rules].map(([rule, count]) => ({ rule, name: ruleName(rule), count })),
        spent: [...spent].map(([chainId, wei]) => ({ chainId, wei: wei.map(String) })),
      };
    },
  };
};
