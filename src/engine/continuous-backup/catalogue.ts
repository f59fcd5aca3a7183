import type { CopyTarget } from './target.ts';

/*
 * Names in a target:
 *   gasdesk-copy.json                                     what the target contains, and the vault that opens it
 *   COPY/changes/0000000042-001764184092123               segment 42, the state at that time (epoch ms)
 *   COPY/snapshots/0000000017/000003 or 000003-end        part 3 of the database as of segment 17 or soon after
 * COPY begins with the time when the engine began to follow, so that names sort by age.
 */

export const MARKER = 'gasdesk-copy.json';

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

export const copyName = (at: number, unique: string): string =>
  `${new Date(at).toISOString().replaceAll(/[-:.]/g, '')}-${unique}`;

export const segmentName = (copy: string, seq: number, at: number): string =>
  `${copy}/changes/${padded(seq, 10)}-${padded(at, 15)}`;

export const snapshotPartName = (copy: string, seq: number, part: number, isLast: boolean): string =>
  `${copy}/snapshots/${padded(seq, 10)}/${padded(part, 6)}${isLast ? '-end' : ''}`;

export interface StoredSegment {
  readonly name: string;
  readonly seq: number;
  readonly at: number;
}

/** The whole database. It contains segment `seq`, and may contain parts of the next one. */
export interface StoredSnapshot {
  readonly seq: number;
  readonly parts: readonly string[];
}

/** What one run of an engine has copied. */
export interface StoredCopy {
  readonly name: string;
  readonly segments: readonly StoredSegment[];
  /** Complete ones. */
  readonly snapshots: readonly StoredSnapshot[];
}

const SEGMENT = /^([^/]+)[/]changes[/](\d{10})-(\d{15})$/;
const PART = /^([^/]+)[/]snapshots[/](\d{10})[/](\d{6})(-end)?$/;

/** The parts up to the last one; undefined if one is missing. */
const wholeParts = (parts: readonly string[]): readonly string[] | undefined => {
  const isWhole =
    parts.at(-1)?.endsWith('-end') === true && parts.every((name, index) => PART.exec(name)?.[3] === padded(index, 6));
  return isWhole ? parts : undefined;
};

/** Sorts the names in a target into copies, oldest first. Ignores other names. */
export const copiesOf = (names: readonly string[]): StoredCopy[] => {
  const copies = new Map<string, { segments: StoredSegment[]; snapshots: Map<number, string[]> }>();
  const copy = (name: string) => {
    const found = copies.get(name) ?? { segments: [], snapshots: new Map<number, string[]>() };
    copies.set(name, found);
    return found;
  };
  for (const name of [...names].sort()) {
    const segment = SEGMENT.exec(name);
    if (segment !== null)
      copy(segment[1] ?? '').segments.push({ name, seq: Number(segment[2]), at: Number(segment[3]) });
    const part = PART.exec(name);
    if (part !== null) {
      const { snapshots } = copy(part[1] ?? '');
      const seq = Number(part[2]);
      snapshots.set(seq, [...(snapshots.get(seq) ?? []), name]);
    }
  }
  return [...copies].map(([name, { segments, snapshots }]) => ({
    name,
    segments,
    snapshots: [...snapshots].flatMap(([seq, all]) => {
      const parts = wholeParts(all);
      return parts === undefined ? [] : [{ seq, parts }];
    }),
  }));
};

/** What has to be read to restore a moment. */
export interface RestorePlan {
  readonly copy: string;
  readonly snapshot: StoredSnapshot;
  /** At least one. */
  readonly segments: readonly StoredSegment[];
}

/** The way to the last state at or before `until` in one copy. A snapshot needs the segment after it. */
const planIn = ({ name, segments, snapshots }: StoredCopy, until: number): RestorePlan | undefined => {
  const wanted = segments.filter(({ at }) => at <= until);
  const last = wanted.at(-1)?.seq ?? 0;
  const snapshot = snapshots.findLast(({ seq }) => seq < last);
  return snapshot && { copy: name, snapshot, segments: wanted.filter(({ seq }) => seq > snapshot.seq) };
};

/** The way to the last state at or before `until` (epoch ms); undefined if no copy reaches back so far. */
export const planRestore = (
  copies: readonly StoredCopy[],
  until = Number.MAX_SAFE_INTEGER,
): RestorePlan | undefined => {
  for (const copy of [...copies].reverse()) {
    const plan = planIn(copy, until);
    if (plan !== undefined) return plan;
  }
  return undefined;
};

/** Names that no restore to `from` or later needs. */
export const namesBefore = (copies: readonly StoredCopy[], names: readonly string[], from: number): string[] => {
  const plan = planRestore(copies, from);
  if (plan === undefined) return [];
  const { copy, snapshot } = plan;
  const oldest = [segmentName(copy, snapshot.seq + 1, 0), snapshotPartName(copy, snapshot.seq, 0, false)];
  return names.filter((name) => {
    const [of, kind] = [SEGMENT.exec(name) ?? PART.exec(name), SEGMENT.test(name) ? 0 : 1];
    if (of === null) return false;
    return of[1] === copy ? name < (oldest[kind] ?? '') : (of[1] ?? '') < copy;
  });
};

/** Reads what a target contains. @throws Error of the target */
export const readCopies = async (target: Pick<CopyTarget, 'list'>): Promise<StoredCopy[]> =>
  copiesOf(await target.list(''));
