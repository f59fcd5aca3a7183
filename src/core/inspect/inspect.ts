import { parseExactJson } from '../../shared/schema/decimal.ts';
import { type Address, type Hex, addressKey, isHex } from '../../shared/schema/hex.ts';
import type { Inspection, InspectionReading } from '../../shared/schema/inspection.ts';
import { decodeCalls } from '../calls/decode-calls.ts';
import { aaCodeIn, allEntryPoints, entryPointAt, findAaCode } from '../entry-points/registry.ts';
import { byteLength } from '../user-operation/hex-digits.ts';
import { Unreadable } from './abi-bytes.ts';
import { readBundle } from './bundle.ts';
import type { Clues, Knowledge } from './knowledge.ts';
import { callDataSection } from './operation-fields.ts';
import { bySureness, symbolOf, describeOperation } from './operation.ts';
import { conclude, cutForeignData, isPackedData, modeWords, readPaymasterData } from './paymaster-data.ts';
import { type FoundPart, partsOfJson } from './read-json.ts';
import { aaSection, isKnownError, revertSections } from './revert-data.ts';
import { named, sectionOf, shownField } from './sections.ts';
import { readTransaction } from './transaction.ts';

const ALL_VERSIONS = allEntryPoints.map(({ version }) => version);
/** The maximum number of operations of a bundle that are decoded. */
const MAX_OPERATIONS = 20;

/** Readings that match the text, and the reasons why others do not match. */
type Readings = Pick<Inspection, 'readings' | 'misfits'>;

/** What the reading of a text depends on. */
interface Reader {
  readonly knowledge: Knowledge;
  readonly clues: Clues;
  /** The target of a bundle, if the text contains it. */
  readonly entryPoint?: Address | undefined;
}

const nothing: Readings = { readings: [], misfits: [] };
const one = (reading: InspectionReading): Readings => ({ readings: [reading], misfits: [] });
const misfit = (what: string, why: string): Readings => ({ readings: [], misfits: [{ what, why }] });

const joined = (parts: readonly Readings[]): Readings => ({
  readings: parts.flatMap(({ readings }) => readings),
  misfits: parts.flatMap(({ misfits }) => misfits),
});

const known = (
  what: InspectionReading['what'],
  title: string,
  why: string,
  sections: InspectionReading['sections'],
): InspectionReading => ({ what, title, sureness: 'certain', why, symbol: null, sections });

const asHash = (hash: Hex, { clues }: Reader): Readings => {
  clues.hashes.push(hash);
  const section = sectionOf('Hash', '', {
    values: [named('hash', 'hash', hash, 'A userOpHash, or the hash of a transaction.')],
  });
  const why = 'It has 32 bytes. A decision or the chain shows what was hashed.';
  return one({ ...known('hash', 'A hash of 32 bytes', why, [section]), sureness: 'likely' });
};

const asAddress = (address: Address): Readings => {
  const version = entryPointAt(address)?.version;
  const meaning = version === undefined ? 'An account or a contract.' : `EntryPoint ${version}, on every chain.`;
  const section = sectionOf('Address', '', { values: [named('address', 'address', address, meaning)] });
  return one(
    known('address', version === undefined ? 'An address' : `EntryPoint ${version}`, 'It has 20 bytes.', [section]),
  );
};

/** Decodes calls of handleOps; no reading for other calls. */
const asBundle = (callData: Hex, reader: Reader, to = reader.entryPoint, chainId?: number): Readings => {
  try {
    const bundle = readBundle(callData);
    if (bundle === undefined) return nothing;
    const entryPoint = bundle.entryPoint ?? (entryPointAt(to) === undefined ? undefined : to);
    const operations = bundle.operations
      .slice(0, MAX_OPERATIONS)
      .map(({ op, notes }, index) =>
        describeOperation(
          { op, notes, missing: [], entryPoint, chainId, path: `ops[${index}].` },
          reader.knowledge,
          reader.clues,
        ),
      );
    const { length } = bundle.operations;
    const count = length === 1 ? '1 operation' : `${length} operations`;
    const more = length > MAX_OPERATIONS ? [`Gasdesk decodes only the first ${MAX_OPERATIONS}.`] : [];
    const head = sectionOf(bundle.title, '', { bytes: bundle.bytes, notes: more });
    const reading = known('bundle', `${bundle.title} with ${count}`, 'Its selector and all its bytes match.', [
      head,
      ...operations.flatMap(({ sections }) => sections),
    ]);
    return one({ ...reading, symbol: operations[0]?.symbol ?? null });
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return misfit('a call of handleOps', error.message);
  }
};

const asTransaction = (raw: Hex, reader: Reader): Readings => {
  const transaction = readTransaction(raw);
  if (transaction === undefined) return misfit('a signed transaction', 'it is not a list of the fields (RLP)');
  const { bytes, values, to, data, chainId } = transaction;
  const [inner] = asBundle(data, reader, to, chainId).readings;
  const head = sectionOf('Signed transaction', '', { bytes, values });
  const title = inner === undefined ? 'A signed transaction' : `A signed transaction: ${inner.title}`;
  const within = inner?.sections.map((section, index) => (index === 0 ? { ...section, path: 'data' } : section)) ?? [];
  const reading = known('transaction', title, 'All its bytes match the fields.', [head, ...within]);
  return one({ ...reading, symbol: inner?.symbol ?? null });
};

const asPaymasterData = (value: Hex, { knowledge, clues }: Reader): Readings => {
  const { readings, misfits } = readPaymasterData(value, ALL_VERSIONS);
  const decided = knowledge.decided.find((one) => one.paymasterAndData === value);
  const context = { op: decided?.op, chainId: knowledge.chainId ?? decided?.chainId, decided };
  const described = readings.map((reading): InspectionReading => {
    const { checks, signers, modes, chainId, sureness, why } = conclude(reading, context, knowledge);
    const title = `paymasterAndData: ${modeWords(modes)}`;
    const section = sectionOf(title, '', { bytes: reading.read.fields.map(shownField), checks, values: [...signers] });
    const symbol = chainId === undefined ? null : symbolOf(knowledge, chainId);
    return { what: 'paymasterAndData', title, sureness, why, symbol, sections: [section] };
  });
  const { terms } = readings[0]?.read ?? {};
  if (readings.length > 0) clues.paymasterData.push({ paymasterAndData: value, validAfter: terms?.validAfter });
  if (described.length > 0) return { readings: described, misfits };
  return { readings: foreignData(value), misfits };
};

/** A reading of data that matches no layout, but may be for another paymaster contract. */
const foreignData = (value: Hex): InspectionReading[] => {
  if (!isPackedData(value)) return [];
  const title = 'paymasterAndData of another contract, EntryPoint 0.7 or later';
  const section = sectionOf(title, '', { bytes: cutForeignData(value, false) });
  const why = 'No layout matches, but two plausible gas limits follow an address.';
  return [{ ...known('paymasterAndData', title, why, [section]), sureness: 'possible' }];
};

const NOBODY: Address = `0x${'00'.repeat(20)}`;
/** The newest EntryPoint version, which can run everything that older versions can. */
const NEWEST = ALL_VERSIONS.at(-1);

const asCallData = (callData: Hex): Readings => {
  const decoding = decodeCalls(callData, { sender: NOBODY, entryPointVersion: NEWEST });
  if (decoding.outcome === 'undecodable') return misfit("an account's callData", decoding.detail.replace(/[.]$/, ''));
  const section = callDataSection(callData, NOBODY, NEWEST, '');
  return one({
    ...known('callData', "An account's callData", 'Its selector is that of a known account function.', [section]),
    sureness: 'likely',
  });
};

/** The AA code in the titles of sections. */
const codeOf = (sections: InspectionReading['sections']): string | undefined =>
  sections.map(({ title }) => aaCodeIn(title)).find((code) => code !== undefined);

const errorTitle = (kind: string, sections: InspectionReading['sections']): string => {
  const code = codeOf(sections);
  return `${kind}: ${code === undefined ? (sections[0]?.title ?? '') : `${code} ${findAaCode(code)?.words ?? ''}`}`;
};

const asRevertData = (data: Hex): Readings => {
  if (!isKnownError(data)) return misfit('revert data', 'its first four bytes are not the selector of a known error');
  const sections = revertSections(data);
  return one(
    known('revertData', errorTitle('Revert data', sections), 'Its selector is that of a known error.', sections),
  );
};

const SELECTOR = 4;

const ofBytes = (value: Hex, reader: Reader): Readings => {
  const length = byteLength(value);
  if (length === 0) return misfit('anything', 'no byte follows 0x');
  if (length === 32) return asHash(value, reader);
  if (length === 20) return asAddress(value);
  if (length < SELECTOR) return misfit('anything', 'fewer than four bytes name no function and no error');
  const revert = asRevertData(value);
  if (revert.readings.length > 0) return revert;
  const bundle = asBundle(value, reader);
  if (bundle.readings.length > 0) return bundle;
  const transaction = asTransaction(value, reader);
  if (transaction.readings.length > 0) return transaction;
  const others = [asPaymasterData(value, reader), asCallData(value)];
  return joined([...others, revert, bundle, transaction]);
};

const BYTES = /0x[\da-fA-F]{8,}/g;

/** Reads a text that reports an error, as an AA code, as revert data, or as both. */
const asErrorText = (text: string): Readings => {
  const data = [...text.matchAll(BYTES)]
    .map(([hex]) => hex.toLowerCase())
    .find((hex) => isHex(hex) && isKnownError(hex));
  const fromData = data === undefined ? [] : revertSections(data as Hex);
  const code = aaCodeIn(text);
  const isNew = code !== undefined && code !== codeOf(fromData);
  const sections = [...(isNew ? [aaSection(code, '')] : []), ...fromData];
  if (sections.length === 0) return misfit('an error', 'it contains neither an AA code nor revert data');
  return one(
    known('error', errorTitle('An error', sections), 'The code is in the error tables of EntryPoints.', sections),
  );
};

const atPath = (path: string, found: Readings): Readings => ({
  ...found,
  readings: found.readings.map((reading) => ({
    ...reading,
    sections: reading.sections.map((section) => ({
      ...section,
      path: [path, section.path].filter((step) => step !== '').join('.'),
    })),
  })),
});

const ofPart = (part: FoundPart, reader: Reader): Readings => {
  if (part.kind === 'error')
    return misfit(part.path === '' ? 'a user operation' : `a user operation at ${part.path}`, part.why);
  if (part.kind === 'operation') {
    return one({ what: 'userOperation', ...describeOperation(part.found, reader.knowledge, reader.clues) });
  }
  const chainId = reader.knowledge.chainId ?? part.chainId;
  const knowledge = { ...reader.knowledge, ...(chainId !== undefined && { chainId }) };
  const { entryPoint } = part;
  return atPath(part.path, ofText(part.text, { ...reader, knowledge, entryPoint }));
};

const ofJson = (text: string, reader: Reader): Readings => {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : 'it cannot be parsed';
    return joined([misfit('JSON', why), asErrorText(text)]);
  }
  const parts = partsOfJson(value);
  if (parts.length > 0) return joined(parts.map((part) => ofPart(part, reader)));
  return joined([
    misfit('JSON', 'it contains no user operation, paymaster data, transaction or error'),
    asErrorText(text),
  ]);
};

const HEX_DIGITS = /^(?:0x)?[\da-fA-F]+$/i;
const LEAST_BARE_DIGITS = 40;

const ofHex = (text: string, reader: Reader): Readings => {
  const digits = text.replace(/^0x/i, '').toLowerCase();
  if (digits.length % 2 === 1) {
    return misfit('bytes', `it has ${digits.length} hex digits, an odd number: the last one, or the first, is missing`);
  }
  return ofBytes(`0x${digits}`, reader);
};

const ofText = (given: string, reader: Reader): Readings => {
  const text = given.trim();
  if (text === '0x' || (HEX_DIGITS.test(text) && (/^0x/i.test(text) || text.length >= LEAST_BARE_DIGITS))) {
    return ofHex(text, reader);
  }
  if (/^[[{]/.test(text)) return ofJson(text, reader);
  const quoted = /^["'](0x[\da-fA-F]*)["'],?$/.exec(text)?.[1];
  if (quoted !== undefined) return ofHex(quoted, reader);
  return asErrorText(text);
};

const titleOf = ({ readings: [first, second] }: Readings): string => {
  if (first === undefined) return 'Not recognised';
  return second?.sureness === first.sureness && second.what === first.what ? `${first.title}, and others` : first.title;
};

/**
 * Identifies and decodes a text: paymaster data, operations, bundles, transactions, hashes, revert data and AA codes.
 * Never throws because of the text: `misfits` says which readings failed, and why.
 * @param text at most `MAX_INSPECTED` characters
 */
export const inspect = (text: string, knowledge: Knowledge): { inspection: Inspection; clues: Clues } => {
  const clues: Clues = { hashes: [], paymasterData: [], operations: [] };
  const found = ofText(text, { knowledge, clues });
  const readings = found.readings.toSorted(bySureness);
  return { inspection: { title: titleOf({ ...found, readings }), readings, misfits: found.misfits }, clues };
};

/** The addresses in an inspection, lower case. */
export const addressesIn = ({ readings }: Inspection): ReadonlySet<Address> =>
  new Set(
    readings.flatMap(({ sections }) =>
      sections.flatMap(({ bytes, values, calls }) => [
        ...[...bytes, ...values]
          .filter(({ kind }) => kind === 'address')
          .map(({ value }) => addressKey(value as Address)),
        ...calls.map(({ target }) => addressKey(target as Address)),
      ]),
    ),
  );
