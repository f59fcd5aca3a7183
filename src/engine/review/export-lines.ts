import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts';
import { EngineError } from '../../shared/errors.ts';
import { parseExactJson } from '../../shared/schema/decimal.ts';
import { type DecisionRecord, decisionRecord } from '../../shared/schema/decision.ts';
import { parse } from '../../shared/schema/parse.ts';

/** A line of an export. `line` counts from 1. */
export interface ExportLine {
  readonly line: number;
  readonly decision: DecisionRecord;
}

/** Bytes per read, which take about 10 ms of work. */
const CHUNK_BYTES = 1024 * 1024;
/** Far larger than any decision. */
const LONGEST_LINE = 64 * 1024 * 1024;
/**
 * Twice the nesting depth of anything that Gasdesk stores. With deeper JSON, the code that handles it would overflow
 * the stack.
 */
const MAX_LEVELS = 128;
const LINE_FEED = 0x0a;
const EXPECTED = 'A decision export has one decision per line, as "gasdesk decisions export" writes it.';

/** Other kinds of files that users may mistake for an export, by their first characters. */
const OTHER_FILES: readonly (readonly [beginning: string, what: string])[] = [
  ['SQLite format 3\0', 'it is a SQLite database'],
  ['{"format":"gasdesk-log"', 'it is an exported log, which "gasdesk log verify" decides again'],
  ['c2sp.org/tlog-proof@v1', 'it is the receipt of one decision'],
  ['\xff\xfe', 'it is UTF-16 text, not UTF-8; PowerShell writes that when it redirects output'],
];

export const exportError = (line: number, error: string, cause?: unknown): EngineError =>
  new EngineError('EXPORT_INVALID', `Line ${line}: ${error}. ${EXPECTED}`, { line }, { cause });

/** Converts Node's errors for a file that cannot be read, such as `ENOENT`. */
export const asExpected = (error: unknown, file: string): unknown => {
  if (error instanceof EngineError || !(error instanceof Error) || !('syscall' in error)) return error;
  return new EngineError('EXPORT_INVALID', `Cannot read ${file}: ${error.message}`, {}, { cause: error });
};

/** The kind of another file, determined by its first bytes; undefined if the file may be an export. */
const otherFile = (bytes: Buffer): string | undefined => {
  const beginning = bytes.toString('latin1', 0, 32);
  const known = OTHER_FILES.find(([start]) => beginning.startsWith(start));
  return known?.[1] ?? (bytes.includes(0) ? 'it is a binary file' : undefined);
};

const countOf = (character: string, text: string): number => {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1;
  return count;
};

/** True for JSON whose arrays and objects are nested too deeply. For invalid JSON, the result is arbitrary. */
export const isTooDeep = (text: string, bytes: Buffer): boolean => {
  // Fast path: most decisions have fewer brackets in total. Counting is twenty times faster than checking every byte.
  if (countOf('[', text) + countOf('{', text) <= MAX_LEVELS) return false;
  let level = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const character = bytes[at];
    if (inText) {
      if (character === 0x5c /* \ */) at += 1;
      else if (character === 0x22 /* " */) inText = false;
    } else if (character === 0x22) inText = true;
    else if (character === 0x5b /* [ */ || character === 0x7b /* { */) level += 1;
    else if (character === 0x5d /* ] */ || character === 0x7d /* } */) level -= 1;
    if (level > MAX_LEVELS) return true;
  }
  return false;
};

const readLine = (line: number, bytes: Buffer, isCut: boolean): DecisionRecord => {
  if (!isUtf8(bytes)) throw exportError(line, 'it is not UTF-8 text');
  const written = bytes.toString('utf8');
  const text = line === 1 ? withoutByteOrderMark(written) : written;
  if (isTooDeep(text, bytes)) throw exportError(line, `it is nested deeper than ${MAX_LEVELS} levels`);
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    if (isCut) throw exportError(line, 'it is cut off; the file is incomplete', error);
    throw exportError(line, bytes.length === 0 ? 'it is empty' : 'it is not JSON', error);
  }
  try {
    return parse(decisionRecord, value, 'decision');
  } catch (error) {
    throw exportError(line, error instanceof Error ? error.message : 'it is not a decision', error);
  }
};

/** The lines of a file as bytes. `isCut` is true if the file ends in this line, without a line break. */
async function* linesOf(file: string, signal?: AbortSignal): AsyncGenerator<{ bytes: Buffer; isCut: boolean }[]> {
  const handle = await open(file, 'r');
  try {
    let rest: Buffer[] = [];
    let length = 0;
    let isFirst = true;
    let line = 1;
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
      const chunk = buffer.subarray(0, bytesRead);
      const other = isFirst ? otherFile(chunk) : undefined;
      if (other !== undefined) throw exportError(1, other);
      isFirst = false;
      const lines = [];
      let begin = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, begin)) {
        const tail = chunk.subarray(begin, end);
        lines.push({ bytes: rest.length === 0 ? tail : Buffer.concat([...rest, tail]), isCut: false });
        rest = [];
        length = 0;
        begin = end + 1;
      }
      line += lines.length;
      rest.push(chunk.subarray(begin));
      length += chunk.length - begin;
      if (length > LONGEST_LINE) throw exportError(line, `it is longer than ${LONGEST_LINE} bytes`);
      if (bytesRead === 0 && length > 0) lines.push({ bytes: Buffer.concat(rest), isCut: true });
      yield lines;
      if (bytesRead === 0) return;
    }
  } finally {
    await handle.close();
  }
}

/**
 * Reads a decision export in chunks, so that other work never waits for long.
 *
 * @throws EngineError `EXPORT_INVALID` , which names the invalid line, also in `data.line`
 */
export async function* readExport(
  file: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<ExportLine[]> {
  let line = 0;
  for await (const lines of linesOf(file, signal)) {
    yield lines.map(({ bytes, isCut }) => {
      line += 1;
      return { line, decision: readLine(line, bytes, isCut) };
    });
  }
  if (line === 0) throw new EngineError('EXPORT_INVALID', `The file is empty. ${EXPECTED}`);
}
