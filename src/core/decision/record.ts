import { unitsToDecimal } from '../../shared/schema/decimal.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { entryPoints } from '../entry-points/registry.ts';
import { tracedCalls } from '../calls/traced-calls.ts';
import type { MeasuredStep, Reason } from './decide.ts';
import { type Facts, factsSchema } from '../facts/facts.ts';
import { type Reservation, accountText } from '../ledger/account.ts';
import type { RuleInput } from '../rules/rule.ts';
import { whitelistOf } from '../contract-abi/whitelist.ts';
import { termsOf } from './terms.ts';
import { withPaymasterAndData } from '../user-operation/paymaster-fields.ts';
import type { WebhookResponse } from '../webhooks/webhook-response.ts';

/** The fields that only the record of a decided operation contains. */
type DecidedFields = Omit<
  DecisionRecord,
  'id' | 'seq' | 'method' | 'mode' | 'chainId' | 'paymasterId' | 'dapp' | 'sender' | 'nonce' | 'request' | 'facts'
>;

type StoredDecision = Pick<DecisionRecord, 'facts' | 'request'> & Partial<Pick<DecisionRecord, 'trace'>>;

/** Facts in the form that {@link storedFacts} or {@link leanFacts} returns. */
interface StoredFacts extends Record<string, unknown> {
  readonly opChanges?: Readonly<Record<string, unknown>>;
  readonly webhooks?: readonly (Omit<WebhookResponse, 'call' | 'micros'> & Partial<WebhookResponse>)[];
}

export interface Decision {
  readonly input: RuleInput;
  readonly policyHash: string;
  /** What the operation reserves if it is signed. */
  readonly reservations: readonly Reservation[];
  /** The amounts in the accounts of the reservations before the decision, in the same order. */
  readonly held: readonly bigint[];
  readonly steps: readonly MeasuredStep[];
  readonly reason: Reason | undefined;
  /** Signed by the paymaster; `0x` if the paymaster does not sponsor. */
  readonly paymasterAndData: Hex;
  /** The version of the engine that made the decision. */
  readonly engine: string;
}

/** The message in the record of an operation that is sponsored and not paid for in a token. */
export const SPONSORED_MESSAGE = 'Sponsored: no rule denies this operation.';

const signedMessage = ({ payment, op }: RuleInput): string => {
  if (payment === undefined) return SPONSORED_MESSAGE;
  const { symbol, decimals } = payment.token;
  return `Signed: the user pays at most ${unitsToDecimal(payment.maxUnits(op), decimals)} ${symbol} for it.`;
};

/** The hash of the operation with the paymaster's signature. */
const signedHash = ({ facts, policy, op, layout }: RuleInput, paymasterAndData: Hex): Hex => {
  const entryPoint = entryPoints[layout.entryPointVersion];
  return entryPoint.hash(withPaymasterAndData(op, paymasterAndData), {
    chainId: policy.dapp.chainId,
    entryPoint: entryPoint.address,
    ...(facts.delegate !== undefined && { delegate: facts.delegate }),
  });
};

/** The operation's calls for the trace, those of a deployment first; or why they cannot be decoded. */
export const callsOf = ({ decoding, deployment, policy }: RuleInput) => {
  const whitelist = whitelistOf(policy);
  const calls = tracedCalls(decoding, whitelist);
  const before = deployment === undefined ? [] : tracedCalls(deployment.decoding, whitelist);
  if (!Array.isArray(calls) || !Array.isArray(before)) return calls;
  return [...before.map((call) => ({ ...call, deployment: true as const })), ...calls];
};

/** Accounts as a record names them, each with the amount reserved in it and its amount before the decision. */
export const reservationRecords = (
  reservations: readonly Reservation[],
  held: readonly bigint[],
): NonNullable<DecisionRecord['reservations']> =>
  reservations.map(({ account, amount }, index) => ({
    account: accountText(account),
    amount: String(amount),
    held: String(held[index] ?? 0n),
  }));

type Wire = Readonly<Record<string, unknown>>;

/**
 * Only the fields that differ from the request; the whole operation if the request has fields that the operation lacks.
 */
const storedOperation = (op: Wire, requested: Wire): object => {
  if (Object.keys(requested).some((field) => !Object.hasOwn(op, field))) return { op };
  const opChanges: Record<string, unknown> = {};
  for (const field of Object.keys(op)) {
    const [value, before] = [op[field], requested[field]];
    if (value !== before && JSON.stringify(value) !== JSON.stringify(before)) opChanges[field] = value;
  }
  return { opChanges };
};

/**
 * Facts in the form of stored records: an operation that equals the requested one is not stored twice. @param requested
 * the operation in the record, in the format of JSON-RPC
 */
export const leanFacts = ({ webhooks, op, ...facts }: Facts, requested: Wire): Readonly<Record<string, unknown>> => ({
  ...facts,
  ...storedOperation(op, requested),
  ...(webhooks.length > 0 && { webhooks }),
});

/** Facts in the form of complete records, in which the trace contains the webhook calls. */
export const storedFacts = (facts: Facts, requested: Wire): unknown => ({
  ...leanFacts(facts, requested),
  ...(facts.webhooks.length > 0 && {
    webhooks: facts.webhooks.map(({ call: _inTrace, micros: _too, ...rest }) => rest),
  }),
});

/** The stored facts. @throws ZodError if the record contains no valid facts */
const factsOf = ({ facts, request, trace = [] }: StoredDecision): Facts | undefined => {
  if (facts === undefined) return undefined;
  const { opChanges, webhooks = [], ...rest } = facts as StoredFacts;
  const { userOperation } = (request ?? {}) as { readonly userOperation?: Wire };
  const steps = trace.filter(({ call }) => call !== undefined);
  const responses = webhooks.map((response, index) => ({ micros: 0, call: steps[index]?.call, ...response }));
  const op = opChanges === undefined ? {} : { op: { ...userOperation, ...opChanges } };
  return factsSchema.parse({ ...rest, ...op, webhooks: responses });
};

/** The facts of a record; undefined if it has none, or if this version does not know their form. */
export const readableFacts = (record: StoredDecision): Facts | undefined => {
  try {
    return factsOf(record);
  } catch {
    return undefined;
  }
};

/** The texts of a verdict. @param reason why the operation is denied; undefined if it is signed */
export const decidedWords = (
  input: RuleInput,
  reason: Reason | undefined,
): Pick<DecisionRecord, 'message' | 'hint'> => ({
  message: reason?.message ?? signedMessage(input),
  hint: reason?.hint ?? '',
});

/** The record of an operation that was sponsored or denied, without its reservations. */
export const decidedFields = (decision: Omit<Decision, 'reservations' | 'held'>): DecidedFields => {
  const { input, steps, reason, paymasterAndData } = decision;
  const isSigned = reason === undefined;
  const { validAfter, validUntil } = termsOf(input);
  return {
    at: input.facts.at,
    entryPoint: entryPoints[input.layout.entryPointVersion].address,
    userOpHash: isSigned ? signedHash(input, paymasterAndData) : null,
    outcome: isSigned ? 'sponsored' : 'denied',
    code: reason?.code ?? (input.payment === undefined ? 'SPONSORED' : 'PAID_IN_TOKEN'),
    rule: reason?.rule ?? null,
    ...decidedWords(input, reason),
    paymasterAndData,
    validAfter: isSigned ? validAfter : null,
    validUntil: isSigned ? validUntil : null,
    maxCostWei: String(input.requiredWei),
    actualCostWei: null,
    settlement: isSigned ? 'reserved' : null,
    trace: [...steps],
    policy: decision.policyHash,
    engine: decision.engine,
  };
};

/** The complete record of an operation that was sponsored or denied. */
export const decidedRecord = (decision: Decision): DecidedFields => ({
  ...decidedFields(decision),
  reservations: reservationRecords(decision.reservations, decision.held),
});
