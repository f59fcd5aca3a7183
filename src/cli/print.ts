/** Values a command answers with. */
export type Printable = Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];

/** What a DApp sent must not steer the operator's terminal; JSON escapes only half of the control characters. */
const CONTROL = /\p{Cc}/gu;

const cell = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '-';
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(CONTROL, '\u{fffd}');
};

const table = (rows: readonly Readonly<Record<string, unknown>>[]): string => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const record = (value: Readonly<Record<string, unknown>>): string => {
  const width = Math.max(...Object.keys(value).map((key) => key.length));
  return Object.entries(value)
    .map(([key, field]) => `${key.padEnd(width)}  ${cell(field)}`)
    .join('\n');
};

const isList = (value: Printable): value is readonly Readonly<Record<string, unknown>>[] => Array.isArray(value);

/** Text for people: a table for a list, a line per field for a record. */
const humanText = (value: Printable): string => {
  if (!isList(value)) return record(value);
  return value.length === 0 ? 'none' : table(value);
};

/** Prints what a command answers: one JSON document, or text for people. */
export const print = (value: Printable, json: boolean): void => {
  console.log(json ? JSON.stringify(value) : humanText(value));
};
