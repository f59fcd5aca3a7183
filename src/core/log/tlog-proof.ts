import { encodeBase64, toUtf8Bytes, toUtf8String } from 'ethers';
import { type OpenedCheckpoint, openCheckpoint, readCheckpoint } from './checkpoint.ts';
import { isIncluded, leafHash } from './merkle-tree.ts';
import { type LogCrypto, type VerifierKey, bytesOf } from './signed-note.ts';

/** A proof that an entry is in a log. To verify it, only the log's key is needed. */
export interface EntryProof {
  /** The entry's line, without the line break. */
  readonly entry: string;
  readonly index: number;
  /** The hashes on the path from the entry to the root. The sibling of the entry comes first. */
  readonly hashes: readonly Uint8Array[];
  /** A signed checkpoint that covers the entry. */
  readonly checkpoint: string;
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';

/** The text of a proof (c2sp.org/tlog-proof). The entry is its `extra`. */
export const entryProofText = ({ entry, index, hashes, checkpoint }: EntryProof): string =>
  [
    FIRST_LINE,
    `extra ${encodeBase64(toUtf8Bytes(entry))}`,
    `index ${index}`,
    ...hashes.map((hash) => encodeBase64(hash)),
    '',
    checkpoint,
  ].join('\n');

const HEAD = /^extra (\S*)\nindex (0|[1-9]\d{0,15})\n((?:\S+\n)*)\n/;

/** In a tree of 2^53 entries, no path is longer. */
const MAX_HASHES = 53;

const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return toUtf8String(bytes);
  } catch {
    return undefined;
  }
};

/** Parses the text of a proof; undefined if it is malformed or lacks the entry. */
export const readEntryProof = (text: string): EntryProof | undefined => {
  if (!text.startsWith(`${FIRST_LINE}\n`)) return undefined;
  const rest = text.slice(FIRST_LINE.length + 1);
  const [head, extra = '', index, lines = ''] = HEAD.exec(rest) ?? [];
  if (head === undefined) return undefined;
  const bytes = bytesOf(extra);
  const entry = bytes && utf8(bytes);
  const encoded = lines.split('\n').slice(0, -1);
  const hashes = encoded.slice(0, MAX_HASHES + 1).map((line) => bytesOf(line));
  if (entry === undefined || encoded.length > MAX_HASHES) return undefined;
  if (!hashes.every((hash) => hash !== undefined)) return undefined;
  return { entry, index: Number(index), hashes, checkpoint: rest.slice(head.length) };
};

const unsigned = (checkpoint: string): OpenedCheckpoint => {
  const head = readCheckpoint(checkpoint);
  return head === undefined ? { error: 'It is not a checkpoint' } : { head };
};

/**
 * Why a proof does not prove its entry; undefined if it does.
 * @param key undefined: the checkpoint's signature is not verified
 */
export const entryProofError = (
  proof: EntryProof,
  key: VerifierKey | undefined,
  crypto: LogCrypto,
): string | undefined => {
  const { entry, index, hashes, checkpoint } = proof;
  const opened = key === undefined ? unsigned(checkpoint) : openCheckpoint(checkpoint, key, crypto);
  if ('error' in opened) return `The checkpoint cannot be trusted. ${opened.error}`;
  const leaf = { index, hash: leafHash(toUtf8Bytes(entry), crypto.sha256) };
  if (isIncluded(leaf, opened.head, hashes, crypto.sha256)) return undefined;
  return 'The entry is not the one that the checkpoint covers';
};
