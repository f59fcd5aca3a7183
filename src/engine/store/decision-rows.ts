import { whitelistOf } from '../../core/contract-abi/whitelist.ts';
import { explainRecord } from '../../core/decision/explain-record.ts';
import { isLean, readRecord } from '../../core/decision/stored-record.ts';
import { readRevision } from '../../core/policy/revision.ts';
import type { WebhookCallRow } from '../../api/webhooks.ts';
import type { DecisionRecord, DecisionRow } from '../../shared/schema/decision.ts';

/** A stored decision: settlement has its own columns next to the record. */
export interface StoredDecision {
  readonly seq: number;
  readonly settlement: DecisionRecord['settlement'];
  readonly actualCostWei: string | null;
  readonly record: string;
}

/** A stored decision with its parsed record. */
export const readDecision = ({ record, ...columns }: StoredDecision) => ({ columns, record: readRecord(record) });

/** A whole decision. @param revisionOf a policy revision by its name, as it was stored; undefined if unknown */
export const toDecision = (
  { columns, record }: ReturnType<typeof readDecision>,
  revisionOf: (hash: string) => unknown,
): DecisionRecord => ({
  ...explainRecord(record, record.policy === undefined ? undefined : revisionOf(record.policy)),
  ...columns,
});

/** Rows cut longer text: an export is an untrusted file. */
export const LONGEST_TEXT = 500;
const cut = <T extends string | null>(text: T): T => (text === null ? text : (text.slice(0, LONGEST_TEXT) as T));

export const toRow = (decision: DecisionRecord): DecisionRow => {
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

/** Part of an address, a hash or an id. No text of Gasdesk looks like one, but a contract's name may. */
const HEX = /^(?=.*\d)(?=.*[a-fx-])[\da-fx-]+$/;

const isName = (text: string, revision: unknown): boolean => {
  const { policy } = readRevision(revision) ?? {};
  if (policy === undefined) return true;
  const contracts = [...whitelistOf(policy).values()];
  const names = contracts.flatMap(({ name, signatures }) => [name, ...signatures.values()]);
  return names.some((name) => name.toLowerCase().includes(text));
};

/** Whether a decision contains the text of a filter. */
export const hasText = ({ sender, id, userOpHash, dapp, message, request }: DecisionRecord, text: string): boolean => {
  const calls = JSON.stringify((request as { readonly calls?: unknown } | null | undefined)?.calls);
  return [sender, id, userOpHash, dapp, message, calls].some((part) => part?.toLowerCase().includes(text) === true);
};

/**
 * The whole decision, if it contains the text of a filter. Creating a decision's texts takes longest, so decisions that
 * cannot contain the filter's text are left out first.
 *
 * @param text in lower case
 */
export const decisionWith = (
  text: string,
  stored: StoredDecision,
  revisionOf: (hash: string) => unknown,
): DecisionRecord | undefined => {
  const read = readDecision(stored);
  const { policy = '', code } = read.record;
  // The texts of all other codes contain names and amounts.
  const cannotHave =
    code === 'SPONSORED' && isLean(read.record) && HEX.test(text) && !stored.record.toLowerCase().includes(text);
  if (cannotHave && !isName(text, revisionOf(policy))) return undefined;
  const decision = toDecision(read, revisionOf);
  return hasText(decision, text) ? decision : undefined;
};

/** The webhook calls of a decision, as lists show them. */
export const webhookCallsOf = ({ id, at, trace }: DecisionRecord): WebhookCallRow[] =>
  trace.flatMap(({ call, outcome, code, micros }, index): WebhookCallRow[] => {
    if (call === undefined || outcome === 'wouldDeny') return [];
    const { webhookId, method, url, status = null } = call;
    return [{ decisionId: id, at, index, webhookId, method, url: cut(url), outcome, code, status, micros }];
  });
