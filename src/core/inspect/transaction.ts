import { Transaction } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { NamedBytes, NamedValue } from '../../shared/schema/inspection.ts';
import { byteLength } from '../user-operation/hex-digits.ts';
import { named, valueOf } from './sections.ts';

type Field = Pick<NamedBytes, 'name' | 'kind' | 'meaning'>;

const field = (name: string, kind: NamedBytes['kind'], meaning: string): Field => ({ name, kind, meaning });

const CHAIN = field('chainId', 'number', 'Id of the chain on which the transaction is valid.');
const NONCE = field('nonce', 'number', "The sender's transaction count.");
const FEES = [
  field('maxPriorityFeePerGas', 'wei', 'Maximum price above the base fee, in wei per gas.'),
  field('maxFeePerGas', 'wei', 'Maximum price in wei per gas.'),
];
const GAS_PRICE = field('gasPrice', 'wei', 'Wei per gas.');
const BODY = [
  field('gasLimit', 'gas', 'Maximum gas that the transaction may use.'),
  field('to', 'address', 'The contract that is called; for a bundle, the EntryPoint.'),
  field('value', 'wei', 'Amount of the native coin that is sent.'),
  field('data', 'bytes', 'Calldata for the contract.'),
];
const ACCESS = field('accessList', 'bytes', 'Storage that the transaction accesses (EIP-2930).');
const BLOBS = [
  field('maxFeePerBlobGas', 'wei', 'Maximum price of blob gas, in wei per gas (EIP-4844).'),
  field('blobVersionedHashes', 'bytes', 'Hashes of the blobs.'),
];
const AUTHORIZATIONS = field('authorizationList', 'bytes', 'Accounts that delegate to a contract (EIP-7702).');
const SIGNATURE = [
  field('r', 'bytes', 'First half of the signature.'),
  field('s', 'bytes', 'Second half of the signature.'),
];
const LEGACY_V = field('v', 'number', 'Determines which of two possible keys signed, and the chain (EIP-155).');
const PARITY = field('yParity', 'number', 'Determines which of two possible keys signed.');

/** The fields of a transaction, by transaction type (EIP-2718). */
const FIELDS: readonly (readonly Field[])[] = [
  [NONCE, GAS_PRICE, ...BODY, LEGACY_V, ...SIGNATURE],
  [CHAIN, NONCE, GAS_PRICE, ...BODY, ACCESS, PARITY, ...SIGNATURE],
  [CHAIN, NONCE, ...FEES, ...BODY, ACCESS, PARITY, ...SIGNATURE],
  [CHAIN, NONCE, ...FEES, ...BODY, ACCESS, ...BLOBS, PARITY, ...SIGNATURE],
  [CHAIN, NONCE, ...FEES, ...BODY, ACCESS, AUTHORIZATIONS, PARITY, ...SIGNATURE],
];

/** Position of the payload in an RLP item. */
interface Item {
  readonly start: number;
  readonly end: number;
}

const byteAt = (data: Hex, at: number): number => Number.parseInt(data.slice(2 + 2 * at, 4 + 2 * at), 16);

const SHORT = 55;
/** The smallest first byte of an RLP list. */
const LIST = 0xc0;
const ADDRESS_LENGTH = 20;

/** The RLP item at a byte (Yellow Paper, appendix B); undefined if it is truncated. */
const itemAt = (data: Hex, at: number): Item | undefined => {
  const first = byteAt(data, at);
  if (Number.isNaN(first)) return undefined;
  if (first < 0x80) return { start: at, end: at + 1 };
  const base = first < LIST ? 0x80 : LIST;
  const ofLength = first - base - SHORT;
  const start = at + 1 + Math.max(0, ofLength);
  const length = ofLength <= 0 ? first - base : Number.parseInt(data.slice(4 + 2 * at, 2 + 2 * start), 16);
  const end = start + length;
  return end <= byteLength(data) ? { start, end } : undefined;
};

export interface SignedTransaction {
  readonly bytes: NamedBytes[];
  readonly values: NamedValue[];
  readonly chainId: number | undefined;
  readonly to: Address | undefined;
  readonly data: Hex;
}

const recovered = (raw: Hex): Transaction | undefined => {
  try {
    return Transaction.from(raw);
  } catch {
    return undefined;
  }
};

/** The fields in an RLP list, as named ranges of bytes; undefined if the list does not have these fields. */
const readList = (raw: Hex, from: number, fields: readonly Field[]): NamedBytes[] | undefined => {
  const list = itemAt(raw, from);
  if (list?.end !== byteLength(raw) || byteAt(raw, from) < LIST) return undefined;
  const bytes = [...runOf(raw, from, list.start, field('header', 'bytes', 'Length of the list of fields (RLP).'))];
  let at = list.start;
  for (const one of fields) {
    const item = at < list.end ? itemAt(raw, at) : undefined;
    if (item === undefined) return undefined;
    const header = field(`header of ${one.name}`, 'bytes', 'Length of the field (RLP).');
    bytes.push(...runOf(raw, at, item.start, header), ...runOf(raw, item.start, item.end, one));
    at = item.end;
  }
  return at === list.end ? bytes : undefined;
};

/** A named range of bytes; empty if the range is empty. */
const runOf = (raw: Hex, from: number, to: number, { name, kind, meaning }: Field): NamedBytes[] => {
  const hex: Hex = `0x${raw.slice(2 + 2 * from, 2 + 2 * to)}`;
  return to > from ? [{ name, offset: from, length: to - from, hex, kind, value: valueOf(kind, hex), meaning }] : [];
};

const TYPE = field('type', 'number', 'The kind of transaction (EIP-2718).');

/**
 * Decodes a signed transaction in the format in which it is sent; undefined if the bytes are not such a transaction.
 */
export const readTransaction = (raw: Hex): SignedTransaction | undefined => {
  const first = byteAt(raw, 0);
  const isLegacy = first >= LIST;
  const fields = FIELDS[isLegacy ? 0 : first];
  const bytes = fields && readList(raw, isLegacy ? 0 : 1, fields);
  if (bytes === undefined) return undefined;
  const hexOf = (name: string): Hex => (bytes.find((one) => one.name === name)?.hex ?? '0x') as Hex;
  const sent = recovered(raw);
  const chainId = sent === undefined ? 0 : Number(sent.chainId);
  return {
    bytes: isLegacy ? bytes : [...runOf(raw, 0, 1, TYPE), ...bytes],
    values: [
      ...(sent?.hash ? [named('hash', 'hash', sent.hash, 'Identifies the transaction on its chain.')] : []),
      ...(sent?.from ? [named('from', 'address', sent.from, 'Who signed it: the bundler.')] : []),
    ],
    chainId: Number.isSafeInteger(chainId) && chainId > 0 ? chainId : undefined,
    to: byteLength(hexOf('to')) === ADDRESS_LENGTH ? hexOf('to') : undefined,
    data: hexOf('data'),
  };
};
