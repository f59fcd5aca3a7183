import type { LogFault } from './log-report.ts';
import { type LogCrypto, type VerifierKey, verifierKeyText } from './signed-note.ts';

/** Claims in the head of an exported log. */
interface FileHead {
  readonly origin: string;
  readonly key: string;
  readonly to: number;
}

/** The false claims in a file's head, given the key that verified the file, and that its entries end before `end`. */
export const headFaults = (
  { origin, key, to }: FileHead,
  verified: { readonly key: VerifierKey; readonly crypto: LogCrypto; readonly end: number },
): LogFault[] => {
  const { name } = verified.key;
  const expected = verifierKeyText(verified.key, verified.crypto.sha256);
  const details = [
    key !== expected && `The head of the file names another key than ${expected}, by which it is verified`,
    origin !== name && `The head of the file names another log than ${name}`,
    to !== verified.end && `The head of the file ends it before entry ${to}, and it ends before entry ${verified.end}`,
  ].filter((detail) => detail !== false);
  return details.map((detail) => ({ entry: null, id: null, fault: 'HEAD_DIFFERS', detail }));
};
