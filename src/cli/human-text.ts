import { weiToDecimal } from '../shared/schema/decimal.ts';
import { type Paint, look, printLine } from './terminal.ts';

type Row = Readonly<Record<string, unknown>>;

export type Printable = Row | readonly Row[];

/**
 * Control characters. A DApp's input must not be able to control the operator's terminal, and JSON escapes only half of
 * them.
 */
const CONTROL = /\p{Cc}/gu;

/** Replaces control characters, so that the text cannot control a terminal. */
export const harmless = (text: string): string => text.replaceAll(CONTROL, '\u{fffd}');

/** Date and time to the second, with the time zone of the operator. Created at first use: loading Intl takes 20 ms. */
let timeFormat: Intl.DateTimeFormat | undefined;
const formatTime = (at: number): string => {
  timeFormat ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
  return timeFormat.format(at);
};
/** Keys whose values are times, in epoch ms. */
const TIME = /^(?:at|since)$|At$|Since$/;
/** The latest time that a Date can hold. */
const LAST_MS = 8_640_000_000_000_000;
/** Keys whose values are amounts of the native coin, in wei. */
const WEI = /Wei(?=PerDay$|$)/;

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

const amountWords = (wei: string, { symbol }: Row): string =>
  `${weiToDecimal(BigInt(wei))} ${typeof symbol === 'string' ? symbol : 'of the native coin'}`;

/** A time (epoch ms) for people: to the second, with the zone of this machine. */
export const timeWords = (at: number): string => (at === 0 ? '-' : formatTime(at));

/** A nested value as text. Deeper levels, such as a DApp's request, are shown as they were sent. */
const partsWords = (value: object, row: Row): string => {
  const parts = Object.entries(value);
  if (!parts.every(([, part]) => isPlain(part))) return JSON.stringify(value);
  const texts = parts.map(([name, part]) => [name, words(name, part, { symbol: row['symbol'], ...value })] as const);
  return texts.map(([name, text]) => (Array.isArray(value) ? text : `${label(name)} ${text}`)).join(', ') || '-';
};

/** Stands for a missing value. */
const NONE = '-';

/** A value as text. The field `symbol` in the same row names the coin of an amount. */
const words = (key: string, value: unknown, row: Row): string => {
  if (value === null || value === undefined || value === '') return NONE;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return WEI.test(key) && /^\d+$/.test(value) ? amountWords(value, row) : value;
  if (typeof value === 'number' && TIME.test(key) && value <= LAST_MS) return timeWords(value);
  return typeof value === 'object' ? partsWords(value, row) : JSON.stringify(value);
};

/** Labels of fields whose names do not consist of the words for them, or are names in a standard. */
const LABELS: Readonly<Record<string, string>> = {
  apiKey: 'API key',
  entryPoint: 'EntryPoint',
  isTold: 'shown to wallets',
  paymasterAndData: 'paymasterAndData',
  paymasterId: 'DApp id',
  userOpHash: 'userOpHash',
};

/** The label of a field: the words of its name. Amounts are shown in coins, so their labels do not end in Wei. */
const label = (key: string): string =>
  LABELS[key] ?? key.replace(WEI, '').replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A field as text in one line. */
const cell = (key: string, row: Row): string => harmless(words(key, row[key], row).replaceAll('\n', ' '));

const UUID = /^[\da-f]{8}-[\da-f]{4}-([\da-f])[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;
const LONG_HEX = /^(0x[\da-f]{4})[\da-f]{32,}([\da-f]{4})$/i;

/**
 * The beginning of an id, which commands take in its place. An id of version 7 begins with its time, of which the first
 * eight digits last for a minute.
 */
export const shortId = (id: string): string =>
  id.replace(UUID, (_id, version) => id.slice(0, version === '7' ? 13 : 8));

/** A cell without what the reader can do without. */
const abbreviated = (text: string): string => shortId(text).replace(LONG_HEX, '$1…$2');

const PAINTED = {
  green: /^(?:sponsored|ok|good)$/,
  yellow: /^(?:warning|low)$/,
  red: /^(?:denied|error|ERROR|empty)$/,
};
/** Keys whose values are outcomes. */
const OUTCOME = /^(?:outcome|result|level)$/;

const painted = (key: string, text: string, paint: Paint): string => {
  if (!OUTCOME.test(key)) return text;
  const colours = ['green', 'yellow', 'red'] as const;
  const colour = colours.find((name) => PAINTED[name].test(text.trim()));
  return colour === undefined ? text : paint(colour, text);
};

const GAP = 2;

/** A text in lines of at most this width. Words are not divided. */
const wrapped = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

/** The widths of columns of words within a line of `most` characters. Undefined if the words are too long. */
const fittingWidths = (lines: readonly string[][], most: number): number[] | undefined => {
  const widest = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length));
  const columns = (lines[0] ?? []).map((_, index) => lines.map((line) => line[index] ?? ''));
  const widths = columns.map(widest);
  const least = columns.map((texts) => widest(texts.flatMap((text) => text.split(' '))));
  const total = (): number => widths.reduce((sum, width) => sum + width + GAP, -GAP);
  while (total() > most) {
    const spare = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const index = spare.indexOf(Math.max(...spare));
    if ((spare[index] ?? 0) === 0) return undefined;
    widths[index] = (widths[index] ?? 0) - 1;
  }
  return widths;
};

/** Lines of a table. Undefined if it does not fit the terminal. */
const tableLines = (columns: readonly string[], cells: readonly string[][]): string[] | undefined => {
  const { paint, columns: most } = look();
  const all = [columns.map(label), ...cells];
  const widths = fittingWidths(all, most);
  return (
    widths &&
    all.flatMap((row, number) => {
      const parts = row.map((text, index) => wrapped(text, widths[index] ?? 0));
      const height = Math.max(...parts.map(({ length }) => length));
      return Array.from({ length: height }, (_, at) => {
        const texts = parts.map((part) => part[at] ?? '');
        const last = texts.findLastIndex((text) => text !== '');
        const shown = texts.slice(0, last + 1).map((text, index) => {
          const padded = index === last ? text : text.padEnd(widths[index] ?? 0);
          return number === 0 ? paint('dim', padded) : painted(columns[index] ?? '', padded, paint);
        });
        return shown.join(' '.repeat(GAP));
      });
    })
  );
};

/**
 * A table, whose texts are broken at spaces if the terminal is too narrow. If that does not help, ids and addresses are
 * abbreviated, and if that does not help either, each row is a record of the fields that have a value.
 */
const table = (rows: readonly Row[]): string => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => columns.map((column) => cell(column, row)));
  const short = cells.map((line) => line.map(abbreviated));
  const lines = tableLines(columns, cells) ?? tableLines(columns, short);
  return lines?.join('\n') ?? rows.map((row) => record(withoutEmpty(row))).join('\n\n');
};

/** The fields of a row that have a value. */
const withoutEmpty = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([key]) => cell(key, row) !== NONE));

const record = (row: Row): string => {
  const { paint } = look();
  const width = Math.max(...Object.keys(row).map((key) => label(key).length));
  return Object.keys(row)
    .map((key) => `${paint('dim', label(key).padEnd(width))}  ${painted(key, cell(key, row), paint)}`)
    .join('\n');
};

const isList = (value: Printable): value is readonly Row[] => Array.isArray(value);

/**
 * Readable text: a table for a list, and one line per field for a record. Amounts, times and codes are replaced by
 * readable values.
 */
export const humanText = (value: Printable): string => {
  if (!isList(value)) return record(value);
  return value.length === 0 ? 'none' : table(value);
};

/** Prints the answer of a command, as one JSON document or as readable text. */
export const print = (value: Printable, json: boolean): void => {
  printLine(json ? JSON.stringify(value) : humanText(value));
};
