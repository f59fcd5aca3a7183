import type { DecodedCall, Decoding } from '../calls/decoding.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { InspectionSection, NamedBytes, NamedValue } from '../../shared/schema/inspection.ts';
import type { FieldKind, ReadField } from '../paymaster-layouts/data-fields.ts';

/** A section with the given parts. All other parts are empty. */
export const sectionOf = (
  title: string,
  path: string,
  parts: Partial<Omit<InspectionSection, 'title' | 'path'>> = {},
): InspectionSection => ({ title, path, bytes: [], values: [], checks: [], calls: [], notes: [], ...parts });

/** The displayed kind for each kind of layout field. */
const KINDS: Readonly<Record<FieldKind, NamedBytes['kind']>> = {
  ...({ address: 'address', number: 'number', time: 'time', gas: 'gas' } as const),
  ...({ signature: 'bytes', padding: 'bytes', fixed: 'number' } as const),
};

export const shownField = ({ name, offset, length, hex, kind, words, meaning }: ReadField): NamedBytes => ({
  name,
  offset,
  length,
  hex,
  kind: KINDS[kind] === 'number' && !/^\d+$/.test(words) ? 'text' : KINDS[kind],
  value: words,
  meaning,
});

/** Splits bytes into consecutive named parts. The last name covers the remaining bytes. */
export const cutBytes = (
  hex: Hex,
  parts: readonly (Pick<NamedBytes, 'name' | 'kind' | 'meaning'> & { readonly length?: number })[],
): NamedBytes[] => {
  const total = hex.length / 2 - 1;
  const cut: NamedBytes[] = [];
  let offset = 0;
  for (const { name, kind, meaning, length = total - offset } of parts) {
    const end = Math.min(total, offset + length);
    if (end === offset) break;
    const bytes: Hex = `0x${hex.slice(2 + 2 * offset, 2 + 2 * end)}`;
    cut.push({ name, offset, length: end - offset, hex: bytes, kind, value: valueOf(kind, bytes), meaning });
    offset = end;
  }
  return cut;
};

/** The value of bytes, according to their kind. An address is in the last 20 bytes. */
export const valueOf = (kind: NamedBytes['kind'], hex: Hex): string => {
  if (kind === 'bytes' || kind === 'text') return '';
  if (kind === 'hash') return hex;
  return kind === 'address' ? `0x${hex.slice(2).slice(-40)}` : String(BigInt(`0x0${hex.slice(2)}`));
};

export const named = (
  name: string,
  kind: NamedValue['kind'],
  value: bigint | number | string,
  meaning: string,
): NamedValue => ({ name, kind, value: String(value), meaning });

const describeCall = ({ target, value, data, operation }: DecodedCall): InspectionSection['calls'][number] => ({
  target,
  contract: null,
  method: null,
  args: null,
  valueWei: String(value),
  data,
  operation,
});

/** The calls to show in a section, or why none are shown. */
export const callParts = (decoding: Decoding): Pick<InspectionSection, 'calls' | 'notes'> =>
  decoding.outcome === 'undecodable'
    ? { calls: [], notes: [`Gasdesk cannot decode its calls: ${decoding.detail}`] }
    : { calls: decoding.calls.map(describeCall), notes: decoding.calls.length === 0 ? ['It makes no call.'] : [] };
