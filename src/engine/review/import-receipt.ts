import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ReviewInfo, Verification } from '../../api/system.ts';
import { readCheckpoint } from '../../core/log/checkpoint.ts';
import { readEntry } from '../../core/log/entry.ts';
import type { VerifierKey } from '../../core/log/signed-note.ts';
import { type EntryProof, entryProofError, readEntryProof } from '../../core/log/tlog-proof.ts';
import { EngineError } from '../../shared/errors.ts';
import { grouped } from '../../shared/words/amount.ts';
import { logCrypto } from '../log/ed25519.ts';
import { logKeyOf } from '../log/verify-log.ts';
import { createDecisionImport } from '../store/sqlite/decision-import.ts';
import { decisionOfEntry } from './decision-of-entry.ts';
import { isTooDeep } from './export-lines.ts';

/** Far larger than any decision. */
const LARGEST = 64 * 1024 * 1024;

const notAReceipt = (why: string, cause?: unknown): EngineError =>
  new EngineError(
    'EXPORT_INVALID',
    `This is not the receipt of a decision: ${why}. Use a file that "gasdesk decisions receipt" wrote`,
    {},
    { cause },
  );

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const decisionIn = (line: string) => {
  if (isTooDeep(line, Buffer.from(line))) throw notAReceipt('its entry is nested too deep');
  const entry = readEntry(parsed(line));
  if (entry === undefined) throw notAReceipt('it contains no entry of a log');
  if (entry.kind !== 'decision') throw notAReceipt(`its entry is of the kind ${entry.kind}`);
  try {
    return decisionOfEntry(line);
  } catch (error) {
    throw notAReceipt(error instanceof Error ? error.message : 'its decision cannot be read', error);
  }
};

const verificationOf = (proof: EntryProof, key: VerifierKey | undefined, decisionId: string): Verification => {
  const error = entryProofError(proof, key, logCrypto);
  if (error !== undefined) return { state: 'faulty', words: `This receipt proves nothing. ${error}.`, decisionId };
  const { origin = '', size = 0 } = readCheckpoint(proof.checkpoint) ?? {};
  const place = `at position ${grouped(proof.index)}, as the checkpoint of ${grouped(size)} entries says`;
  if (key === undefined) {
    const words = `The receipt says that this decision is in the log of ${origin} ${place}. Its key is unknown: open the file with --key and the key that the operator hands out.`;
    return { state: 'keyNotKnown', words, decisionId: null };
  }
  return { state: 'verified', words: `This decision is in the log of ${origin} ${place}.`, decisionId: null };
};

/**
 * Verifies a receipt, and writes its decision to a new database.
 *
 * @param database path of the database; it must not exist
 * @param keyText the log's key; without it, the checkpoint's signer is not verified
 * @throws EngineError `EXPORT_INVALID` if the file is not a receipt, `VALIDATION` for an invalid key
 */
export const importReceipt = async (file: string, database: string, keyText?: string): Promise<ReviewInfo> => {
  const key = keyText === undefined ? undefined : logKeyOf(keyText);
  const { mtimeMs, size } = await stat(file);
  if (size > LARGEST) throw notAReceipt(`it is longer than ${LARGEST} bytes`);
  const proof = readEntryProof(await readFile(file, 'utf8'));
  if (proof === undefined) throw notAReceipt('it is cut off, or was altered');
  const decision = decisionIn(proof.entry);
  const target = createDecisionImport(database);
  target.add(decision);
  target.finish();
  const verification = verificationOf(proof, key, decision.id);
  return { file: basename(file), savedAt: Math.floor(mtimeMs), from: decision.at, to: decision.at, verification };
};
