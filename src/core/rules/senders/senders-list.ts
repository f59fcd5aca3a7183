import { withoutByteOrderMark } from '../../../shared/byte-order-mark.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';

interface SendersError {
  readonly line: number;
  /** The line, or the damaged address in it. */
  readonly text: string;
  /** Set if the line also contains an address. */
  readonly isDamaged?: true;
}

export interface SendersList {
  /** Lower case, without duplicates, in order of first appearance. */
  readonly addresses: readonly Address[];
  /** Lines without an address, and damaged addresses next to others. At most 20 are listed. */
  readonly errors: readonly SendersError[];
}

const MAX_ERRORS = 20;
const LONGEST_SHOWN = 60;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The words of a line, separated by commas, semicolons or white space, with or without quotes. */
const wordsOf = (line: string): string[] => line.split(/[,;"\s]+/).filter((word) => word !== '');

/** Characters of a hash, which is no damaged address. */
const HASH_LENGTH = 66;

/** The damaged addresses of a line on which each word looks like an address. Other lines have further columns. */
const damagedIn = (words: readonly string[]): string[] =>
  words.every((word) => /^0x/i.test(word))
    ? words.filter((word) => !ADDRESS.test(word) && word.length < HASH_LENGTH)
    : [];

/**
 * Reads accounts from a text file: addresses, one or several per line, or CSV with an address in one of its columns. A
 * first line without an address counts as a header.
 */
export const readSenders = (text: string): SendersList => {
  const addresses = new Set<Address>();
  const errors: SendersError[] = [];
  const lines = withoutByteOrderMark(text).split(/\r\n|\r|\n/);
  const isAlone = lines.filter((line) => line.trim() !== '').length === 1;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const words = wordsOf(line);
    const found = words.filter((word) => ADDRESS.test(word));
    for (const word of found) addresses.add(addressKey(word as Address));
    const isHead = !isAlone && addresses.size === 0 && errors.length === 0 && !line.includes('0x');
    if (errors.length >= MAX_ERRORS) continue;
    if (found.length === 0 && !isHead) errors.push({ line: index + 1, text: line.trim().slice(0, LONGEST_SHOWN) });
    if (found.length === 0) continue;
    const damaged = damagedIn(words).slice(0, MAX_ERRORS - errors.length);
    errors.push(...damaged.map((text) => ({ line: index + 1, text, isDamaged: true as const })));
  }
  return { addresses: [...addresses], errors };
};

/** What is wrong with a line, to be read after "line" or "Line". */
export const sendersErrorWords = ({ line, text, isDamaged }: SendersError): string =>
  `${line} contains ${isDamaged ? 'a damaged address' : 'no address'}: ${text}`;
