import { partialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { plainSponsorshipOptions } from '../../shared/schema/plain-request.ts';
import { feeQuoteOptions, paymasterContext, sponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import { gasLimits } from '../../shared/schema/user-operation.ts';
import { MAX_BYTES, MAX_FIELD_BYTES, isCut, isCutOf } from '../json/cut.ts';
import { entryPointAt } from '../entry-points/registry.ts';
import type { Facts } from '../facts/facts.ts';
import type { Policy } from '../policy/policy.ts';
import { callsOf, leanFacts, storedFacts } from '../decision/record.ts';
import { isDeniedForCalls } from '../decision/decide.ts';
import type { RuleInput } from '../rules/rule.ts';
import { isSame } from '../json/same-json.ts';
import { type StoredRecord, isLean } from '../decision/stored-record.ts';
import { QUANTITIES, toRpcUserOperation } from '../user-operation/rpc-user-operation.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request as stored in a record. */
interface StoredRequest {
  readonly received?: unknown;
  readonly userOperation?: Fields;
  readonly options?: unknown;
  readonly calls?: unknown;
}

/** The parts of a stored request that follow from the params of a method. */
interface RequestMeaning {
  readonly op: unknown;
  /** The options in stored form. An absent `calculateGasLimits` depends on the gas that the client sent. */
  readonly options: Fields | undefined;
  readonly stage: Facts['stage'];
  /** True: the client may have omitted the fees, which are then unknown. */
  readonly hasOpenFees?: true;
  /** True: Gasdesk may have looked up gas and fees. */
  readonly hasOtherGas?: true;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const HASHED = /^sha256:[0-9a-f]{64}$/;
/** Whether a value has been replaced by its hash. */
const isBlanked = (value: unknown): boolean => typeof value === 'string' && HASHED.test(value);

const withoutGasChoice = ({ calculateGasLimits: _, ...options }: Fields): Fields => options;
const contextOf = (context: unknown): Fields | undefined => paymasterContext.safeParse(context).data;
const withGas = (options: Fields | undefined, calculateGasLimits: boolean): Fields | undefined =>
  options && { ...options, calculateGasLimits: calculateGasLimits && options['signingPhase'] !== 'finalize' };

type Params = readonly unknown[];

const final = (op: unknown, options: Fields | undefined): RequestMeaning => ({ op, options, stage: 'final' });

const byErc7677 = (params: Params, stage: Facts['stage']): RequestMeaning | undefined => {
  if (typeof params[1] !== 'string' || params[2] === undefined) return undefined;
  const options = contextOf(params[3]);
  return { op: params[0], options: options && withoutGasChoice(options), stage };
};

const byAlchemy = ([request]: Params): RequestMeaning | undefined => {
  if (!isFields(request) || !isFields(request['userOperation'])) return undefined;
  const { userOperation: sent, dummySignature, policyId, erc20Context } = request;
  const isUnsigned = [undefined, null, '0x'].includes(sent['signature'] as string | null | undefined);
  const op = isUnsigned ? { ...sent, signature: dummySignature ?? '0x' } : sent;
  return final(op, contextOf({ policyId, erc20Context }));
};

/** For each method that leads to a decision, interprets the params; undefined if they do not have the method's form. */
const METHODS: Readonly<Record<string, (params: Params) => RequestMeaning | undefined>> = {
  pm_sponsorUserOperation: ([op, second, context]) =>
    typeof second === 'string'
      ? final(op, withGas(contextOf(context), true))
      : final(op, plainSponsorshipOptions(second) ?? sponsorshipOptions.safeParse(second).data),
  pm_getFeeQuoteOrData([op, second]) {
    const options = feeQuoteOptions.safeParse(second).data;
    return final(op, options && { ...options, mode: options.mode ?? 'SPONSORED' });
  },
  pm_getPaymasterData: (params) => byErc7677(params, 'final'),
  pm_getPaymasterStubData(params) {
    const meaning = byErc7677(params, 'draft');
    return meaning && { ...meaning, hasOpenFees: true };
  },
  pm_validateSponsorshipPolicies([op, entryPoint]) {
    const options = contextOf({});
    return typeof entryPoint === 'string'
      ? { op, options: options && withoutGasChoice(options), stage: 'draft' }
      : undefined;
  },
  zd_sponsorUserOperation([request]) {
    if (!isFields(request)) return undefined;
    const { tokenAddress: token } = (request['gasTokenData'] ?? {}) as { readonly tokenAddress?: unknown };
    return final(request['userOp'], withGas(contextOf({ token }), true));
  },
  alchemy_requestPaymasterAndData(params) {
    const meaning = byAlchemy(params);
    return meaning && { ...meaning, options: withGas(meaning.options, false) };
  },
  alchemy_requestGasAndPaymasterAndData(params) {
    const meaning = byAlchemy(params);
    return meaning && { ...meaning, options: meaning.options && withoutGasChoice(meaning.options), hasOtherGas: true };
  },
};

const FEES = ['maxFeePerGas', 'maxPriorityFeePerGas'] as const;
const PAYMASTER_GAS = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const;
const ESTIMATED: ReadonlySet<string> = new Set([...gasLimits, ...FEES, ...PAYMASTER_GAS]);

const without = (op: Fields, fields: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(op).filter(([field]) => !fields.has(field)));

/** Whether a stored field equals the sent value, or was cut from it. */
const matchesSent = (stored: unknown, sent: unknown): boolean =>
  isCut(stored, MAX_FIELD_BYTES) ? isCutOf(stored, JSON.stringify(sent), MAX_FIELD_BYTES) : isSame(stored, sent);

/** Whether both have the same fields with the same values. */
const allMatchSent = (stored: Fields, sent: Fields): boolean => {
  const fields = Object.keys(stored);
  return fields.length === Object.keys(sent).length && fields.every((field) => matchesSent(stored[field], sent[field]));
};

/** Fields that clients may send but that are never stored: Gasdesk sets them itself. */
const NOT_STORED: ReadonlySet<string> = new Set([
  'paymaster',
  'paymasterData',
  'paymasterSignature',
  'paymasterAndData',
  ...PAYMASTER_GAS,
]);
const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '0x';

const isSameText = (field: string, stored: unknown, sent: unknown): boolean =>
  stored === sent || (typeof sent === 'string' && !QUANTITIES.has(field) && stored === sent.toLowerCase());

/** Whether every field was sent in the form in which it is stored. Most operations are: they need not be read again. */
const isPlain = (stored: Fields, sent: Fields): boolean => {
  for (const field of Object.keys(stored)) if (!isSameText(field, stored[field], sent[field])) return false;
  for (const field of Object.keys(sent)) {
    if (!Object.hasOwn(stored, field) && !NOT_STORED.has(field) && !isAbsent(sent[field])) return false;
  }
  return true;
};

/** The sent operation, as Gasdesk reads it; undefined if it cannot be read. */
const understood = (
  sent: unknown,
  { chainId, entryPoint: address }: Pick<StoredRecord, 'chainId' | 'entryPoint'>,
  { hasOpenFees, hasOtherGas }: RequestMeaning,
): Fields | undefined => {
  const partial = partialUserOperation.safeParse(sent).data;
  const entryPoint = entryPointAt(address);
  if (partial === undefined || entryPoint === undefined) return undefined;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, gasFees } = partial;
  const areOpen = (hasOpenFees ?? hasOtherGas ?? false) && gasFees === undefined;
  const fees = areOpen ? { maxFeePerGas, maxPriorityFeePerGas } : {};
  try {
    return toRpcUserOperation(entryPoint.read({ ...partial, ...fees }, chainId));
  } catch {
    return undefined;
  }
};

type Compare = (field: string, stored: unknown, replayed: unknown) => void;

/** Compares the stored operation with the sent operation. */
const compareSent = (record: StoredRecord, stored: Fields, meaning: RequestMeaning, compare: Compare): void => {
  if (meaning.hasOtherGas !== true && isFields(meaning.op) && isPlain(stored, meaning.op)) return;
  const op = understood(meaning.op, record, meaning);
  const asStored = (fields: Fields): Fields => (meaning.hasOtherGas === true ? without(fields, ESTIMATED) : fields);
  if (op === undefined || !allMatchSent(asStored(stored), asStored(op)))
    compare('request.userOperation', stored, op ?? null);
};

/**
 * Compares operation and options with what was received, if the received request is stored completely. @param stage
 * undefined: any
 */
const compareReceived = (
  record: StoredRecord,
  { received, userOperation = {}, options }: StoredRequest,
  stage: Facts['stage'] | undefined,
  compare: Compare,
): void => {
  const read = METHODS[record.method];
  if (read === undefined || !Array.isArray(received)) {
    const isWithheld = isBlanked(received) || isCut(received, MAX_BYTES);
    if (read === undefined || !isWithheld) compare('method', record.method, 'none that decides by such a request');
    return;
  }
  const meaning = read(received as Params);
  if (meaning === undefined || (stage !== undefined && meaning.stage !== stage))
    compare('method', record.method, 'another one');
  if (meaning === undefined) return;
  compareSent(record, userOperation, meaning, compare);
  if (isCut(options, MAX_BYTES)) return;
  const known = meaning.options?.['calculateGasLimits'] === undefined ? withoutGasChoice(options as Fields) : options;
  compare('request.options', known, meaning.options);
};

/**
 * Compares the decided operation with the requested one. Gasdesk may have added gas, or omitted an authorisation that
 * has no effect in the chain's current state. It changes nothing else.
 */
const compareOperation = (
  { op, gasSource, token }: Facts,
  requested: Fields,
  understoodOp: object,
  compare: Compare,
): void => {
  const mayChange = gasSource === 'GAS_ESTIMATED' || token !== undefined;
  const isAdded = (field: string): boolean =>
    (PAYMASTER_GAS as readonly string[]).includes(field) ||
    ((gasLimits as readonly string[]).includes(field) && (mayChange || requested[field] === undefined)) ||
    field === 'paymasterAndData' ||
    (field === 'eip7702Auth' && op[field] === undefined);
  for (const field of new Set([...Object.keys(op), ...Object.keys(requested)])) {
    if (isAdded(field) || matchesSent(requested[field], op[field])) continue;
    compare(`facts.op.${field}`, op[field], requested[field]);
  }
  // Before an operation is signed, `paymasterAndData` is empty in v0.6. Later versions have other fields for it.
  compare('facts.op.paymasterAndData', op['paymasterAndData'], 'initCode' in requested ? '0x' : undefined);
  compare('facts.op', op, toRpcUserOperation(understoodOp));
};

/** The part of the options that conditions read. */
const contextIn = (options: Fields): Fields | undefined => {
  const { sponsorshipInfo, policyId, sponsorshipPolicyId } = options;
  const { webhookData } = sponsorshipInfo as Fields;
  const context = {
    ...(isFields(webhookData) && { webhookData }),
    ...(policyId !== undefined && { policyId }),
    ...(sponsorshipPolicyId !== undefined && { sponsorshipPolicyId }),
  };
  return Object.keys(context).length === 0 ? undefined : context;
};

const compareOptions = (facts: Facts, options: Fields, mode: string, policy: Policy, compare: Compare): void => {
  const { expiryDuration, gasSource, stage, context } = facts;
  compare('mode', mode, options['mode']);
  const { sponsorshipInfo } = options;
  if (typeof sponsorshipInfo === 'string' && !isBlanked(sponsorshipInfo))
    compare('request.options.sponsorshipInfo', sponsorshipInfo, 'a hash');
  compare('facts.expiryDuration', expiryDuration, options['expiryDuration']);
  const expected = stage === 'final' && options['calculateGasLimits'] === true ? 'GAS_ESTIMATED' : 'GAS_GIVEN';
  const signsNothing = policy.pause !== null || (mode === 'ERC20' && !policy.dapp.tokenMode);
  if (gasSource !== 'GAS_NOT_ESTIMATED' || !signsNothing) compare('facts.gasSource', gasSource, expected);
  const { webhookData, ...rest } = context ?? {};
  const isStored = !(isBlanked(sponsorshipInfo) && isBlanked(webhookData));
  const seen = isStored || Object.keys(rest).length > 0 ? { ...rest, ...(isStored && { webhookData }) } : undefined;
  compare('facts.context', context === undefined ? undefined : seen, contextIn(options));
};

const compareCalls = (input: RuleInput, calls: unknown, compare: Compare): void => {
  const again = callsOf(input);
  if (isCut(calls, MAX_BYTES) && isCutOf(calls, JSON.stringify(again), MAX_BYTES)) return;
  compare('request.calls', calls, again);
};

/** Compares a record with itself, for a request that was read but about which nothing else is known. */
export const compareUndecided = (record: StoredRecord, compare: Compare): void => {
  const request = (record.request ?? {}) as StoredRequest;
  const { userOperation, options } = request;
  if (userOperation === undefined) return;
  compareReceived(record, request, undefined, compare);
  compare('sender', record.sender, userOperation['sender']);
  compare('nonce', record.nonce, String(BigInt(userOperation['nonce'] as string)));
  if (isFields(options) && !isCut(options, MAX_BYTES)) compare('mode', record.mode, options['mode']);
};

/**
 * Compares a record's request with what follows from the received params, its facts and its policy.
 * @param withWords false: does not compare the names of calls, because versions may word them differently
 */
export const compareRequest = (
  record: StoredRecord,
  { input, policy }: { readonly input: RuleInput; readonly policy: Policy },
  withWords: boolean,
  compare: Compare,
): void => {
  const request = (record.request ?? {}) as StoredRequest;
  const { userOperation = {}, options } = request;
  const { facts } = input;
  // What is denied whatever its gas is decided as a draft, before its gas is estimated.
  const isBeforeGas =
    facts.stage === 'draft' && isFields(options) && options['calculateGasLimits'] === true && isDeniedForCalls(input);
  compareReceived(record, request, isBeforeGas ? undefined : facts.stage, compare);
  compare('facts', record.facts, isLean(record) ? leanFacts(facts, userOperation) : storedFacts(facts, userOperation));
  compare('mode', record.mode, facts.token === undefined ? 'SPONSORED' : 'ERC20');
  compareOperation(facts, userOperation, input.op, compare);
  if (isFields(options) && !isCut(options, MAX_BYTES)) compareOptions(facts, options, record.mode, policy, compare);
  if (withWords && !isLean(record)) compareCalls(input, request.calls, compare);
};
