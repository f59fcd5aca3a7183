import { hexlify } from 'ethers';
import type { ReplayHow } from '../replay/replay.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';
import { DecisionCheck } from './decision-check.ts';
import { type Entry, type EntryBody, readEntry } from './entry.ts';
import { LedgerCheck } from './ledger-check.ts';
import type { LogFault, LogFaultCode, LogReport } from './log-report.ts';
import { leafHash } from './merkle-tree.ts';
import { PolicyCheck } from './policy-check.ts';
import { SettlementCheck } from './settlement-check.ts';
import { shortened } from './shortened.ts';
import { TreeCheck, type TreeCheckOptions } from './tree-check.ts';
import { isEachKeyOnce } from './whole-json.ts';

/** An entry's line. */
export interface LogText {
  readonly text: string;
  /** The bytes of the line in UTF-8. */
  readonly bytes: Uint8Array;
  /** The leaf hash that a data folder stores with the entry, hex. */
  readonly hash?: string;
}

export type VerifyOptions = ReplayHow & TreeCheckOptions;

const MAX_FAULTS = 1_000;

const placeOf = ({ entry }: LogFault): number => entry ?? Infinity;
const isByTree = ({ fault }: LogFault): number => (fault === 'CHECKPOINT_DIFFERS' ? 1 : 0);

/** Sorts by entry. For one entry, a change to it comes before the checkpoint that differs because of that change. */
const byEntry = (one: LogFault, other: LogFault): number =>
  placeOf(one) === placeOf(other) ? isByTree(one) - isByTree(other) : placeOf(one) - placeOf(other);

/**
 * Verifies a log, entry by entry: each entry must follow the previous one, every verdict must follow from its facts,
 * policy and ledger, and the tree must be the signed tree. For a part of a log, what precedes it is not checked:
 * decisions are replayed only if their policy is in the part, and the ledger is not computed.
 */
export class LogVerifier {
  readonly #options: VerifyOptions;
  readonly #tree: TreeCheck;
  readonly #ledger = new LedgerCheck();
  readonly #policies = new PolicyCheck();
  readonly #settlements = new SettlementCheck();
  readonly #engines = new Set<string>();
  readonly #decisions: DecisionCheck;
  readonly #faults: LogFault[] = [];
  #position: number;
  #previous: string | null | undefined;
  #at = 0;
  /** False if this is a part of a log: nothing before it is checked. */
  readonly #isWhole: boolean;

  constructor(options: VerifyOptions) {
    const { from = 0 } = options;
    this.#options = options;
    this.#position = from;
    this.#previous = from === 0 ? null : undefined;
    this.#isWhole = from === 0;
    this.#tree = new TreeCheck(options, (...fault) => {
      this.#fault(...fault);
    });
    const before = { ledger: this.#ledger, policies: this.#policies, settlements: this.#settlements };
    this.#decisions = new DecisionCheck({ ...before, engines: this.#engines, isWhole: this.#isWhole }, options);
  }

  /** The current state of a decision. */
  settlementOf(id: string): ReturnType<SettlementCheck['stateOf']> {
    return this.#settlements.stateOf(id);
  }

  hasDecision(id: string): boolean {
    return this.#decisions.isSponsored(id) !== undefined;
  }

  /** Each policy that came into force, in order. Undefined unless all of them are known. */
  get policyHistory(): PolicyCheck['history'] | undefined {
    return this.#isWhole ? this.#policies.history : undefined;
  }

  /** Account totals computed from the entries, without the buckets of rolling windows. Undefined if unknown. */
  get accounts(): ReadonlyMap<string, bigint> | undefined {
    return this.#isWhole ? this.#ledger.accounts : undefined;
  }

  /** Where the accounts of limits must be stored: the `group` of each {@link LimitPlace}, by `accountText`. */
  get accountGroups(): ReadonlyMap<string, string> {
    return this.#ledger.groups;
  }

  hasPolicy(hash: string): boolean {
    return this.#policies.find(hash) !== undefined;
  }

  /**
   * Adds a fault for stored data that does not match the entries.
   * @param id of the decision, if the data belongs to one
   */
  addStoredFault(detail: string, id: string | null = null): void {
    this.#fault('STORED_DIFFERS', detail, null, id);
  }

  /** Number of entries in the tree so far, including those before the first added entry. */
  get size(): number {
    return this.#position;
  }

  #fault(fault: LogFaultCode, detail: string, entry: number | null = this.#position, id: string | null = null): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ entry, id, fault, detail });
  }

  /** Adds the next entry. @returns the entry; undefined if the line is not an entry */
  add({ text, bytes, hash }: LogText): Entry | undefined {
    const leaf = leafHash(bytes, this.#options.crypto.sha256);
    const leafText = hexlify(leaf).slice(2);
    if (hash !== undefined && hash !== leafText)
      this.#fault('ALTERED', 'The hash stored with the entry is not its own');
    const entry = this.#read(text, bytes);
    if (entry === undefined) this.#fault('NOT_AN_ENTRY', `This line is not an entry: ${shortened(text)}`);
    else {
      this.#checkPlace(entry);
      this.#tryBody(entry);
    }
    this.#tree.append(leaf);
    this.#previous = leafText;
    this.#position += 1;
    return entry;
  }

  #read(text: string, bytes: Uint8Array): Entry | undefined {
    try {
      const json = parseExactJson(text);
      return isEachKeyOnce(bytes, json) ? readEntry(json) : undefined;
    } catch {
      return undefined;
    }
  }

  #checkPlace({ entry, at, previous }: Entry): void {
    if (entry !== this.#position)
      this.#fault('WRONG_POSITION', `Entry ${entry} is at the position of entry ${this.#position}`);
    else if (this.#previous !== undefined && previous !== this.#previous) {
      const [altered, detail] =
        this.#position === 0
          ? [0, 'The first entry names a previous entry']
          : [this.#position - 1, 'The next entry names another previous entry'];
      this.#fault('ALTERED', detail, altered);
    }
    if (at < this.#at)
      this.#fault('TIME_RUNS_BACK', `Its time is ${this.#at - at} ms before that of the entry before it`);
    this.#at = Math.max(this.#at, at);
  }

  /** The body comes from someone else and may contain anything. If it cannot be read, the entry is faulty. */
  #tryBody(entry: Entry): void {
    try {
      this.#checkBody(entry);
    } catch (error) {
      this.#fault('NOT_AN_ENTRY', `Its body cannot be read: ${shortened(String(error))}`);
    }
  }

  #checkBody(entry: Entry): void {
    if (this.#position === 0 && entry.kind !== 'start') this.#fault('MISPLACED', 'A log must begin with a start entry');
    switch (entry.kind) {
      case 'start':
        this.#start(entry.body);
        break;
      case 'policy':
        this.#addPolicy(entry.body);
        break;
      case 'decision':
        this.#checkDecision(entry.body, entry.at);
        break;
      case 'settlement':
        this.#settle(entry.body);
        break;
      case 'hold':
        this.#faultIf('HOLD_INVALID', this.#ledger.hold(entry.body));
        break;
      case 'release':
        this.#release(entry.body);
        break;
      case 'reset':
        this.#reset(entry.body, entry.at);
        break;
      case 'action':
      case 'stop':
        break;
    }
  }

  #faultIf(fault: LogFaultCode, detail: string | undefined): void {
    if (detail !== undefined) this.#fault(fault, detail);
  }

  #release({ holds }: EntryBody<'release'>): void {
    const unknown = this.#ledger.release(holds);
    if (unknown !== undefined && this.#isWhole) this.#fault('HOLD_INVALID', `Hold ${unknown} ends, and is not held`);
  }

  #reset(body: EntryBody<'reset'>, at: number): void {
    const detail = this.#ledger.reset(body, at);
    if (this.#isWhole) this.#faultIf('RESET_INVALID', detail);
  }

  /** A hold that continues must exist. */
  #start({ engine, holds }: EntryBody<'start'>): void {
    this.#engines.add(engine);
    const [unknown] = this.#ledger.releaseAllBut(holds);
    if (unknown !== undefined && this.#isWhole)
      this.#fault('MISPLACED', `Hold ${unknown} cannot continue: it does not last, or is named twice`);
  }

  #addPolicy(body: EntryBody<'policy'>): void {
    this.#faultIf('POLICY_DIFFERS', this.#policies.add(body, this.#isWhole));
  }

  #settle(body: EntryBody<'settlement'>): void {
    const { decision, settlement, actualCostWei } = body;
    const isSponsored = this.#decisions.isSponsored(decision) ?? !this.#isWhole;
    if (!isSponsored) {
      this.#fault('UNKNOWN_DECISION', `It settles ${decision}, which was not sponsored`);
    }
    this.#faultIf('SETTLEMENT_INVALID', this.#settlements.settle(body));
    this.#ledger.settle(decision, settlement, BigInt(actualCostWei ?? 0));
  }

  #checkDecision(body: EntryBody<'decision'>, at: number): void {
    this.#decisions.check(body, at, (fault, detail) => {
      this.#fault(fault, detail, this.#position, body.id);
    });
  }

  /**
   * Compares the tree with a checkpoint of the same number of entries. Reports only the first difference, because all
   * later checkpoints differ, too.
   */
  compareCheckpoint(note: string): void {
    this.#tree.compareCheckpoint(note);
  }

  /**
   * Compares the whole log with its checkpoint.
   * @param checkpoint undefined if the log has no checkpoint
   * @param after the roots of the full subtrees after the last entry, up to the checkpoint's size
   * @param unsigned why the log may have no checkpoint, and what to do
   */
  finish(
    checkpoint: string | undefined,
    after: readonly Uint8Array[] = [],
    unsigned = 'the log is cut off, or was never signed',
  ): LogReport {
    if (checkpoint === undefined) {
      this.#fault('INCOMPLETE', `There is no checkpoint: ${unsigned}`);
      return this.report();
    }
    this.#tree.appendAfter(checkpoint, after);
    this.compareCheckpoint(checkpoint);
    return this.report();
  }

  /** Completes the checks and returns the report. Call it only once. */
  report(): LogReport {
    this.#tree.checkContinued(this.#position);
    const faults = [...this.#faults].sort(byEntry);
    const { from = 0, withSignatures } = this.#options;
    const { byOtherEngine, ...counts } = this.#decisions.counts;
    const checked = {
      ...counts,
      unsignedTail: Math.max(0, this.#position - Math.max(this.#tree.signedSize, from)),
      signatures: withSignatures,
      amounts: this.#isWhole,
      reservedTwice: this.#settlements.reservedTwice,
    };
    const entries = this.#position - from;
    return { ok: faults.length === 0, entries, byOtherEngine, checked, faults, ...this.#tree.heads };
  }
}
