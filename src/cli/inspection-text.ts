import type { ProcedureOutput } from '../api/index.ts';
import { callWords } from '../api/call-words.ts';
import { weiToDecimal } from '../shared/schema/decimal.ts';
import type { InspectionReading, InspectionSection, NamedBytes, NamedValue } from '../shared/schema/inspection.ts';
import { grouped } from '../shared/words/amount.ts';
import { shorten } from '../shared/words/shorten.ts';
import { harmless, timeWords } from './human-text.ts';

type InspectionView = ProcedureOutput<'inspect.value'>;

/** The data needed to show a value as text. */
interface WordContext {
  readonly names: ReadonlyMap<string, string>;
  readonly symbol: string | null;
}

const LAST_SECOND = 8_640_000_000_000n;
/** Longer hex is shortened in the middle. With `--json`, it is shown completely. */
const SHOWN_HEX = 70;

const numberWords = (value: string): string => (value.length > 3 ? grouped(value) : value);

const valueWords = ({ kind, value }: Pick<NamedValue, 'kind' | 'value'>, { names, symbol }: WordContext): string => {
  if (value === '') return '';
  if (kind === 'time') {
    const seconds = BigInt(value);
    return seconds === 0n || seconds > LAST_SECOND ? value : `${timeWords(Number(seconds) * 1000)} (${value})`;
  }
  if (kind === 'wei') return `${weiToDecimal(BigInt(value))} ${symbol ?? 'of the native coin'}`;
  if (kind === 'gas' || kind === 'number') return numberWords(value);
  if (kind !== 'address') return value;
  const name = names.get(value.toLowerCase());
  return name === undefined ? value : `${value} (${name})`;
};

const bytesLine =
  (width: number, context: WordContext) =>
  (one: NamedBytes): string => {
    const range = one.length === 1 ? String(one.offset) : `${one.offset}–${one.offset + one.length - 1}`;
    const words = valueWords(one, context) || shorten(one.hex, SHOWN_HEX - 12, 10);
    return `  ${range.padEnd(9)}  ${one.name.padEnd(width)}  ${words}`;
  };

const MARKS = new Map([
  [true, 'yes'],
  [false, 'NO'],
  [null, '?'],
]);

const widthOf = (named: readonly { readonly name: string }[]): number =>
  Math.max(0, ...named.map(({ name }) => name.length));

const sectionLines = (
  { title, path, bytes, values, checks, calls, notes }: InspectionSection,
  context: WordContext,
): string[] => [
  '',
  path === '' ? title : `${title}  [${path}]`,
  ...bytes.map(bytesLine(widthOf(bytes), context)),
  ...values.map((one) =>
    `  ${one.name.padEnd(widthOf(values))}  ${valueWords(one, context)}  ${one.meaning}`.trimEnd(),
  ),
  ...calls.map((call, index) => `  call ${index + 1}: ${callWords(call)}`),
  ...checks.map(({ name, ok, words }) => `  ${name}: ${MARKS.get(ok) ?? ''} ${words}`),
  ...notes.map((note) => `  ${note}`),
];

const readingLines = (reading: InspectionReading, names: WordContext['names']): string[] => [
  reading.title,
  `${reading.sureness}: ${reading.why}`,
  ...reading.sections.flatMap((section) => sectionLines(section, { names, symbol: reading.symbol })),
];

/** Whether decisions may exist for such a reading. */
const isDecided = ({ what }: InspectionReading): boolean =>
  !['error', 'revertData', 'address', 'callData'].includes(what);

/** An inspection as readable text: all readings, then the decisions. */
export const inspectionText = ({ readings, misfits, decisions, names }: InspectionView): string => {
  const named = new Map(names.map(({ address, name }) => [address, name]));
  const readingTexts = readings.flatMap((reading, index) => [
    ...(index > 0 ? ['', ''] : []),
    ...readingLines(reading, named),
  ]);
  const misfitTexts = misfits.map(({ what, why }) => `  not ${what}: ${why}`);
  const found = decisions.map(
    ({ id, at, dapp, outcome, message, by }) => `  ${id}  ${timeWords(at)}  ${dapp}  ${outcome}: ${message} (by ${by})`,
  );
  const lines = [
    ...readingTexts,
    ...(readings.length === 0 ? ['Not recognised. Tried:', ...misfitTexts] : []),
    ...(found.length > 0 ? ['', 'Decisions', ...found] : []),
    ...(found.length === 0 && readings.some(isDecided) ? ['', 'No decision here refers to it.'] : []),
  ];
  return lines.map(harmless).join('\n');
};
