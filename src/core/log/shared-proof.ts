import { decodeBase64, encodeBase64 } from 'ethers';
import { z } from 'zod';
import { parseExactJson } from '../../shared/schema/decimal.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { explainRecord } from '../decision/explain-record.ts';
import { type StoredRecord, expandRequest } from '../decision/stored-record.ts';
import { type NotReplayable, type ReplayResult, replay } from '../replay/replay.ts';
import { readCheckpoint } from './checkpoint.ts';
import { readEntry } from './entry.ts';
import { alteredFields, fieldSums } from './field-sums.ts';
import { shortened } from './shortened.ts';
import { type LogCrypto, parseVerifierKey } from './signed-note.ts';
import { type EntryProof, entryProofError } from './tlog-proof.ts';
import { grouped } from '../../shared/words/amount.ts';

const proven = z.strictObject({
  format: z.literal('gasdesk-proof'),
  version: z.literal(1),
  engine: z.string().describe('The version of Gasdesk that wrote the proof'),
  key: z.string().describe('The key of the log, as a vkey. Only a claim: compare it with the one that you were given'),
  entry: z.string().describe("The log entry of the decision: its bytes are a leaf of the log's tree"),
  index: z.int().min(0),
  hashes: z.array(z.string()).describe('From the entry to the root, base64'),
  checkpoint: z.string(),
  policy: z.unknown().describe('The policy revision that the decision names; null if it names none'),
});

export const sharedProof = proven.extend({ sums: z.record(z.string(), z.string()) });

/** All that is needed to verify one decision without its desk: its entry, the proof of the entry, and its policy. */
export type SharedProof = z.output<typeof sharedProof>;

const parsed = (line: string): unknown => {
  try {
    return parseExactJson(line);
  } catch {
    return line;
  }
};

/** What checksums are made of: the proof, with the values of its entry and the lines of its checkpoint one by one. */
const documentOf = ({ entry, checkpoint, ...rest }: z.output<typeof proven>): unknown => ({
  ...rest,
  entry: parsed(entry),
  checkpoint: checkpoint.split('\n'),
});

export const createSharedProof = (
  { entry, index, hashes, checkpoint }: EntryProof,
  { key, policy, engine }: Pick<SharedProof, 'key' | 'policy' | 'engine'>,
): SharedProof => {
  const proof = {
    format: 'gasdesk-proof' as const,
    version: 1 as const,
    ...{ engine, key, entry, index, hashes: hashes.map((hash) => encodeBase64(hash)), checkpoint, policy },
  };
  return { ...proof, sums: fieldSums(documentOf(proof)) };
};

/** One thing that was verified. `isSound` is null if it could not be verified. */
export interface ProofCheck {
  readonly title: string;
  readonly isSound: boolean | null;
  readonly words: string;
}

export interface VerifiedProof {
  readonly checks: readonly ProofCheck[];
  /** The decision in the entry; undefined if the entry has none. Trust it only if every check is sound. */
  readonly decision: DecisionRecord | undefined;
  /** Paths of the values that were altered since the proof was written, such as `entry.body.sender`. */
  readonly altered: readonly string[];
}

const IN_LOG = 'In the log';
const RULES = 'Its rules';
const DECIDED_AGAIN = 'Decided again';

const bytesOrNone = (base64: string): Uint8Array => {
  try {
    return decodeBase64(base64);
  } catch {
    return new Uint8Array();
  }
};

const checkInLog = (proof: SharedProof, crypto: LogCrypto): ProofCheck => {
  const key = parseVerifierKey(proof.key, crypto.sha256);
  if (key === undefined) return { title: IN_LOG, isSound: false, words: 'The key of the log is malformed.' };
  const error = entryProofError({ ...proof, hashes: proof.hashes.map(bytesOrNone) }, key, crypto);
  if (error !== undefined) return { title: IN_LOG, isSound: false, words: `${error}.` };
  const size = readCheckpoint(proof.checkpoint)?.size ?? 0;
  const words = `This decision is entry ${grouped(proof.index)} of the log ${key.name}. The key of this log signed the first ${grouped(size)} entries.`;
  return { title: IN_LOG, isSound: true, words };
};

const notDecidedAgain: Readonly<Record<NotReplayable, string>> = {
  FAILED: 'The request failed before any rule was checked, so there is nothing to decide again.',
  WITHOUT_FACTS: 'The entry does not contain the facts of the decision.',
  TRUNCATED: 'The request was denied and was too long to be stored whole.',
  WITHOUT_POLICY: 'This file does not contain the rules that the decision names.',
  UNKNOWN_FORM: 'This page cannot read the facts or the rules of the decision.',
};

const checkAgain = (result: ReplayResult): ProofCheck => {
  const title = DECIDED_AGAIN;
  if ('notReplayable' in result) return { title, isSound: null, words: notDecidedAgain[result.notReplayable] };
  const [difference] = result.differences;
  if (difference !== undefined) {
    const { field, stored, replayed } = difference;
    const words = `${field} is ${shortened(stored)} in the entry; deciding again gives ${shortened(replayed)}.`;
    return { title, isSound: false, words };
  }
  const words =
    'Your browser decided the operation again, with the same rules, facts and amounts: the result is the same, in every step.';
  return { title, isSound: true, words };
};

const checkRules = (record: StoredRecord, result: ReplayResult): ProofCheck[] => {
  if (record.policy === undefined || 'notReplayable' in result) return [];
  const isOther = result.differences.some(({ field }) => field === 'policy');
  const words = isOther
    ? 'The rules in this file are not those that the decision names.'
    : `The rules in this file are those that the decision names: revision ${record.policy.replace('sha256:', '').slice(0, 12)}.`;
  return [{ title: RULES, isSound: !isOther, words }];
};

const recordIn = (line: string): StoredRecord | undefined => {
  const entry = readEntry(parsed(line));
  return entry?.kind === 'decision' ? expandRequest(entry.body as unknown as StoredRecord) : undefined;
};

/**
 * Verifies a proof with the key that it contains: that the entry is in the log, that the rules are those that the
 * decision names, and that deciding again gives the same. Whether the key is the right one is for the reader to check.
 */
export const verifySharedProof = (proof: SharedProof, crypto: LogCrypto): VerifiedProof => {
  const { sums, ...rest } = proof;
  const altered = alteredFields(sums, documentOf(rest));
  const inLog = checkInLog(proof, crypto);
  const record = recordIn(proof.entry);
  if (record === undefined) {
    const words = 'The entry is not the entry of a decision.';
    return { checks: [inLog, { title: DECIDED_AGAIN, isSound: false, words }], decision: undefined, altered };
  }
  const revision = proof.policy ?? undefined;
  const result = replay(record, revision, { engine: proof.engine, withSignatures: true });
  const decision = { ...explainRecord(record, revision), seq: proof.index, settlement: null, actualCostWei: null };
  return { checks: [inLog, ...checkRules(record, result), checkAgain(result)], decision, altered };
};
