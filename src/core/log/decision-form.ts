import { decisionRecord, traceStep } from '../../shared/schema/decision.ts';
import { requireLayout } from '../paymaster-layouts/registry.ts';
import { entryPointAddress } from '../../shared/entry-points.ts';
import { type Difference, type NotReplayable, readRevision } from '../replay.ts';
import { isSame } from '../same-json.ts';
import type { CompactRecord, StoredRecord } from '../stored-record.ts';

/** What a record has besides what is an entry, or a column, of its own. */
const stored = decisionRecord.omit({ seq: true, settlement: true, actualCostWei: true, policyRevision: true });

const RECORD = new Set([...Object.keys(stored.shape), 'asReceived']);
const REQUEST = new Set(['received', 'userOperation', 'options', 'calls']);
const STEP = new Set(Object.keys(traceStep.shape));

type Fields = Readonly<Record<string, unknown>>;

const unknownIn = (value: unknown, known: ReadonlySet<string>): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) if (!known.has(key)) return key;
  return undefined;
};

/** A field of a record that no record has; undefined where all are known. */
export const unknownField = (record: CompactRecord): string | undefined => {
  const { request, trace, asReceived = [] } = record;
  const { userOperation } = (request ?? {}) as { readonly userOperation?: Fields };
  const odd = asReceived.find((field) => userOperation?.[field] !== 0);
  if (odd !== undefined) return `asReceived ${odd}`;
  const inRecord = unknownIn(record, RECORD) ?? unknownIn(request, REQUEST);
  if (inRecord !== undefined) return inRecord;
  for (const step of trace) {
    const field = unknownIn(step, STEP) ?? (typeof step.micros === 'number' ? undefined : 'micros');
    if (field !== undefined) return field;
  }
  return undefined;
};

/** What a record says where nothing was signed. */
const UNSIGNED = { userOpHash: null, paymasterAndData: '0x', validAfter: null, validUntil: null };

/** What a record says, where nothing can be decided again, by why that is so. */
const FIXED: Readonly<Partial<Record<NotReplayable, Fields>>> = {
  FAILED: {
    ...UNSIGNED,
    ...{ rule: null, maxCostWei: null, trace: [], facts: undefined, policy: undefined },
    ...{ reservations: undefined, engine: undefined },
  },
  TRUNCATED: UNSIGNED,
};

/** What follows from the policy alone. */
const byPolicy = (revision: unknown): Fields => {
  const { policy } = readRevision(revision) ?? {};
  if (policy === undefined) return {};
  const { chainId, paymasterId, name: dapp, version } = policy.dapp;
  const entryPoint = entryPointAddress[requireLayout(version).entryPointVersion];
  return { chainId, paymasterId, dapp, entryPoint };
};

/** What of a decision that cannot be decided again differs all the same. @param revision undefined where it is not known */
export const fixedDifferences = (record: StoredRecord, reason: NotReplayable, revision: unknown): Difference[] => {
  const form = stored.safeParse(record);
  if (!form.success) {
    const field = form.error.issues[0]?.path.join('.') ?? '';
    return [{ id: record.id, field, stored: record, replayed: 'what no record has' }];
  }
  const expected = { ...FIXED[reason], ...(reason === 'TRUNCATED' && byPolicy(revision)) };
  return Object.entries(expected)
    .filter(([field, value]) => !isSame((record as unknown as Fields)[field], value))
    .map(([field, replayed]) => ({
      id: record.id,
      field,
      stored: (record as unknown as Fields)[field] ?? null,
      replayed: replayed ?? null,
    }));
};
