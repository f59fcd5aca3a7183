import type { TraceStep } from '../../shared/schema/decision.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import { decidePlanned, planOperation } from '../decision/decide.ts';
import type { Reservation } from '../ledger/account.ts';
import { isRequestCut } from '../json/cut.ts';
import type { Facts } from '../facts/facts.ts';
import { STUB_SIGNATURE } from '../paymaster-layouts/layout.ts';
import type { Policy } from '../policy/policy.ts';
import type { RuleInput } from '../rules/rule.ts';
import { readRevision } from '../policy/revision.ts';
import { type Decision, decidedRecord, readableFacts } from '../decision/record.ts';
import { traceHash } from '../decision/explain-record.ts';
import {
  type LeanRecord,
  type StoredRecord,
  type WholeRecord,
  isLean,
  readStep,
  singleSteps,
  stepText,
} from '../decision/stored-record.ts';
import { type RecoverSigner, portableRecoverSigner } from './recover-signer.ts';
import { compareRequest } from './request-follows.ts';
import { isSame } from '../json/same-json.ts';
import { termsOf } from '../decision/terms.ts';
import { digits } from '../user-operation/hex-digits.ts';

/** A value that differs when a decision is decided again. */
export interface Difference {
  readonly id: string;
  /** Its path in the record; `decide` if deciding again failed. */
  readonly field: string;
  readonly stored: unknown;
  readonly replayed: unknown;
}

/** Why a decision cannot be decided again. */
export type NotReplayable =
  /** No decision was made, because the request failed before. */
  | 'FAILED'
  /** The record contains no facts, although nothing in it was cut. */
  | 'WITHOUT_FACTS'
  /** The decision denied a request that was too long to be stored completely. */
  | 'TRUNCATED'
  /** The policy revision of the decision is missing. */
  | 'WITHOUT_POLICY'
  /** The facts or the policy are in a form that this version does not know. */
  | 'UNKNOWN_FORM';

export interface ReplayHow {
  /** The version that decides again. If another version made the decision, texts and evidence are not compared. */
  readonly engine: string;
  /** False: signers are not recovered. Recovering them takes most of the time. */
  readonly withSignatures: boolean;
  /** How signers are recovered. Default: with ethers, which runs everywhere and takes some thirty times as long. */
  readonly recover?: RecoverSigner | undefined;
}

/** The result of deciding again. */
export type ReplayResult =
  | {
      readonly differences: readonly Difference[];
      /** What the operation reserves in the ledger if it is signed; empty if it could not be decided. */
      readonly reservations: readonly Reservation[];
      /** True: another version made the decision, so texts and evidence were not compared. */
      readonly isByOtherEngine: boolean;
    }
  | { readonly notReplayable: NotReplayable };

/** Paymaster data with a placeholder signature, and the index of its digits. */
const unsigned = (input: RuleInput): { readonly data: Hex; readonly index: number } => {
  const data = input.layout.encode(input.op, termsOf(input), STUB_SIGNATURE);
  return { data, index: data.indexOf(digits(STUB_SIGNATURE)) };
};

const SIGNATURE_DIGITS = 130;

/** The signer, computed with the contract's own hash; undefined if the signature is invalid. */
const signerOf = (input: RuleInput, signature: Hex, recover: RecoverSigner): Address | undefined =>
  recover(input.layout.hash(input.op, termsOf(input)), signature);

/** Paymaster data with the stored signature. Everything except the signature follows from the facts. */
const resigned = (input: RuleInput, stored: Hex): Hex => {
  const { data, index } = unsigned(input);
  const end = index + SIGNATURE_DIGITS;
  return `0x${data.slice(2, index)}${stored.slice(index, end)}${data.slice(end)}`;
};

/** Fields of the record that follow from the facts and the policy. */
const HEAD_FIELDS = ['chainId', 'paymasterId', 'dapp', 'sender', 'nonce'] as const;

const FIELDS = [
  'outcome',
  'code',
  'rule',
  'message',
  'hint',
  'at',
  'entryPoint',
  'maxCostWei',
  'validAfter',
  'validUntil',
  'paymasterAndData',
  'userOpHash',
  'reservations',
] as const;

type Field = (typeof FIELDS)[number];

/** Fields that each version may word in its own way. */
const WORDS: readonly Field[] = ['message', 'hint'];

/** Fields that lean records omit. */
const DERIVED: readonly Field[] = [...WORDS, 'reservations'];

type Compare = (field: string, stored: unknown, replayed: unknown) => void;

/** Fields of a step that are compared. Its duration and a webhook's answer are not part of the verdict. */
const STEP_FIELDS = ['rule', 'outcome', 'code', 'shadow'] as const;

const compareStep = (
  index: number,
  { stored, now, withWords }: { stored: TraceStep | undefined; now: TraceStep | undefined; withWords: boolean },
  compare: Compare,
): void => {
  for (const field of STEP_FIELDS) {
    if (stored?.[field] !== now?.[field]) compare(`trace[${index}].${field}`, stored?.[field], now?.[field]);
  }
  if (withWords && !isSame(stored?.evidence, now?.evidence)) {
    compare(`trace[${index}].evidence`, stored?.evidence, now?.evidence);
  }
};

/** A step without its duration. */
const untimed = (step: TraceStep): string => stepText({ ...step, micros: 0 });

/** A stored step without its duration; the unchanged text if it is not a step. */
const readUntimed = (text: string): string => {
  const step = readStep(text);
  return stepText(step) === text ? untimed(step) : text;
};

/** Compares the steps and the hash of the trace. */
const compareLean = (record: LeanRecord, { steps, held }: Decision, withWords: boolean, compare: Compare): void => {
  compare('held', record.held, held.map(String));
  const storedSteps = singleSteps(record.steps);
  const count = Math.max(storedSteps.length, steps.length);
  for (let index = 0; index < count; index += 1) {
    const [stored, now] = [storedSteps[index], steps[index]];
    compare(`steps[${index}]`, stored && readUntimed(stored), now && untimed(now));
  }
  if (withWords) compare('traceHash', record.traceHash, traceHash(steps));
};

/** Compares the fields that the record contains and that this version would write with the same text. */
const compareFields = (
  record: StoredRecord,
  replayed: Pick<WholeRecord, Field>,
  withWords: boolean,
  compare: Compare,
): void => {
  for (const field of FIELDS) {
    if (isLean(record) && DERIVED.includes(field)) continue;
    if (withWords || !WORDS.includes(field)) compare(field, (record as WholeRecord)[field], replayed[field]);
  }
};

const compareTrace = (
  stored: readonly TraceStep[],
  now: readonly TraceStep[],
  withWords: boolean,
  compare: Compare,
): void => {
  const steps = Math.max(stored.length, now.length);
  for (let index = 0; index < steps; index += 1) {
    compareStep(index, { stored: stored[index], now: now[index], withWords }, compare);
  }
};

const again = (record: StoredRecord, facts: Facts, policy: Policy): Decision | 'callWebhooks' => {
  const planned = planOperation(facts, policy);
  const { input, reservations } = planned;
  const stored = isLean(record) ? record.held : (record.reservations ?? []).map(({ held }) => held);
  const held = reservations.map((_, index) => BigInt(stored[index] ?? 0));
  const verdict = decidePlanned(planned, held);
  if (verdict.next === 'callWebhooks') return verdict.next;
  const { steps, reason, taken } = verdict;
  const { policy: policyHash = '', engine = '' } = record;
  const signed = record.paymasterAndData as Hex;
  const paymasterAndData = reason === undefined ? resigned(input, signed) : '0x';
  return { input, policyHash, reservations: taken, held, steps, reason, paymasterAndData, engine };
};

const compareSigner = (
  input: RuleInput,
  { paymasterAndData, recover }: { readonly paymasterAndData: Hex; readonly recover: RecoverSigner },
  compare: Compare,
): void => {
  const { signer: expected } = input.facts.contract;
  const { index } = unsigned(input);
  const signature: Hex = `0x${paymasterAndData.slice(index, index + SIGNATURE_DIGITS)}`;
  const signer = signerOf(input, signature, recover);
  const isSigner = signer !== undefined && sameAddress(signer, expected);
  if (!isSigner) compare('signer', expected, signer);
};

/** The contract that signs, according to the policy. In token mode, the contract that takes tokens. */
const contractBy = ({ facts, policy, layout }: RuleInput): unknown => {
  const { version } = layout;
  const { address } = policy.paymasterContracts.find((one) => one.version === version) ?? {};
  const { fundingWallet } = facts.contract;
  return {
    version,
    address,
    signer: policy.signer,
    ...(fundingWallet && { fundingWallet: policy.dapp.fundingWallet }),
  };
};

/** Decides again, and compares everything that follows from facts, policy and ledger. */
const compareAll = (
  record: StoredRecord,
  { facts, policy }: { readonly facts: Facts; readonly policy: Policy },
  { engine, withSignatures, recover = portableRecoverSigner }: ReplayHow,
  compare: Compare,
): readonly Reservation[] => {
  const decision = again(record, facts, policy);
  if (decision === 'callWebhooks') {
    compare('decide', record.outcome, 'it would call more webhooks');
    return [];
  }
  const replayed = decidedRecord(decision);
  const { chainId, paymasterId, name: dapp } = policy.dapp;
  const { input } = decision;
  const { sender, nonce } = input.op;
  const head = { chainId, paymasterId, dapp, sender, nonce: String(nonce) };
  const { price } = policy.chain ?? {};
  if (price?.source === 'static' && facts.price !== undefined) compare('facts.price', facts.price.usd, price.usd);
  for (const field of HEAD_FIELDS) compare(field, record[field], head[field]);
  const withWords = record.engine === engine;
  compare('facts.contract', facts.contract, contractBy(input));
  compareRequest(record, { input, policy }, withWords, compare);
  compareFields(record, replayed, withWords, compare);
  if (isLean(record)) compareLean(record, decision, withWords, compare);
  else compareTrace(record.trace, replayed.trace, withWords, compare);
  if (withSignatures && decision.reason === undefined) {
    compareSigner(input, { paymasterAndData: decision.paymasterAndData, recover }, compare);
  }
  return decision.reservations;
};

/**
 * Decides a recorded operation again. Compares outcome, reason, every step, the reservations, the operation's hash and
 * the signer; texts and evidence too, if the same version made the decision.
 * @param revision the policy revision that the record names, as it was stored; undefined if unknown. A revision that
 * does not match its name is reported as a difference
 */
export const replay = (record: StoredRecord, revision: unknown, how: ReplayHow): ReplayResult => {
  if (record.outcome === 'error') return { notReplayable: 'FAILED' };
  if (record.facts === undefined) {
    return {
      notReplayable: record.outcome === 'denied' && isRequestCut(record.request) ? 'TRUNCATED' : 'WITHOUT_FACTS',
    };
  }
  if (revision === undefined) return { notReplayable: 'WITHOUT_POLICY' };
  const facts = readableFacts(record);
  const known = readRevision(revision);
  if (facts === undefined || known === undefined) return { notReplayable: 'UNKNOWN_FORM' };
  const { policy, hash } = known;
  const differences: Difference[] = [];
  const compare: Compare = (field, stored = null, replayed = null) => {
    if (!isSame(stored, replayed)) differences.push({ id: record.id, field, stored, replayed });
  };
  compare('policy', record.policy, hash);
  const isByOtherEngine = record.engine !== how.engine;
  if (differences.length > 0) return { differences, reservations: [], isByOtherEngine };
  try {
    const reservations = compareAll(record, { facts, policy }, how, compare);
    return { differences, reservations, isByOtherEngine };
  } catch (error) {
    compare('decide', record.outcome, String(error));
    return { differences, reservations: [], isByOtherEngine };
  }
};
