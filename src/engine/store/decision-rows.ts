import { explainRecord } from '../../core/decision/explain-record.ts';
import { readRecord } from '../../core/decision/stored-record.ts';
import type { WebhookCallRow } from '../../api/webhooks.ts';
import type { DecisionRecord, DecisionRow } from '../../shared/schema/decision.ts';
import type { DecisionFilter } from './decision-queries.ts';

/** A stored decision: settlement has its own columns next to the record. */
export interface StoredDecision {
  readonly seq: number;
  readonly settlement: DecisionRecord['settlement'];
  readonly actualCostWei: string | null;
  readonly record: string;
}

/** A stored decision with its parsed record. */
export const readDecision = ({ record, ...columns }: StoredDecision) => ({ columns, record: readRecord(record) });

const MAX_COST = '"maxCostWei":';

/** The maximum cost in a record, decimal. A record that has no other field of this name need not be parsed. */
export const maxCostIn = (record: string): string | null => {
  const at = record.indexOf(MAX_COST) + MAX_COST.length;
  const isOnly = !record.includes(MAX_COST, at);
  const digits = isOnly ? /^"(\d+)"/.exec(record.slice(at, at + 100))?.[1] : undefined;
  return digits ?? readRecord(record).maxCostWei;
};

export type ParsedDecision = ReturnType<typeof readDecision>;

/** A whole decision. @param revision its policy revision, as it was stored; undefined if unknown */
export const toDecision = ({ columns, record }: ParsedDecision, revision: unknown): DecisionRecord => ({
  ...explainRecord(record, revision),
  ...columns,
});

/** Rows cut longer text: an export is an untrusted file. */
const LONGEST_TEXT = 500;
const cut = <T extends string | null>(text: T): T => (text === null ? text : (text.slice(0, LONGEST_TEXT) as T));

export const toRow = (decision: DecisionRow): DecisionRow => {
  const { seq, id, at, paymasterId, chainId, outcome, maxCostWei, actualCostWei, settlement } = decision;
  const { dapp, sender, mode, code, rule, message, hint } = decision;
  return {
    seq,
    id,
    at,
    paymasterId,
    chainId,
    outcome,
    dapp: cut(dapp),
    sender: cut(sender),
    mode,
    code: cut(code),
    rule: cut(rule),
    message: cut(message),
    hint: cut(hint),
    maxCostWei,
    actualCostWei,
    settlement,
  };
};

/** Whether a decision contains the text of a filter. */
export const hasText = (decision: DecisionRecord, text: DecisionFilter['text']): boolean => {
  if (text === undefined) return true;
  const { sender, id, userOpHash, dapp, message, request } = decision;
  const calls = JSON.stringify((request as { readonly calls?: unknown } | null | undefined)?.calls);
  return [sender, id, userOpHash, dapp, message, calls].some((part) => part?.toLowerCase().includes(text) === true);
};

/** The webhook calls of a decision, as lists show them. */
export const webhookCallsOf = ({ id, at, trace }: DecisionRecord): WebhookCallRow[] =>
  trace.flatMap(({ call, outcome, code, micros }, index): WebhookCallRow[] => {
    if (call === undefined || outcome === 'wouldDeny') return [];
    const { webhookId, method, url, status = null } = call;
    return [{ decisionId: id, at, index, webhookId, method, url: cut(url), outcome, code, status, micros }];
  });
