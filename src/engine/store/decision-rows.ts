import type { DecodeErrorCode } from '../../core/calls/decode-error.ts';
import { whitelistOf } from '../../core/contract-abi/whitelist.ts';
import { explainCalls, explainRecord } from '../../core/decision/explain-record.ts';
import { SPONSORED_MESSAGE } from '../../core/decision/record.ts';
import { type StoredRecord, isLean, readRecord } from '../../core/decision/stored-record.ts';
import { type PastDecision, pastDecision } from '../../core/decision/past-decision.ts';
import { subjectIdsIn } from '../../core/facts/subject-ids.ts';
import { readRevision } from '../../core/policy/revision.ts';
import { version } from '../base/version.ts';
import type { WebhookCallRow } from '../../api/webhooks.ts';
import type { DecisionRecord, DecisionRow } from '../../shared/schema/decision.ts';

/** A stored decision. What settlement changes is in separate columns, not in the record. */
export interface StoredDecision {
  readonly seq: number;
  readonly settlement: DecisionRecord['settlement'];
  readonly actualCostWei: string | null;
  readonly record: string;
}

/** A stored decision with its parsed record. */
export const readDecision = ({ record, ...columns }: StoredDecision) => ({ columns, record: readRecord(record) });

const MAX_COST = '"maxCostWei":';

/**
 * The maximum cost in a record, decimal. No other field of the record has this name, so the record need not be parsed.
 */
export const maxCostIn = (record: string): string | null => {
  const at = record.indexOf(MAX_COST) + MAX_COST.length;
  const isOnly = !record.includes(MAX_COST, at);
  const digits = isOnly ? /^"(\d+)"/.exec(record.slice(at, at + 100))?.[1] : undefined;
  return digits ?? readRecord(record).maxCostWei;
};

export type ParsedDecision = ReturnType<typeof readDecision>;

/** The complete decision. @param revision its policy revision in stored form; undefined if unknown */
export const toDecision = ({ columns, record }: ParsedDecision, revision: unknown): DecisionRecord => ({
  ...explainRecord(record, revision),
  ...columns,
});

/** The decision as it is decided again. @param revision as for {@link toDecision} */
export const toPastDecision = ({ columns, record }: ParsedDecision, revision: unknown): PastDecision =>
  pastDecision({ ...record, ...columns }, revision);

/** Maximum length of a text in a row. Longer text is cut, because an export is an untrusted file. */
const LONGEST_TEXT = 500;
const cut = <T extends string | null>(text: T): T => (text === null ? text : (text.slice(0, LONGEST_TEXT) as T));

export const toRow = (decision: DecisionRow & Pick<DecisionRecord, 'facts'>): DecisionRow => {
  const [subject] = subjectIdsIn(decision.facts);
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
    ...(subject !== undefined && { subject: cut(subject) }),
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

/** The words that the core may use in the texts of a decision with the code `SPONSORED`, besides names and numbers. */
const WORDS = [SPONSORED_MESSAGE, CALL_FIELDS, 'call delegatecall staticcall', ...Object.keys(DECODE_ERRORS)]
  .join('\n')
  .toLowerCase();

/** Punctuation of JSON, or a number. The calls of any decision may contain it. */
const ANYWHERE = /["\\{}[\]:,]|^\d+$/;

/** Whether a policy contains a contract or a method whose name contains the text. */
const isName = (text: string, revision: unknown): boolean => {
  const { policy } = readRevision(revision) ?? {};
  if (policy === undefined) return true;
  const contracts = [...whitelistOf(policy).values()];
  const names = contracts.flatMap(({ name, signatures }) => [name, ...signatures.values()]);
  return names.some((name) => name.toLowerCase().includes(text));
};

/** False only if the texts of this record cannot contain the text. Finds this out without deriving the texts. */
const mayContain = (text: string, { record: stored }: StoredDecision, record: StoredRecord): boolean => {
  // The texts for any other code contain names and amounts.
  if (!isLean(record) || record.code !== 'SPONSORED' || ANYWHERE.test(text)) return true;
  // In callData, addresses have no 0x.
  return WORDS.includes(text) || stored.toLowerCase().includes(text.replace(/^0?x/, ''));
};

const callsIn = (request: unknown): unknown => (request as { readonly calls?: unknown } | null | undefined)?.calls;

type Searched = Pick<DecisionRecord, 'sender' | 'id' | 'userOpHash' | 'dapp' | 'message' | 'facts'>;

/** The texts that a search finds a decision by, in lower case. */
const searchedTexts = (decision: Searched, decoded: unknown): string[] => {
  const { sender, id, userOpHash, dapp, message, facts } = decision;
  const calls = JSON.stringify(decoded) as string | undefined;
  return [sender, id, userOpHash, dapp, message, calls, ...subjectIdsIn(facts)].flatMap(
    (part) => part?.toLowerCase() ?? [],
  );
};

/**
 * The complete decision, if it contains the text of a filter. Deriving the texts takes longest, so records that cannot
 * contain the text are skipped first. @param text in lower case @param revision as for {@link toDecision}
 */
export const decisionWith = (
  text: string,
  stored: StoredDecision,
  { decision: parsed, revision }: { readonly decision: ParsedDecision; readonly revision: unknown },
): DecisionRecord | undefined => {
  if (!mayContain(text, stored, parsed.record) && !isName(text, revision)) return undefined;
  const decision = toDecision(parsed, revision);
  return searchedTexts(decision, callsIn(decision.request)).some((part) => part.includes(text)) ? decision : undefined;
};

/**
 * All parts of the texts that {@link decisionWith} finds a decision by. Deciding again takes longer the more rules there
 * are, so it is left out for sponsored decisions of this version: they are decided the same again.
 */
export const textsOf = (parsed: ParsedDecision, revision: unknown): string[] => {
  const { record } = parsed;
  const isPlain = isLean(record) && record.code === 'SPONSORED' && record.engine === version;
  const calls = isPlain ? explainCalls(record, revision) : undefined;
  if (calls !== undefined) return searchedTexts({ ...record, message: SPONSORED_MESSAGE }, calls);
  const decision = toDecision(parsed, revision);
  return searchedTexts(decision, callsIn(decision.request));
};

/** The webhook calls of a decision, as lists show them. */
export const webhookCallsOf = ({ id, at, trace }: DecisionRecord): WebhookCallRow[] =>
  trace.flatMap(({ call, outcome, code, micros }, index): WebhookCallRow[] => {
    if (call === undefined || outcome === 'wouldDeny') return [];
    const { webhookId, method, url, status = null } = call;
    return [{ decisionId: id, at, index, webhookId, method, url: cut(url), outcome, code, status, micros }];
  });
