import type { Reservation } from '../ledger/account.ts';
import { type Difference, type NotReplayable, type ReplayHow, replay } from '../replay/replay.ts';
import { type StoredRecord, expandRequest, isLean } from '../decision/stored-record.ts';
import { fixedDifferences, oddField } from './decision-form.ts';
import type { EntryBody } from './entry.ts';
import type { LedgerCheck } from './ledger-check.ts';
import type { LogFaultCode } from './log-report.ts';
import type { PolicyCheck } from './policy-check.ts';
import type { SettlementCheck } from './settlement-check.ts';
import { shortened } from './shortened.ts';

type AddFault = (fault: LogFaultCode, detail: string) => void;

export interface Before {
  readonly ledger: LedgerCheck;
  readonly policies: PolicyCheck;
  readonly settlements: SettlementCheck;
  /** The engine versions that earlier entries say were started. */
  readonly engines: ReadonlySet<string>;
  /** False if this is a part of a log: nothing before it is checked. */
  readonly isWhole: boolean;
}

/** The reasons for which even a new decision may not be replayable, unless it is sponsored. */
const MAY_BE_WITHOUT: readonly NotReplayable[] = ['FAILED', 'TRUNCATED'];

/**
 * Replays every decision of a log, and compares the policy and engine version that it names with the entries before it.
 */
export class DecisionCheck {
  readonly #before: Before;
  readonly #how: ReplayHow;
  /** The decisions, and whether each is sponsored. */
  readonly #decisions = new Map<string, boolean>();
  #replayed = 0;
  #byOtherEngine = 0;
  readonly #notReplayed: Partial<Record<NotReplayable, number>> = {};

  constructor(before: Before, how: ReplayHow) {
    this.#before = before;
    this.#how = how;
  }

  /** Numbers of decisions: total, decided again, not decided again (by reason), and made by another version. */
  get counts() {
    return {
      decisions: this.#decisions.size,
      replayed: this.#replayed,
      notReplayed: this.#notReplayed,
      byOtherEngine: this.#byOtherEngine,
    };
  }

  /** Whether a decision is sponsored; undefined if the log has no decision with this id. */
  isSponsored(id: string): boolean | undefined {
    return this.#decisions.get(id);
  }

  /** Checks the next decision. @param at when its entry was appended, epoch ms */
  check(body: EntryBody<'decision'>, at: number, addFault: AddFault): void {
    const stored = body as unknown as StoredRecord;
    const record = expandRequest(stored);
    const odd = oddField(stored, record);
    if (odd !== undefined)
      addFault('ODD_FIELD', `No decision has this field, or every decision has another: ${shortened(odd)}`);
    const { id, outcome, maxCostWei, userOpHash } = record;
    const isSponsored = outcome === 'sponsored';
    if (this.#decisions.has(id)) addFault('DECISION_TWICE', 'This decision is already in the log');
    this.#decisions.set(id, isSponsored);
    if (isSponsored) this.#before.settlements.add(id, maxCostWei, userOpHash);
    this.#checkNamed(record, at, addFault);
    this.#replay(record, addFault);
  }

  #replay(record: StoredRecord, addFault: AddFault): void {
    const revision = this.#before.policies.find(record.policy);
    const replayed = replay(record, revision, this.#how);
    if (!('notReplayable' in replayed)) {
      this.#replayed += 1;
      if (replayed.isByOtherEngine) this.#byOtherEngine += 1;
      addDifferences(replayed.differences, addFault);
      if (this.#before.isWhole) this.#checkLedger(record, replayed.reservations, addFault);
      return;
    }
    const reason = replayed.notReplayable;
    this.#notReplayed[reason] = (this.#notReplayed[reason] ?? 0) + 1;
    const mayBe = record.outcome !== 'sponsored' && MAY_BE_WITHOUT.includes(reason);
    const isOutside = reason === 'WITHOUT_POLICY' && !this.#before.isWhole;
    if (!mayBe && !isOutside) addFault('NOT_REPLAYABLE', reason);
    addDifferences(fixedDifferences(record, reason, revision), addFault);
  }

  /** The policy and the engine version that a decision names must come from earlier entries. */
  #checkNamed({ policy, engine, paymasterId, outcome, ...record }: StoredRecord, at: number, addFault: AddFault): void {
    const { isWhole, engines, policies } = this.#before;
    if (record.at > at) addFault('LATER_THAN_ITS_ENTRY', 'The decision is later than its entry');
    if (outcome === 'error') return;
    if (isWhole && !engines.has(engine ?? ''))
      addFault('UNKNOWN_ENGINE', `No engine of version ${shortened(engine ?? 'none')} was started before it`);
    const inForce = policies.inForce(paymasterId);
    const isUnknown = inForce === undefined && !isWhole;
    if (policy !== inForce && !isUnknown)
      addFault('POLICY_NOT_IN_FORCE', `It names ${shortened(policy ?? 'none')}; in force is ${inForce ?? 'none'}`);
  }

  #checkLedger(record: StoredRecord, planned: readonly Reservation[], addFault: AddFault): void {
    const { id, outcome } = record;
    const { ledger } = this.#before;
    const held = isLean(record) ? record.held : (record.reservations ?? []).map((reservation) => reservation.held);
    for (const { account, stored, computed } of ledger.compare(planned, held))
      addFault('LEDGER_DIFFERS', `${account} held ${stored} by the decision, and ${computed} by the entries before it`);
    if (outcome === 'sponsored') ledger.reserve(id, planned);
  }
}

const addDifferences = (differences: readonly Difference[], addFault: AddFault): void => {
  for (const { field, stored, replayed } of differences)
    addFault('VERDICT_DIFFERS', `${field} is ${shortened(stored)}; deciding again gives ${shortened(replayed)}`);
};
