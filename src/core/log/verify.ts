import { encodeBase64, hexlify } from 'ethers';
import { type Difference, type NotReplayable, type ReplayHow, replay } from '../replay.ts';
import type { Reservation } from '../ledger/account.ts';
import { type CompactRecord, type StoredRecord, expandRecord } from '../stored-record.ts';
import { type TreeHead, openCheckpoint, readCheckpoint } from './checkpoint.ts';
import { type Entry, type EntryBody, readEntry } from './entry.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';
import { fixedDifferences, oddField } from './decision-form.ts';
import { LedgerCheck } from './ledger-check.ts';
import type { LogFault, LogFaultCode, LogReport, ReportedHead } from './log-report.ts';
import { CompactTree, type Subtree, leafHash, subtreesOf } from './merkle-tree.ts';
import { PolicyCheck } from './policy-check.ts';
import { SettlementCheck } from './settlement-check.ts';
import type { LogCrypto, VerifierKey } from './signed-note.ts';
import { isEachKeyOnce } from './whole-json.ts';

/** An entry's line. */
export interface LogText {
  readonly text: string;
  /** The same in UTF-8. */
  readonly bytes: Uint8Array;
  /** The leaf hash that a data folder keeps beside it, hex. */
  readonly hash?: string;
}

/** Which part of a log is verified, and by what. */
export interface VerifyOptions extends ReplayHow {
  readonly key: VerifierKey;
  readonly crypto: LogCrypto;
  /** The position of the first entry. */
  readonly from?: number;
  /** The roots of the full subtrees before it. */
  readonly before?: readonly Uint8Array[];
  /** A checkpoint of before: the log has to continue it. */
  readonly since?: string;
}

const MOST_FAULTS = 1_000;
const SHORT = 80;

const shortened = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text;
};

/** Why a decision that is not sponsored may be without a replay, however new it is. */
const MAY_BE_WITHOUT: readonly NotReplayable[] = ['FAILED', 'TRUNCATED'];

const reported = ({ origin, size, root }: TreeHead): ReportedHead => ({ origin, size, root: encodeBase64(root) });

const appendAll = (tree: CompactTree, subtrees: readonly Subtree[], hashes: readonly Uint8Array[]): void => {
  for (const [index, subtree] of subtrees.entries()) {
    const hash = hashes[index];
    if (hash !== undefined) tree.appendSubtree({ ...subtree, hash });
  }
};

/**
 * Verifies a log, entry by entry: that each follows the one before, that every verdict follows from its facts, policy and
 * ledger, and that the tree is the one that was signed. Of a part of a log, what stands before it is taken as it comes: its
 * decisions are replayed where their policy is in it, and the ledger is not computed.
 */
export class LogVerifier {
  readonly #options: VerifyOptions;
  readonly #tree: CompactTree;
  readonly #ledger = new LedgerCheck();
  readonly #policies = new PolicyCheck();
  readonly #settlements = new SettlementCheck();
  readonly #engines = new Set<string>();
  /** The decisions, and whether each is sponsored. */
  readonly #decisions = new Map<string, boolean>();
  readonly #faults: LogFault[] = [];
  #position: number;
  #previous: string | null | undefined;
  #at = 0;
  /** False for a part of a log: what stands before it is taken as it comes. */
  readonly #isWhole: boolean;
  #isLedgerKnown: boolean;
  #earlierDecisions = 0;
  #byOtherEngine = 0;
  #replayed = 0;
  readonly #notReplayed: Partial<Record<NotReplayable, number>> = {};
  readonly #since: TreeHead | undefined;
  #isContinued = false;
  /** What of the opening is due: the earlier decisions, then the ledger. */
  #opening: 'decisions' | 'ledger' | 'over' = 'over';
  #verified: TreeHead | null = null;
  #isTreeWrong = false;

  constructor(options: VerifyOptions) {
    const { from = 0, before = [], crypto } = options;
    this.#options = options;
    this.#tree = new CompactTree(crypto.sha256);
    appendAll(this.#tree, subtreesOf({ start: 0, end: from }), before);
    this.#position = from;
    this.#previous = from === 0 ? null : undefined;
    this.#isWhole = from === 0;
    this.#isLedgerKnown = this.#isWhole;
    this.#since = options.since === undefined ? undefined : this.#openSince(options.since);
    this.#compareSince();
  }

  #openSince(note: string): TreeHead | undefined {
    const opened = openCheckpoint(note, this.#options.key, this.#options.crypto);
    if ('head' in opened) return opened.head;
    this.#fault('NOT_CONTINUED', `The earlier checkpoint cannot be trusted. ${opened.fault}`, null);
    return undefined;
  }

  /** Compares the tree as it is now with the earlier head, where that is of as many entries. */
  #compareSince(): void {
    if (this.#since?.size !== this.#tree.size) return;
    this.#isContinued = hexlify(this.#since.root) === hexlify(this.#tree.root());
    if (this.#isContinued) return;
    const detail = `The first ${this.#since.size} entries are not those that the earlier checkpoint covers`;
    this.#fault('NOT_CONTINUED', detail, null);
  }

  /** What has become of a decision by now. */
  settlementOf(id: string): ReturnType<SettlementCheck['stateOf']> {
    return this.#settlements.stateOf(id);
  }

  /** Whether the log holds a decision. */
  hasDecision(id: string): boolean {
    return this.#decisions.has(id);
  }

  /** Each change of what policy is in force. Undefined where not every one can be known. */
  get policyHistory(): PolicyCheck['history'] | undefined {
    return this.#isWhole && this.#earlierDecisions === 0 ? this.#policies.history : undefined;
  }

  /** Whether the log holds the text of a policy revision. */
  hasPolicy(hash: string): boolean {
    return this.#policies.find(hash) !== undefined;
  }

  /** Says that something that is kept beside the entries does not fit them. @param id of the decision, if it is one */
  addStoredFault(detail: string, id: string | null = null): void {
    this.#fault('STORED_DIFFERS', detail, null, id);
  }

  /** How many entries the tree has so far, those before the first that was added included. */
  get size(): number {
    return this.#position;
  }

  #fault(fault: LogFaultCode, detail: string, entry: number | null = this.#position, id: string | null = null): void {
    if (this.#faults.length < MOST_FAULTS) this.#faults.push({ entry, id, fault, detail });
  }

  /** Adds the next entry. @returns it as it was read; undefined where the line is none */
  add({ text, bytes, hash }: LogText): Entry | undefined {
    const leaf = leafHash(bytes, this.#options.crypto.sha256);
    const leafText = hexlify(leaf).slice(2);
    if (hash !== undefined && hash !== leafText)
      this.#fault('ALTERED', 'The hash stored with the entry is not its own');
    const entry = this.#read(text, bytes);
    if (entry === undefined) this.#fault('NOT_AN_ENTRY', `This is not an entry: ${shortened(text)}`);
    else {
      this.#checkPlace(entry);
      this.#tryBody(entry);
    }
    this.#tree.append(leaf);
    this.#previous = leafText;
    this.#position += 1;
    if (this.#since !== undefined) this.#compareSince();
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
      this.#fault('WRONG_POSITION', `Entry ${entry} is where entry ${this.#position} has to be`);
    else if (this.#previous !== undefined && previous !== this.#previous) {
      const [altered, detail] =
        this.#position === 0
          ? [0, 'The first entry follows another']
          : [this.#position - 1, 'The entry after it follows another one'];
      this.#fault('ALTERED', detail, altered);
    }
    if (at < this.#at)
      this.#fault('TIME_RUNS_BACK', `Its time is ${this.#at - at} ms before that of the entry before it`);
    this.#at = Math.max(this.#at, at);
  }

  /** A body that somebody else wrote may hold anything: what cannot be read is a fault of the entry. */
  #tryBody(entry: Entry): void {
    try {
      this.#checkBody(entry);
    } catch (error) {
      this.#fault('NOT_AN_ENTRY', `Its body cannot be read: ${shortened(String(error))}`);
    }
    if (entry.kind !== 'ledger' && this.#opening === 'ledger') this.#opening = 'over';
  }

  #checkBody(entry: Entry): void {
    if (this.#position === 0 && entry.kind !== 'start') this.#fault('MISPLACED', 'A log begins with a start');
    switch (entry.kind) {
      case 'start':
        this.#start(entry.body);
        break;
      case 'ledger':
        this.#openLedger(entry.body);
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
    if (this.#isLedgerKnown) this.#faultIf('RESET_INVALID', detail);
  }

  /**
   * A hold that goes on must have begun. Only the first entry may say that decisions of before follow: nobody else's amounts
   * go unchecked.
   */
  #start({ engine, earlierDecisions, holds }: EntryBody<'start'>): void {
    this.#engines.add(engine);
    const [unknown] = this.#ledger.releaseAllBut(holds);
    if (!this.#isWhole) return;
    if (unknown !== undefined)
      this.#fault('MISPLACED', `Hold ${unknown} cannot go on: it does not last, or is named twice`);
    if (earlierDecisions === 0) return;
    if (this.#position > 0) this.#fault('MISPLACED', 'Earlier decisions are told of in the first entry only');
    else {
      this.#earlierDecisions = earlierDecisions;
      this.#opening = 'decisions';
      this.#isLedgerKnown = false;
    }
  }

  /** The opening ledger stands right behind the earlier decisions, in one entry or several. */
  #openLedger(body: EntryBody<'ledger'>): void {
    if (!this.#isWhole) return;
    const isDue = this.#opening === 'decisions' && this.#decisions.size === this.#earlierDecisions;
    if (isDue || this.#opening === 'ledger') {
      const twice = this.#ledger.open(body);
      if (twice !== undefined) this.#fault('MISPLACED', `The opening ledger names an account twice: ${twice}`);
      this.#opening = 'ledger';
      this.#isLedgerKnown = true;
    } else this.#fault('MISPLACED', 'An opening ledger stands behind the earlier decisions only');
  }

  #addPolicy(body: EntryBody<'policy'>): void {
    this.#faultIf('POLICY_DIFFERS', this.#policies.add(body, this.#isWhole));
  }

  #settle(body: EntryBody<'settlement'>): void {
    const { decision, settlement, actualCostWei } = body;
    const isSponsored = this.#decisions.get(decision) ?? !this.#isWhole;
    if (!isSponsored) {
      this.#fault('UNKNOWN_DECISION', `It settles ${decision}, which was not sponsored`);
    }
    this.#faultIf('SETTLEMENT_INVALID', this.#settlements.settle(body));
    this.#ledger.settle(decision, settlement, BigInt(actualCostWei ?? 0));
  }

  #checkDecision(body: EntryBody<'decision'>, at: number): void {
    const compact = body as unknown as CompactRecord;
    const { id } = compact;
    const fault = (code: LogFaultCode, detail: string): void => this.#fault(code, detail, this.#position, id);
    const odd = oddField(compact);
    if (odd !== undefined) fault('ODD_FIELD', `No decision has this field, or each has another: ${shortened(odd)}`);
    const record = expandRecord(compact);
    const isSponsored = record.outcome === 'sponsored';
    if (this.#decisions.has(id)) fault('DECISION_TWICE', 'This decision is in the log already');
    this.#decisions.set(id, isSponsored);
    const isEarlier = this.#decisions.size <= this.#earlierDecisions;
    if (isSponsored) this.#settlements.add(id, record.maxCostWei, record.userOpHash, !isEarlier);
    if (!isEarlier) this.#checkPlaceOf(record, at);
    const revision = this.#policies.find(record.policy);
    const replayed = replay(record, revision, this.#options);
    if ('notReplayable' in replayed) {
      const reason = replayed.notReplayable;
      this.#notReplayed[reason] = (this.#notReplayed[reason] ?? 0) + 1;
      const mayBe = isEarlier || (!isSponsored && MAY_BE_WITHOUT.includes(reason));
      const isOutside = reason === 'WITHOUT_POLICY' && !this.#isWhole;
      if (!mayBe && !isOutside) fault('NOT_REPLAYABLE', reason);
      if (!isEarlier) this.#faultsOf(id, fixedDifferences(record, reason, revision));
      return;
    }
    this.#replayed += 1;
    if (replayed.isByOtherEngine) this.#byOtherEngine += 1;
    this.#faultsOf(id, replayed.differences);
    if (this.#isLedgerKnown) this.#checkLedger(record, replayed.reservations);
  }

  #faultsOf(id: string, differences: readonly Difference[]): void {
    for (const { field, stored, replayed } of differences) {
      const detail = `${field} is ${shortened(stored)}; deciding again gives ${shortened(replayed)}`;
      this.#fault('VERDICT_DIFFERS', detail, this.#position, id);
    }
  }

  /** What a decision names must have come before it. */
  #checkPlaceOf(record: StoredRecord, at: number): void {
    const { id, policy, engine, paymasterId, outcome } = record;
    const fault = (code: LogFaultCode, detail: string): void => this.#fault(code, detail, this.#position, id);
    if (record.at > at) fault('LATER_THAN_ITS_ENTRY', 'It was decided after it was stored');
    if (outcome === 'error') return;
    if (this.#isWhole && !this.#engines.has(engine ?? ''))
      fault('UNKNOWN_ENGINE', `No engine of version ${shortened(engine ?? 'none')} was started before it`);
    const inForce = this.#policies.inForce(paymasterId);
    const isUnknown = inForce === undefined && !this.#isWhole;
    if (policy !== inForce && !isUnknown)
      fault('POLICY_NOT_IN_FORCE', `It names ${shortened(policy ?? 'none')}; in force is ${inForce ?? 'none'}`);
  }

  #checkLedger({ id, outcome, reservations = [] }: StoredRecord, planned: readonly Reservation[]): void {
    const held = reservations.map((reservation) => reservation.held);
    for (const { account, stored, computed } of this.#ledger.compare(planned, held)) {
      const detail = `${account} held ${stored} by the decision, and ${computed} by the entries before it`;
      this.#fault('LEDGER_DIFFERS', detail, this.#position, id);
    }
    if (outcome === 'sponsored') this.#ledger.reserve(id, planned);
  }

  /** Compares the tree as it is now with a checkpoint of as many entries. After the first that differs all others do. */
  compareCheckpoint(note: string): void {
    if (this.#isTreeWrong) return;
    const opened = openCheckpoint(note, this.#options.key, this.#options.crypto);
    if ('fault' in opened) {
      this.#fault('CHECKPOINT_UNTRUSTED', opened.fault, null);
      return;
    }
    const { head } = opened;
    const last = Math.max(0, this.#tree.size - 1);
    const since = this.#verified?.size ?? 0;
    if (head.size > this.#tree.size) {
      const detail = `The log is cut off: the checkpoint covers ${head.size} entries, and there are ${this.#tree.size}`;
      this.#fault('INCOMPLETE', detail, this.#tree.size);
    } else if (head.size < this.#tree.size || hexlify(head.root) !== hexlify(this.#tree.root())) {
      const detail = `The entries from ${since} to ${last} are not those that the checkpoint of ${head.size} entries covers`;
      this.#fault('CHECKPOINT_DIFFERS', detail, last);
      this.#isTreeWrong = true;
    } else this.#verified = head;
  }

  /**
   * Compares the whole with its checkpoint.
   *
   * @param checkpoint undefined where there is none
   * @param after the roots of the full subtrees behind the last entry, up to the checkpoint's size
   */
  finish(checkpoint: string | undefined, after: readonly Uint8Array[] = []): LogReport {
    if (checkpoint === undefined) {
      this.#fault('INCOMPLETE', 'There is no checkpoint: the log is cut off, or was never signed');
      return this.report();
    }
    const size = readCheckpoint(checkpoint)?.size ?? this.#tree.size;
    const missing = size > this.#tree.size ? subtreesOf({ start: this.#tree.size, end: size }) : [];
    if (missing.length === after.length && missing.length > 0) {
      appendAll(this.#tree, missing, after);
      this.#compareSince();
    }
    this.compareCheckpoint(checkpoint);
    return this.report();
  }

  /** What is wrong with a log that ends here. */
  #checkEnd(): void {
    const isEnd = this.#isWhole && this.#position === this.#tree.size;
    if (isEnd && this.#opening === 'decisions') {
      const detail = `The opening never ends: it tells of ${this.#earlierDecisions} earlier decisions and their ledger, and the log has ${this.#decisions.size} decisions`;
      this.#fault('MISPLACED', detail, 0);
    }
    const since = this.#since;
    const from = this.#options.from ?? 0;
    if (since === undefined || this.#isContinued) return;
    if (since.size > this.#tree.size) {
      this.#fault(
        'NOT_CONTINUED',
        `The earlier checkpoint covers ${since.size} entries, and the log has ${this.#tree.size}`,
        null,
      );
    } else if (since.size < from || since.size > this.#position) {
      const detail = `The earlier checkpoint covers ${since.size} entries, so a part from ${from} to ${this.#position} does not show whether the log continues it`;
      this.#fault('NOT_CONTINUED', detail, null);
    }
  }

  /** What was found, where there is nothing more to compare with. Once only. */
  report(): LogReport {
    this.#checkEnd();
    const faults = [...this.#faults].sort((one, other) => (one.entry ?? Infinity) - (other.entry ?? Infinity));
    const checked = {
      decisions: this.#decisions.size,
      replayed: this.#replayed,
      notReplayed: this.#notReplayed,
      unsignedTail: Math.max(0, this.#position - Math.max(this.#verified?.size ?? 0, this.#options.from ?? 0)),
      signatures: this.#options.withSignatures,
      amounts: this.#isWhole && this.#earlierDecisions === 0,
      reservedTwice: this.#settlements.reservedTwice,
    };
    return {
      ...{ ok: faults.length === 0, entries: this.#position - (this.#options.from ?? 0) },
      ...{ byOtherEngine: this.#byOtherEngine, checked, faults },
      checkpoint: this.#verified && reported(this.#verified),
      since: this.#since !== undefined && this.#isContinued ? reported(this.#since) : null,
    };
  }
}
