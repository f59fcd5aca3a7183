import type { Address, Hex } from '../../shared/schema/hex.ts';
import { DecodeError } from './decode-error.ts';

const WORD = 32;
const ADDRESS_LENGTH = 20;

/**
 * The maximum number of calls that are decoded from one operation. The block gas limit allows fewer. This bounds the
 * work that hostile input can cause.
 */
export const MAX_CALLS = 1000;

/**
 * Strict reader of Solidity ABI encoding (Contract ABI Specification) over a range of the callData. All readers are
 * views of one buffer, so several offsets to the same bytes cause no copies. Positions and ABI offsets are in bytes
 * from the start of the range. Every method throws `DecodeError` instead of reading outside the range, masking dirty
 * bytes or padding missing bytes.
 */
export class AbiReader {
  /** Lower-case hex digits, two per byte. */
  readonly #callData: string;
  readonly #start: number;
  readonly #end: number;

  /**
   * A view of `callData` (lower-case hex digits) from byte `start` up to, but not including, `end`, which must lie
   * inside it.
   */
  constructor(callData: string, start = 0, end = callData.length / 2) {
    this.#callData = callData;
    this.#start = start;
    this.#end = end;
  }

  /** Number of bytes in the range. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** The range of `length` bytes at `position`; by default up to the end. */
  slice(position: number, length: number = Math.max(0, this.length - position)): AbiReader {
    const start = this.#start + position;
    const end = start + length;
    if (end > this.#end) this.#refuse(end);
    return new AbiReader(this.#callData, start, end);
  }

  /** The whole range as hex. Only this method copies bytes. */
  hex(): Hex {
    return `0x${this.#callData.slice(2 * this.#start, 2 * this.#end)}`;
  }

  /** Reads the word at `position` as an unsigned number. */
  uint256(position: number): bigint {
    return BigInt(this.slice(position, WORD).hex());
  }

  uint8(position: number): number {
    const word = this.uint256(position);
    if (word > 0xffn) throw new DecodeError('MALFORMED_CALL_DATA', 'A number of 8 bits has higher bits set.');
    return Number(word);
  }

  address(position: number): Address {
    const word = this.slice(position, WORD).hex();
    if (!word.startsWith('0x000000000000000000000000')) {
      throw new DecodeError('MALFORMED_CALL_DATA', 'The 12 bytes above an address are not zero.');
    }
    return `0x${word.slice(26)}`;
  }

  /** Reads an address of 20 bytes, as in `abi.encodePacked`. */
  packedAddress(position: number): Address {
    return this.slice(position, ADDRESS_LENGTH).hex();
  }

  /** The range that starts at the target of the offset word at `position`, and ends where this range ends. */
  tail(position: number): AbiReader {
    return this.slice(this.size(position));
  }

  /** The `bytes` whose offset word is at `position`, cut to their declared length. */
  bytes(position: number): AbiReader {
    const tail = this.tail(position);
    return tail.slice(WORD, tail.size(0));
  }

  /**
   * The array whose offset word is at `position`: its item count, and the range that starts at its first item. Each
   * item takes at least one word.
   */
  array(position: number): { count: number; items: AbiReader } {
    const tail = this.tail(position);
    const count = tail.size(0);
    tail.slice(WORD, count * WORD);
    if (count > MAX_CALLS) throw new DecodeError('TOO_MANY_CALLS', `A batch holds ${count} calls, over ${MAX_CALLS}.`);
    return { count, items: tail.slice(WORD) };
  }

  /** Reads a word that is a size or an offset. Throws if it exceeds the size of the callData. */
  size(position: number): number {
    if (!this.isSize(position)) {
      throw new DecodeError('MALFORMED_CALL_DATA', 'An offset or a length points past the end of the callData.');
    }
    return Number(this.uint256(position));
  }

  /** False if the word at `position` exceeds the size of the callData. */
  isSize(position: number): boolean {
    return this.uint256(position) <= BigInt(this.#callData.length / 2);
  }

  #refuse(end: number): never {
    if (end <= this.#callData.length / 2) {
      throw new DecodeError(
        'HIDDEN_CALLS',
        'A batch points outside its declared bytes, at bytes that some accounts would run as calls.',
      );
    }
    throw new DecodeError('MALFORMED_CALL_DATA', 'The callData ends before what it announces.');
  }
}
