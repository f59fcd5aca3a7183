import type { DecisionRecord } from '../../shared/schema/decision.ts';
import type { Facts } from '../facts/facts.ts';
import { accountText } from '../ledger/account.ts';
import type { Policy } from '../policy/policy.ts';
import { readRevision } from '../policy/revision.ts';
import { decidedTheSame } from './explain-record.ts';
import { readableFacts } from './record.ts';
import { type LeanRecord, type StoredRecord, type WholeRecord, isLean } from './stored-record.ts';

/** What an operation takes from an account if it is signed, and what the account held before. */
interface PastReservation {
  readonly account: string;
  readonly amount: bigint;
  readonly held: bigint;
}

type Told = Pick<DecisionRecord, 'id' | 'at' | 'sender' | 'outcome' | 'code' | 'rule'>;
type Settled = Pick<DecisionRecord, 'seq' | 'maxCostWei' | 'settlement' | 'actualCostWei'>;

/** A decision as it is decided again. It has no texts, because deriving them takes longer than deciding. */
export interface PastDecision extends Told, Settled {
  /** Undefined if the record has none, or if this version cannot read them. */
  readonly facts: Facts | undefined;
  /** The policy of its time; undefined if it is unknown. */
  readonly policy: Policy | undefined;
  /** Empty if they are unknown. */
  readonly reservations: readonly PastReservation[];
}

/** The reservations that a record names. */
const namedIn = ({ reservations = [] }: WholeRecord): PastReservation[] =>
  reservations.map(({ account, amount, held }) => ({ account, amount: BigInt(amount), held: BigInt(held) }));

/** The reservations that follow from a record. */
const followingFrom = (
  record: LeanRecord,
  { facts, policy }: Pick<PastDecision, 'facts' | 'policy'>,
): PastReservation[] => {
  try {
    const { verdict, held = [] } = (facts && policy && decidedTheSame(record, facts, policy)) ?? {};
    const taken = verdict?.taken ?? [];
    return taken.map(({ account, amount }, index) => ({
      account: accountText(account),
      amount,
      held: held[index] ?? 0n,
    }));
  } catch {
    return [];
  }
};

/** Reads a decision from its record. @param revision the policy revision that the record names, in its stored form */
export const pastDecision = (record: StoredRecord & Settled, revision: unknown): PastDecision => {
  const { seq, id, at, sender, outcome, code, rule, maxCostWei, settlement, actualCostWei } = record;
  const read = { facts: readableFacts(record), policy: readRevision(revision)?.policy };
  const reservations = isLean(record) ? followingFrom(record, read) : namedIn(record);
  return { seq, id, at, sender, outcome, code, rule, maxCostWei, settlement, actualCostWei, ...read, reservations };
};
