import { z } from 'zod';
import { accountKinds } from '../ledger/account.ts';
import { policyChange } from '../policy/policy-change.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const amount = z
  .string()
  .regex(/^-?\d{1,200}$/)
  .describe('Wei, operations, or a token’s smallest units, decimal');
const epochMs = z.int().min(0).describe('epoch ms');

/** State of a sponsored operation. `reserved` again if a re-org removed its block. */
const settlementState = z.enum(['reserved', 'settled', 'released', 'unconfirmed']);

/** Null in `before`: the subject is new. Null in `after`: it was removed. */
const change = z.strictObject({
  subject: z.string().describe('Kind of the changed item, such as `rule`'),
  id: z.string(),
  before: z.unknown(),
  after: z.unknown(),
});

/** The fields of a decision's record that are read before it is replayed. */
interface DecisionBody extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly at: number;
  readonly outcome: string;
}

/** Not checked with a schema, because that would copy the record, and most entries are decisions. */
const isDecisionBody = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const { id, at, outcome } = value as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && typeof outcome === 'string' && epochMs.safeParse(at).success;
};

/** The body of each kind of entry. */
const bodies = {
  /** An engine opened the database. Holds of engines that are gone have ended. */
  start: z.strictObject({
    engine: z.string(),
    holds: z
      .array(z.int())
      .min(1)
      .optional()
      .describe('The holds of other engines, which continue; absent without any'),
  }),
  stop: z.strictObject({}),
  /** The policy of a DApp that is in force from now on. */
  policy: z.strictObject({
    paymasterId: z.string(),
    hash: z.string(),
    policy: z.unknown().optional().describe('Absent if there is a change, or if an earlier entry has the policy'),
    change: policyChange.optional().describe('What the policy changes in an earlier revision'),
  }),
  /** A decision's record as it is stored (see docs/log-format.md). */
  decision: z.custom<DecisionBody>(isDecisionBody, 'must be a decision'),
  settlement: z.strictObject({
    decision: z.string(),
    settlement: settlementState,
    actualCostWei: amount.nullable(),
    block: z.int().nullable(),
    reverted: z.literal(true).optional().describe('The operation was mined and paid for, but its call reverted'),
  }),
  /** The amount of an account set aside while the operator signs a withdrawal. */
  hold: z.strictObject({ hold: z.int(), account: z.string(), amount }),
  release: z.strictObject({ holds: z.array(z.int()).min(1) }),
  /** A rolling window that starts again from zero. */
  reset: z.strictObject({ kind: z.enum(accountKinds), id: z.string() }),
  action: z.strictObject({
    action: z.string().describe('The procedure, such as `rules.create`'),
    via: z.string().describe('The interface: console, cli, http or engine'),
    by: z.string().describe('Who'),
    changes: z.array(change),
  }),
} as const;

export type EntryKind = keyof typeof bodies;

export type EntryBody<Kind extends EntryKind> = z.output<(typeof bodies)[Kind]>;

export type Change = z.output<typeof change>;

export interface EntryHead {
  /** The entry's position in the log, from 0. */
  readonly entry: number;
  /** When the entry was appended, epoch ms. Never earlier than the previous entry. */
  readonly at: number;
  readonly kind: EntryKind;
  /** The leaf hash of the previous entry, hex; null in the first entry. */
  readonly previous: string | null;
}

export type Entry = {
  readonly [Kind in EntryKind]: EntryHead & { readonly kind: Kind; readonly body: EntryBody<Kind> };
}[EntryKind];

/** The line of an entry, without the line break. Its bytes are a leaf of the tree. `body` is JSON text. */
export const entryText = ({ entry, at, kind, previous }: EntryHead, body: string): string =>
  `{"entry":${entry},"at":${at},"kind":"${kind}","previous":${previous === null ? 'null' : `"${previous}"`},"body":${body}}`;

/** The kinds of entries, in the order of reports. */
export const entryKinds = Object.keys(bodies) as EntryKind[];

const head = { entry: z.int().min(0), at: epochMs, previous: hash.nullable() };

const entrySchema = z.discriminatedUnion(
  'kind',
  entryKinds.map((kind) => z.strictObject({ ...head, kind: z.literal(kind), body: bodies[kind] })) as unknown as [
    z.ZodObject<{ kind: z.ZodLiteral<EntryKind> }>,
  ],
);

/** An entry from its parsed line; undefined if the line is not an entry. */
export const readEntry = (json: unknown): Entry | undefined => {
  const read = entrySchema.safeParse(json);
  return read.success ? (read.data as unknown as Entry) : undefined;
};
