import type { DecodeErrorCode } from '../../core/calls/decode-error.ts';
import { whitelistOf } from '../../core/contract-abi/whitelist.ts';
import { explainRecord } from '../../core/decision/explain-record.ts';
import { SPONSORED_MESSAGE } from '../../core/decision/record.ts';
import { type StoredRecord, isLean, readRecord } from '../../core/decision/stored-record.ts';
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

const DECODE_ERRORS: Readonly<Record<DecodeErrorCode, true>> = {
  UNKNOWN_SELECTOR: true,
  MALFORMED_CALL_DATA: true,
  NESTED_EXECUTE_USER_OP: true,
  HIDDEN_CALLS: true,
  UNKNOWN_EXECUTION_MODE: true,
  AMBIGUOUS_TARGET: true,
  NESTED_TOO_DEEP: true,
  TOO_MANY_CALLS: true,
};

const CALL_FIELDS = 'target valueWei selector operation contract method deployment true undecodable';

/** The words that the core may make of a decision with the code `SPONSORED`, besides names and numbers. */
const WORDS = [SPONSORED_MESSAGE, CALL_FIELDS, 'call delegatecall staticcall', ...Object.keys(DECODE_ERRORS)]
  .join('\n')
  .toLowerCase();

/** Punctuation of JSON, or a number: the calls of any decision may have it. */
const ANYWHERE = /["\\{}[\]:,]|^\d+$/;

/** Whether a policy names a contract or a method like this. */
const isName = (text: string, revision: unknown): boolean => {
  const { policy } = readRevision(revision) ?? {};
  if (policy === undefined) return true;
  const contracts = [...whitelistOf(policy).values()];
  const names = contracts.flatMap(({ name, signatures }) => [name, ...signatures.values()]);
  return names.some((name) => name.toLowerCase().includes(text));
};

/** False: the words of this record do not contain the text, though they were not made. */
const mayContain = (text: string, { record: stored }: StoredDecision, record: StoredRecord): boolean => {
  // The words of any other code have names and amounts in them.
  if (!isLean(record) || record.code !== 'SPONSORED' || ANYWHERE.test(text)) return true;
  // Addresses stand in callData without their 0x.
  return WORDS.includes(text) || stored.toLowerCase().includes(text.replace(/^0?x/, ''));
};

/** The texts that a search finds a decision by, in lower case. */
const searchedTexts = ({ sender, id, userOpHash, dapp, message, request }: DecisionRecord): string[] => {
  const calls = JSON.stringify((request as { readonly calls?: unknown } | null | undefined)?.calls);
  return [sender, id, userOpHash, dapp, message, calls].flatMap((part) => part?.toLowerCase() ?? []);
};

/**
 * The whole decision if it contains the text of a filter. Making its words takes longest, so what cannot contain the text
 * is left out before. `text` is in lower case, `revision` as {@link toDecision} takes it.
 */
export const decisionWith = (
  text: string,
  stored: StoredDecision,
  { decision: parsed, revision }: { readonly decision: ParsedDecision; readonly revision: unknown },
): DecisionRecord | undefined => {
  if (!mayContain(text, stored, parsed.record) && !isName(text, revision)) return undefined;
  const decision = toDecision(parsed, revision);
  return searchedTexts(decision).some((part) => part.includes(text)) ? decision : undefined;
};

/** All parts of the texts that {@link decisionWith} finds a decision by. */
export const textsOf = (parsed: ParsedDecision, revision: unknown): string[] =>
  searchedTexts(toDecision(parsed, revision));

/** The webhook calls of a decision, as lists show them. */
export const webhookCallsOf = ({ id, at, trace }: DecisionRecord): WebhookCallRow[] =>
  trace.flatMap(({ call, outcome, code, micros }, index): WebhookCallRow[] => {
    if (call === undefined || outcome === 'wouldDeny') return [];
    const { webhookId, method, url, status = null } = call;
    return [{ decisionId: id, at, index, webhookId, method, url: cut(url), outcome, code, status, micros }];
  });
