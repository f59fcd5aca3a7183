import { encodeBase64 } from 'ethers';
import { type LogCrypto, type VerifierKey, bytesOf, openNote } from './signed-note.ts';

/** The head of a log's tree. A checkpoint signs it. */
export interface TreeHead {
  /** The name of the log. */
  readonly origin: string;
  /** Number of entries that the head covers. */
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

/** The head in a checkpoint, or why the checkpoint cannot be trusted. */
export type OpenedCheckpoint = { readonly head: TreeHead } | { readonly error: string };

const HASH_BYTES = 32;

/** The text that is signed (c2sp.org/tlog-checkpoint): origin, size, and root in base64, one line each. */
export const checkpointText = ({ origin, size, root }: TreeHead): string =>
  `${origin}\n${size}\n${encodeBase64(root)}\n`;

const CHECKPOINT = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([^\n]+)\n(?:[^\n]+\n)*$/;

/** The head in a checkpoint's text; undefined if the text is malformed. */
const parseHead = (text: string): TreeHead | undefined => {
  const [, origin = '', size, encoded = ''] = CHECKPOINT.exec(text) ?? [];
  const root = bytesOf(encoded);
  if (size === undefined || root?.length !== HASH_BYTES) return undefined;
  return { origin, size: Number(size), root };
};

/** The head in a checkpoint whose signature is not verified; undefined if the checkpoint is malformed. */
export const readCheckpoint = (note: string): TreeHead | undefined => {
  const separator = note.lastIndexOf('\n\n');
  return separator < 0 ? undefined : parseHead(note.slice(0, separator + 1));
};

/** Verifies a checkpoint. The name of the log's key is the origin of the log. */
export const openCheckpoint = (note: string, key: VerifierKey, crypto: LogCrypto): OpenedCheckpoint => {
  const opened = openNote(note, key, crypto);
  if ('error' in opened) return opened;
  const head = parseHead(opened.text);
  if (head === undefined) return { error: 'It is signed, but it is not a checkpoint' };
  if (head.origin !== key.name) return { error: `It is of another log: ${head.origin}` };
  return { head };
};
