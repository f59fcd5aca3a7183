import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { LogFaultCode } from '../../src/core/log/log-report.ts';
import { createRehash } from '../log/rehashed.ts';

/** What stands where in a log, to find entries that can be forged. */
export interface LogIndex {
  readonly entries: number;
  /** Positions by kind; decisions by their outcome, settlements by what they settle to. */
  readonly positions: ReadonlyMap<string, readonly number[]>;
}

/** Something that someone does to a log. */
export interface Alteration {
  readonly name: string;
  /** The entry that has to be named. */
  readonly entry: number | null;
  readonly fault?: LogFaultCode;
  /** True: every entry from there on is rewritten, so that each follows the one before. */
  readonly isRehashed?: boolean;
  /** What becomes of an entry: the lines in its place. */
  readonly entries?: (position: number, line: string) => readonly string[];
  /** What becomes of the last line; undefined takes it away. */
  readonly end?: (line: string) => string | undefined;
}

const kindOf = (line: string): string => {
  const kind = /"kind":"(\w+)"/.exec(line.slice(0, 60))?.[1] ?? '';
  if (kind === 'policy' && !line.includes('"policy":{')) return 'policy again';
  if (kind === 'settlement') return /"settlement":"(\w+)"/.exec(line)?.[1] ?? kind;
  return kind === 'decision' ? (/"outcome":"(\w+)"/.exec(line)?.[1] ?? kind) : kind;
};

/** Looks through a log. */
export const indexLog = async (file: string): Promise<LogIndex> => {
  const positions = new Map<string, number[]>();
  let lines = 0;
  for await (const line of createInterface(createReadStream(file))) {
    if (line.startsWith('{"entry"')) {
      const kind = kindOf(line);
      const all = positions.get(kind) ?? [];
      all.push(lines - 1);
      positions.set(kind, all);
    }
    lines += 1;
  }
  return { entries: lines - 2, positions };
};

const asItIs = (_position: number, line: string): readonly string[] => [line];

/** Writes a log as someone has altered it. */
export const writeAltered = async (file: string, out: string, alteration: Alteration): Promise<void> => {
  const { entries = asItIs, end = (line: string) => line, isRehashed = false } = alteration;
  const rehash = createRehash();
  const target = createWriteStream(out);
  const write = async (line: string): Promise<void> => {
    if (!target.write(`${line}\n`)) await once(target, 'drain');
  };
  let number = 0;
  for await (const line of createInterface(createReadStream(file))) {
    if (number === 0) await write(line);
    else if (line.startsWith('{"entry"')) {
      for (const changed of entries(number - 1, line)) await write(isRehashed ? rehash(changed) : changed);
    } else {
      const last = end(line);
      if (last !== undefined) await write(last);
    }
    number += 1;
  }
  target.end();
  await once(target, 'close');
};

/** Entries as they are, but for one. */
const at =
  (where: number, change: (line: string) => readonly string[]) =>
  (position: number, line: string): readonly string[] =>
    position === where ? change(line) : [line];

/** Changes one character behind the entry's own head into another that JSON may hold. */
const withAnotherByte = (line: string, chance: number): string => {
  const place = Math.floor(chance * line.length);
  return line.slice(0, place) + (line[place] === '7' ? '8' : '7') + line.slice(place + 1);
};

/** Forges an entry. */
const replaced = (line: string, what: RegExp, by: string): readonly string[] => {
  const changed = line.replace(what, by);
  if (changed === line) throw new Error(`There is nothing to forge: ${line.slice(0, 200)}`);
  return [changed];
};

const FOREIGN =
  'example.com/foo\n3\nAAAA\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';

/**
 * Everything that is done to a log.
 *
 * @param chance a number from 0 to 1, another each time
 */
export const alterations = ({ entries, positions }: LogIndex, chance: () => number): Alteration[] => {
  const somewhere = (): number => 1 + Math.floor(chance() * (entries - 3));
  const one = (kind: string): number => {
    const all = positions.get(kind) ?? [];
    const found = all[Math.floor(chance() * all.length)];
    if (found === undefined) throw new Error(`The log has no ${kind}`);
    return found;
  };
  const bytes = Array.from({ length: 5 }, (): Alteration => {
    const entry = somewhere();
    const place = chance();
    return { name: 'a byte changed', entry, entries: at(entry, (line) => [withAnotherByte(line, place)]) };
  });
  const [removed, doubled, moved, inserted, cut] = [somewhere(), somewhere(), somewhere(), somewhere(), somewhere()];
  let carried = '';
  const [denied, sponsored, policy] = [one('denied'), one('sponsored'), one('policy')];
  // Many decisions come behind it, over the same accounts.
  const settlement = positions.get('settled')?.[0] ?? one('settled');
  return [
    ...bytes,
    { name: 'removed', entry: removed, fault: 'WRONG_POSITION', entries: at(removed, () => []) },
    { name: 'doubled', entry: doubled + 1, fault: 'WRONG_POSITION', entries: at(doubled, (line) => [line, line]) },
    {
      name: 'moved',
      entry: moved,
      fault: 'WRONG_POSITION',
      entries(position, line) {
        if (position === moved) carried = line;
        if (position === moved) return [];
        return position === moved + 1 ? [line, carried] : [line];
      },
    },
    {
      name: 'inserted',
      entry: inserted + 1,
      fault: 'WRONG_POSITION',
      entries: at(inserted, (line) => [line, line.replace(/"at":(\d+)/, '"at":9$1')]),
    },
    {
      name: 'a verdict, rehashed',
      entry: denied,
      fault: 'VERDICT_DIFFERS',
      isRehashed: true,
      entries: at(denied, (line) => replaced(line, /"code":"[A-Z_]+","rule"/, '"code":"PAUSED","rule"')),
    },
    {
      name: 'what an account held, rehashed',
      entry: sponsored,
      fault: 'VERDICT_DIFFERS',
      isRehashed: true,
      entries: at(sponsored, (line) => replaced(line, /"held":\["(\d+)"/, '"held":["1$1"')),
    },
    {
      name: 'a settlement',
      entry: settlement,
      fault: 'ALTERED',
      entries: at(settlement, (line) => replaced(line, /"actualCostWei":"(\d+)\d"/, '"actualCostWei":"$1"')),
    },
    {
      name: 'a settlement, rehashed',
      entry: settlement,
      fault: 'SETTLEMENT_INVALID',
      isRehashed: true,
      entries: at(settlement, (line) => replaced(line, /"settled"/, '"reserved"')),
    },
    {
      name: 'a settlement of nothing, rehashed',
      entry: settlement,
      fault: 'UNKNOWN_DECISION',
      isRehashed: true,
      entries: at(settlement, (line) => replaced(line, /"decision":"[^"]+"/, '"decision":"none"')),
    },
    {
      name: 'a policy, rehashed',
      entry: policy,
      fault: 'POLICY_DIFFERS',
      isRehashed: true,
      entries: at(policy, (line) => replaced(line, /"policy":\{/, '"policy":{"more":1,')),
    },
    {
      name: 'a checkpoint of another log',
      entry: null,
      fault: 'CHECKPOINT_UNTRUSTED',
      end: () => JSON.stringify({ checkpoint: FOREIGN }),
    },
    {
      name: 'cut off before its checkpoint',
      entry: cut,
      fault: 'INCOMPLETE',
      entries: (position, line) => (position < cut ? [line] : []),
      end: () => undefined,
    },
    {
      name: 'cut off, its checkpoint kept',
      entry: cut,
      fault: 'INCOMPLETE',
      entries: (position, line) => (position < cut ? [line] : []),
    },
  ];
};
