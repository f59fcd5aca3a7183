import type { z } from 'zod';
import { type TraceStep, decisionRecord, traceStep } from '../../shared/schema/decision.ts';
import { gasLimits } from '../../shared/schema/user-operation.ts';
import { MAX_BYTES, isCut } from '../json/cut.ts';
import { entryPoints } from '../entry-points/registry.ts';
import { requireLayout } from '../paymaster-layouts/registry.ts';
import { readRevision } from '../policy/revision.ts';
import type { Difference, NotReplayable } from '../replay/replay.ts';
import { compareUndecided } from '../replay/request-follows.ts';
import { isSame } from '../json/same-json.ts';
import { type StoredRecord, compactRequest, isLean, leanRecord } from '../decision/stored-record.ts';

/** The fields of a record, except those that are stored as entries or in columns of their own. */
const whole = decisionRecord.omit({ seq: true, settlement: true, actualCostWei: true, policyRevision: true });

type Shape = Readonly<Record<string, z.ZodType>>;

interface Form {
  readonly known: ReadonlySet<string>;
  readonly required: readonly string[];
}

const formOf = (shape: Shape): Form => {
  const fields = Object.keys(shape);
  const required = fields.filter((field) => shape[field]?.safeParse(undefined).success === false);
  return { known: new Set(fields), required };
};

const WHOLE = formOf(whole.shape);
const LEAN = formOf(leanRecord.shape);
const REQUEST = new Set(['received', 'userOperation', 'options']);
const WHOLE_REQUEST = new Set([...REQUEST, 'calls']);
const OPERATION = new Set([
  'sender',
  'nonce',
  'initCode',
  'factory',
  'factoryData',
  'callData',
  ...gasLimits,
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
  'signature',
  'eip7702Auth',
]);
const AUTHORIZATION = new Set(['chainId', 'address', 'nonce', 'yParity', 'r', 's']);
const NEEDED_OPTIONS = ['mode', 'calculateGasLimits', 'expiryDuration', 'sponsorshipInfo', 'tokenInfo'];
const OPTIONS = new Set([...NEEDED_OPTIONS, 'policyId', 'sponsorshipPolicyId', 'signingPhase', 'voucher', 'idToken']);
const STEP = new Set(Object.keys(traceStep.shape));

type Fields = Readonly<Record<string, unknown>>;

const unknownIn = (value: unknown, known: ReadonlySet<string>): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) if (!known.has(key)) return key;
  return undefined;
};

interface Request {
  readonly userOperation?: Fields;
  readonly options?: Fields;
}

const oddInRequest = ({ userOperation, options }: Request): string | undefined => {
  const odd = unknownIn(userOperation, OPERATION) ?? unknownIn(userOperation?.['eip7702Auth'], AUTHORIZATION);
  if ((userOperation === undefined) !== (options === undefined)) return 'options';
  if (odd !== undefined || options === undefined || isCut(options, MAX_BYTES)) return odd;
  return unknownIn(options, OPTIONS) ?? NEEDED_OPTIONS.find((field) => options[field] === undefined);
};

const oddStep = (trace: readonly TraceStep[]): string | undefined => {
  for (const step of trace) {
    const field = unknownIn(step, STEP) ?? (typeof step.micros === 'number' ? undefined : 'micros');
    if (field !== undefined) return field;
  }
  return undefined;
};

/**
 * A field that no record contains, or a required one that is missing; undefined if all fields are right.
 *
 * @param stored the record in its entry
 * @param record the same record with its complete request
 */
export const oddField = (stored: StoredRecord, record: StoredRecord): string | undefined => {
  const { known, required } = isLean(record) ? LEAN : WHOLE;
  const request = (record.request ?? {}) as Request;
  const odd = unknownIn(record, known) ?? unknownIn(request, isLean(record) ? REQUEST : WHOLE_REQUEST);
  if (odd !== undefined) return odd;
  const absent = required.find((field) => (record as Fields)[field] === undefined);
  if (absent !== undefined) return absent;
  // Each request has only one stored form.
  if (!isSame(stored.request, compactRequest(record.request))) return 'request';
  return oddInRequest(request) ?? (isLean(record) ? undefined : oddStep(record.trace));
};

/** Values of these fields if nothing was signed. */
const UNSIGNED = { userOpHash: null, paymasterAndData: '0x', validAfter: null, validUntil: null };

/** Fixed values of fields in records that cannot be decided again, by the reason. */
const FIXED: Readonly<Partial<Record<NotReplayable, Fields>>> = {
  FAILED: {
    ...UNSIGNED,
    rule: null,
    maxCostWei: null,
    trace: [],
    facts: undefined,
    policy: undefined,
    reservations: undefined,
    engine: undefined,
  },
  TRUNCATED: UNSIGNED,
};

/** The fields that follow from the policy alone. */
const byPolicy = (revision: unknown): Fields => {
  const { policy } = readRevision(revision) ?? {};
  if (policy === undefined) return {};
  const { chainId, paymasterId, name: dapp, version } = policy.dapp;
  const entryPoint = entryPoints[requireLayout(version).entryPointVersion].address;
  return { chainId, paymasterId, dapp, entryPoint };
};

/** The differences in a decision that cannot be decided again. @param revision undefined if unknown */
export const fixedDifferences = (record: StoredRecord, reason: NotReplayable, revision: unknown): Difference[] => {
  const form = (isLean(record) && record.facts !== undefined ? leanRecord : whole).safeParse(record);
  if (!form.success) {
    const field = form.error.issues[0]?.path.join('.') ?? '';
    return [{ id: record.id, field, stored: record, replayed: 'what no record has' }];
  }
  const differences: Difference[] = [];
  const compare = (field: string, stored: unknown, expected: unknown): void => {
    if (!isSame(stored, expected)) differences.push({ id: record.id, field, stored, replayed: expected });
  };
  compareUndecided(record, compare);
  const fixed = { ...FIXED[reason], ...(reason === 'TRUNCATED' && byPolicy(revision)) };
  for (const [field, value] of Object.entries(fixed)) compare(field, (record as unknown as Fields)[field], value);
  return differences;
};
