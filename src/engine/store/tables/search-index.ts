import { version } from '../../base/version.ts';
import { type StoredDecision, readDecision, textsOf } from '../decision-rows.ts';
import type { Access } from '../access.ts';
import { type StepRows, type Steps, turn } from '../rows.ts';
import { STORED_DECISION, decisionReader, lengthLimit } from './decision-reader.ts';
import { type GramPlaces, MOST_PLACES, createGramPlaces, eachPlace } from './gram-places.ts';
import { type Needle, TEXT_END, eachGram, needleOf } from './grams.ts';
import { positionsIn } from './positions.ts';

/**
 * Positions of the log in a lot. A lot is the part of the index for consecutive positions. A place is a position's offset
 * in its lot.
 */
const LOT = MOST_PLACES;

const lotOf = (seq: number): number => Math.floor(seq / LOT);

/** Maximum number of decisions that are indexed without a pause, and maximum length of their records: some ms. */
const BATCH = 50;
const BATCH_LENGTH = 256 * 1024;

/** If more decisions than this were stored since the index was last filled, the filling leaves them the processor. */
const BUSY = 500;

/** If a lot has more candidates than this, the search reads all of its decisions. */
const MOST_CANDIDATES = LOT / 8;

/** Maximum number of candidates per read. They likely contain what the search looks for. */
const READ = 200;

/** Maximum number of lots without a candidate that a search passes without a pause. */
const LOTS_AT_ONCE = 8;

const DECISIONS = `SELECT ${STORED_DECISION} FROM decision WHERE seq > $1 AND seq < $2 ORDER BY seq LIMIT ${BATCH}`;

// The column `words` contains the version of Gasdesk that derived the indexed texts.
const COMPLETE = 'SELECT lot FROM search_lot WHERE words = $1';

// For a stored lot, this returns at least one row, whose places may be null.
const LOT_PLACES = `SELECT places FROM search_lot LEFT JOIN search_gram ON search_gram.lot = search_lot.lot`;

const EVERY = `${LOT_PLACES} AND gram = ANY($3::bigint[]) WHERE search_lot.lot = $1 AND words = $2`;

const BETWEEN = `${LOT_PLACES} AND gram BETWEEN $3 AND $4 WHERE search_lot.lot = $1 AND words = $2`;

interface PlacesRow {
  readonly places: Uint8Array | null;
}

interface LotPlaces {
  /** For each gram, the places of the decisions that have it. */
  readonly lists: readonly Uint8Array[];
  /** The position up to which the lot is indexed. */
  readonly upTo: number;
}

/** What the index says about a lot. */
interface LookedAt {
  readonly lot: number;
  /** The position up to which the lot is indexed. */
  readonly upTo: number;
  /** The candidates: the decisions that may contain the texts, newest first; undefined if they are too many. */
  readonly seqs: readonly number[] | undefined;
}

/** The decisions of a lot that are in at least `most` of the lists, newest first; undefined if they are too many. */
const candidatesOf = (lot: number, lists: readonly Uint8Array[], most: number): number[] | undefined => {
  if (lists.length < most) return [];
  const counts = new Uint16Array(LOT);
  for (const list of lists) eachPlace(list, (place) => (counts[place] = (counts[place] ?? 0) + 1));
  const found: number[] = [];
  for (let place = LOT - 1; place >= 0; place -= 1) {
    if ((counts[place] ?? 0) >= most) found.push(lot * LOT + place);
  }
  return found.length > MOST_CANDIDATES ? undefined : found;
};

/** Rows per statement, the most first. */
const ROW_COUNTS = [256, 16, 1] as const;

type GramRow = readonly [gram: number, places: Uint8Array];

const insertOf = (rows: number): string => {
  const row = (_: unknown, index: number) => `($${3 * index + 1}, $${3 * index + 2}, $${3 * index + 3})`;
  return `INSERT INTO search_gram (lot, gram, places) VALUES ${Array.from({ length: rows }, row).join(', ')}
    ON CONFLICT DO NOTHING`;
};

/** A lot in memory, indexed up to a position. */
interface Lot {
  readonly lot: number;
  readonly grams: GramPlaces;
  upTo: number;
}

const startLot = (lot: number): Lot => ({ lot, grams: createGramPlaces(), upTo: lot * LOT - 1 });

/** The next decisions that a search must read. */
export interface Stretch {
  /** They are after this position, up to and including the position `high` of the call. */
  readonly low: number;
  /** Only these must be read, newest first; undefined: all must be read. */
  readonly seqs: readonly number[] | undefined;
}

/** Finds the decisions that may contain a text. */
export interface Search {
  /** The next decisions to read, from the newest back. @param high the position to continue from */
  readonly below: (high: number) => Promise<Stretch>;
}

export interface SearchIndex {
  /**
   * Adds some decisions to the index, those of the newest lot first. If many decisions were stored since the last call,
   * adds none, so that it does not slow down deciding.
   *
   * @param maySave whether this engine stores the lots in the database; only one of several engines does
   * @returns false if all decisions are indexed, or if none were added because many were stored
   */
  readonly fillSearchIndex: (maySave: boolean) => Promise<boolean>;
  /**
   * A search for decisions that contain all of the texts.
   *
   * @param texts in lower case
   * @param size maximum number of positions to read at once where the index cannot name single decisions
   * @returns undefined if no text is given
   */
  readonly searchFor: (texts: readonly string[], size: number) => Search | undefined;
}

/**
 * An index of the texts that searches look in. For each {@link eachGram gram} (three consecutive characters), it lists the
 * decisions whose texts contain it. The index is filled after decisions are stored, so that they do not wait for it. A
 * lot is stored when it is complete. The newest lot exists only in memory, and is filled again after the store opens.
 */
export const searchIndex = ({ rows, writeShared, enterHashes }: Access): SearchIndex => {
  const positions = positionsIn(rows);
  const { withRevisions } = decisionReader(rows);
  let newest: Lot | undefined;
  /** An earlier lot, which will be stored when it is complete. */
  let earlier: Lot | undefined;
  /** The newest position at the last call of `fillSearchIndex`; undefined before the first call. */
  let seen: number | undefined;

  /** Indexes the next decisions of a lot. False: all of its decisions were already indexed. */
  const advance = async (one: Lot): Promise<boolean> => {
    const { lot, grams } = one;
    const length = lengthLimit(BATCH_LENGTH);
    const some = await rows.upTo<StoredDecision>(DECISIONS, [one.upTo, (lot + 1) * LOT], length.add);
    for (const { decision, revision } of await withRevisions(some.map(readDecision))) {
      const { seq } = decision.columns;
      for (const text of textsOf(decision, revision)) {
        eachGram(text + TEXT_END, (gram) => grams.enter(gram, seq - lot * LOT));
      }
      one.upTo = seq;
    }
    return some.length > 0;
  };

  /** The newest lot before this one that is not stored. */
  const missingBefore = async (end: number): Promise<Lot | undefined> => {
    const complete = new Set((await rows.all<{ lot: number }>(COMPLETE, [version])).map(({ lot }) => lot));
    for (let lot = end - 1; lot >= 0; lot -= 1) if (!complete.has(lot)) return startLot(lot);
    return undefined;
  };

  const insertSome = function* (tx: StepRows, lot: number, some: readonly GramRow[]): Steps<void> {
    let rest = some;
    for (const count of ROW_COUNTS) {
      while (rest.length >= count) {
        const values = rest.slice(0, count).flatMap(([gram, places]) => [lot, gram, Buffer.from(places)]);
        yield* tx.run(insertOf(count), values);
        rest = rest.slice(count);
      }
    }
  };

  const save = async ({ lot, grams }: Lot): Promise<void> => {
    await writeShared(function* (tx) {
      // Another version, which derives other texts from decisions, may have stored the lot, or a save may have been
      // interrupted.
      yield* tx.run('DELETE FROM search_lot WHERE lot = $1', [lot]);
      yield* tx.run('DELETE FROM search_gram WHERE lot = $1', [lot]);
    });
    const all = grams.all();
    const [most] = ROW_COUNTS;
    for (let first = 0; first < all.length; first += most) {
      await writeShared((tx) => insertSome(tx, lot, all.slice(first, first + most)));
    }
    await writeShared((tx) => tx.upsert('search_lot', 'lot, words', { lot, words: version }, 'lot'));
    await enterHashes();
  };

  /** The places of the grams in a lot; undefined if the lot is not in the index. */
  const placesIn = async (lot: number, needle: Needle): Promise<LotPlaces | undefined> => {
    const inMemory = [newest, earlier].find((one) => one?.lot === lot);
    if (inMemory !== undefined) return { lists: inMemory.grams.of(needle), upTo: inMemory.upTo };
    const found =
      'every' in needle
        ? await rows.all<PlacesRow>(EVERY, [lot, version, needle.every])
        : await rows.all<PlacesRow>(BETWEEN, [lot, version, needle.first, needle.last]);
    if (found.length === 0) return undefined;
    return { lists: found.flatMap(({ places }) => places ?? []), upTo: (lot + 1) * LOT - 1 };
  };

  return {
    async fillSearchIndex(maySave) {
      const end = await positions.upTo(Number.MAX_SAFE_INTEGER);
      const isBusy = end - (seen ?? end) > BUSY;
      seen = end;
      if (end === 0 || isBusy) return false;
      if (newest?.lot !== lotOf(end)) {
        if (!maySave || earlier === undefined) earlier = newest;
        newest = startLot(lotOf(end));
      }
      if (await advance(newest)) return true;
      if (maySave) earlier ??= await missingBefore(newest.lot);
      if (earlier === undefined) return false;
      if (await advance(earlier)) return true;
      if (!maySave) return false;
      await save(earlier);
      earlier = undefined;
      return true;
    },
    searchFor(texts, size) {
      const needle = needleOf(texts);
      if (needle === undefined) return undefined;
      const most = 'every' in needle ? needle.every.length : 1;

      const look = async (lot: number): Promise<LookedAt> => {
        const found = await placesIn(lot, needle);
        if (found === undefined) return { lot, upTo: lot * LOT - 1, seqs: undefined };
        return { lot, upTo: found.upTo, seqs: candidatesOf(lot, found.lists, most) };
      };
      let last: LookedAt | undefined;
      return {
        async below(high) {
          let from = high;
          for (let lots = 1; ; lots += 1) {
            const lot = lotOf(from);
            const before = lot * LOT - 1;
            last = last?.lot === lot ? last : await look(lot);
            if (from > last.upTo) return { low: Math.max(from - size, last.upTo), seqs: undefined };
            if (last.seqs === undefined) return { low: Math.max(from - size, before), seqs: undefined };
            const seqs = last.seqs.filter((seq) => seq <= from).slice(0, READ);
            if (seqs.length > 0) return { low: seqs.length < READ ? before : (seqs.at(-1) ?? 0) - 1, seqs };
            from = before;
            if (from <= 0) return { low: 0, seqs };
            if (lots % LOTS_AT_ONCE === 0) await turn();
          }
        },
      };
    },
  };
};
