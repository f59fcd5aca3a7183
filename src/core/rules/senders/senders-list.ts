import { withoutByteOrderMark } from '../../../shared/byte-order-mark.ts';
import { type Address, addressKey } from '../../../shared/schema/hex.ts';

export interface SendersList {
  /** Lower case, without duplicates, in order of first appearance. */
  readonly addresses: readonly Address[];
  /** Cells that should be addresses but are not. At most 20 are listed. */
  readonly errors: readonly { readonly line: number; readonly text: string }[];
}

const MAX_ERRORS = 20;
const LONGEST_SHOWN = 60;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The cells of a CSV line, separated by commas, semicolons or tabs, with or without quotes. */
const cellsOf = (line: string): string[] => line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));

/**
 * Reads accounts from a text file: one address per line, or CSV with an address in one of its columns. A first line
 * without an address counts as a header.
 */
export const readSenders = (text: string): SendersList => {
  const addresses = new Set<Address>();
  const errors: { line: number; text: string }[] = [];
  const lines = withoutByteOrderMark(text).split(/\r\n|\r|\n/);
  const isAlone = lines.filter((line) => line.trim() !== '').length === 1;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const found = cellsOf(line).filter((cell) => ADDRESS.test(cell));
    for (const cell of found) addresses.add(addressKey(cell as Address));
    const isHead = !isAlone && addresses.size === 0 && errors.length === 0 && !line.includes('0x');
    if (found.length === 0 && !isHead && errors.length < MAX_ERRORS) {
      errors.push({ line: index + 1, text: line.trim().slice(0, LONGEST_SHOWN) });
    }
  }
  return { addresses: [...addresses], errors };
};
