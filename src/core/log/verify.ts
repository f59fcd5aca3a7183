import { encodeBase64, hexlify } from 'ethers';
import { type Policy, policyHash } from '../policy.ts';
import { type NotReplayable, type ReplayHow, replay } from '../replay.ts';
import type { Reservation } from '../ledger/account.ts';
import { type CompactRecord, type StoredRecord, expandRecord } from '../stored-record.ts';
import { type TreeHead, openCheckpoint, readCheckpoint } from './checkpoint.ts';
import { type Entry, type EntryBody, readEntry } from './entry.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';
import { LedgerCheck } from './ledger-check.ts';
import type { LogFault, LogFaultCode, LogReport } from './log-report.ts';
import { CompactTree, type Subtree, leafHash, subtreesOf } from './merkle-tree.ts';
import type { LogCrypto, VerifierKey } from './signed-note.ts';

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
}

const MOST_FAULTS = 1_000;
const SHORT = 80;

const shortened = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text;
};

/** Why a decision may be without a replay, however new it is. */
const MAY_BE_WITHOUT: readonly NotReplayable[] = ['FAILED', 'TRUNCATED'];

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
  readonly #policies = new Map<string, unknown>();
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
    const entry = this.#read(text);
    if (entry === undefined) this.#fault('NOT_AN_ENTRY', `This is not an entry: ${shortened(text)}`);
    else {
      this.#checkPlace(entry);
      this.#tryBody(entry);
    }
    this.#tree.append(leaf);
    this.#previous = leafText;
    this.#position += 1;
    return entry;
  }

  #read(text: string): Entry | undefined {
    try {
      return readEntry(parseExactJson(text));
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
        this.#ledger.hold(entry.body);
        break;
      case 'release':
        this.#ledger.release(entry.body.holds);
        break;
      case 'reset':
        this.#ledger.reset(entry.body);
        break;
      case 'action':
      case 'stop':
        break;
    }
  }

  /**
   * A hold that goes on must have begun. Only the first entry may say that decisions of before follow: nobody else's amounts
   * go unchecked.
   */
  #start({ earlierDecisions, holds }: EntryBody<'start'>): void {
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
      this.#ledger.open(body);
      this.#opening = 'ledger';
      this.#isLedgerKnown = true;
    } else this.#fault('MISPLACED', 'An opening ledger stands behind the earlier decisions only');
  }

  #addPolicy({ hash, policy }: EntryBody<'policy'>): void {
    if (policyHash(policy as Policy) !== hash)
      this.#fault('POLICY_DIFFERS', `The policy is not the one that ${hash} names`);
    this.#policies.set(hash, policy);
  }

  #settle({ decision, settlement, actualCostWei }: EntryBody<'settlement'>): void {
    const isSponsored = this.#decisions.get(decision) ?? !this.#isWhole;
    if (!isSponsored) {
      this.#fault('UNKNOWN_DECISION', `It settles ${decision}, which was not sponsored`);
    }
    this.#ledger.settle(decision, settlement, BigInt(actualCostWei ?? 0));
  }

  #checkDecision(body: EntryBody<'decision'>, at: number): void {
    const record = expandRecord(body as unknown as CompactRecord);
    const { id } = record;
    const isSponsored = record.outcome === 'sponsored';
    if (this.#decisions.has(id))
      this.#fault('DECISION_TWICE', 'This decision is in the log already', this.#position, id);
    this.#decisions.set(id, isSponsored);
    const isEarlier = this.#decisions.size <= this.#earlierDecisions;
    if (!isEarlier && record.at > at) {
      this.#fault('LATER_THAN_ITS_ENTRY', 'It was decided after it was stored', this.#position, id);
    }
    const replayed = replay(record, this.#policies.get(record.policy ?? ''), this.#options);
    if ('notReplayable' in replayed) {
      const mayBe = isEarlier || (!isSponsored && MAY_BE_WITHOUT.includes(replayed.notReplayable));
      const isOutside = replayed.notReplayable === 'WITHOUT_POLICY' && !this.#isWhole;
      if (!mayBe && !isOutside) this.#fault('NOT_REPLAYABLE', replayed.notReplayable, this.#position, id);
      return;
    }
    if (replayed.isByOtherEngine) this.#byOtherEngine += 1;
    for (const { field, stored, replayed: again } of replayed.differences) {
      const detail = `${field} is ${shortened(stored)}; deciding again gives ${shortened(again)}`;
      this.#fault('VERDICT_DIFFERS', detail, this.#position, id);
    }
    if (this.#isLedgerKnown) this.#checkLedger(record, replayed.reservations);
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
    const entries = this.#position - (this.#options.from ?? 0);
    if (checkpoint === undefined) {
      this.#fault('INCOMPLETE', 'There is no checkpoint: the log is cut off, or was never signed');
      return this.report(entries);
    }
    const size = readCheckpoint(checkpoint)?.size ?? this.#tree.size;
    const missing = size > this.#tree.size ? subtreesOf({ start: this.#tree.size, end: size }) : [];
    if (missing.length === after.length) appendAll(this.#tree, missing, after);
    this.compareCheckpoint(checkpoint);
    return this.report(entries);
  }

  /** What was found, where there is nothing more to compare with. */
  report(entries = this.#position - (this.#options.from ?? 0)): LogReport {
    const head = this.#verified;
    const checkpoint = head && { origin: head.origin, size: head.size, root: encodeBase64(head.root) };
    const faults = [...this.#faults].sort((one, other) => (one.entry ?? Infinity) - (other.entry ?? Infinity));
    return { ok: faults.length === 0, entries, byOtherEngine: this.#byOtherEngine, checkpoint, faults };
  }
}
