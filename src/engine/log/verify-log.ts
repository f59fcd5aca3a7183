import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Caller } from '../../api/index.ts';
import { LONGEST_END, RECEIPT_START, findCheckpoint } from '../../core/log/find-checkpoint.ts';
import { headFaults } from '../../core/log/head-check.ts';
import type { Entry } from '../../core/log/entry.ts';
import { parseVerifierKey, type VerifierKey } from '../../core/log/signed-note.ts';
import type { LogReport } from '../../core/log/log-report.ts';
import { LogVerifier, type VerifyOptions } from '../../core/log/verify.ts';
import { EngineError } from '../../shared/errors.ts';
import { sha256 } from '../base/sha256.ts';
import { version as engine } from '../base/version.ts';
import { accountFaults } from './stored-faults.ts';
import { nativeRecoverSigner } from '../signer/recover-signer.ts';
import { logCrypto } from './ed25519.ts';
import { MEND_ROLLBACK } from './rollback.ts';

export interface LogCheck {
  /** The log's key, as published by its operator. Default: the key in the log. */
  readonly key?: string | undefined;
  readonly withSignatures: boolean;
  /** An earlier checkpoint, receipt or export that the log must extend. */
  readonly since?: string | undefined;
}

export interface LogReader {
  /** Called for every line. `entry` is undefined if the line is not a log entry. */
  readonly entry?: (line: Buffer, entry: Entry | undefined) => void;
  /** Called from time to time with the number of bytes read. */
  readonly progress?: (bytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

const LINE_BREAK = 10;
/** No entry is longer than this. Even a policy with the largest ABIs that Gasdesk accepts is far shorter. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** Lines of a file as bytes, without their line breaks. */
async function* linesOf(file: string, { progress, signal }: LogReader): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    let data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = data.indexOf(LINE_BREAK); end >= 0; end = data.indexOf(LINE_BREAK)) {
      yield data.subarray(0, end);
      data = data.subarray(end + 1);
    }
    if (data.length > LONGEST_LINE) throw notALog(file, `a line is longer than ${LONGEST_LINE} bytes`);
    rest = data;
    bytes += chunk.length;
    progress?.(bytes);
  }
  if (rest.length > 0) yield rest;
}

const notALog = (file: string, why: string): EngineError =>
  new EngineError(
    'EXPORT_INVALID',
    `${file} is not an exported log: ${why}. Use a file that "gasdesk log export" wrote`,
    { file },
  );

const hashes = z.array(z.base64().length(44)).max(128);
const headSchema = z.strictObject({
  format: z.literal('gasdesk-log'),
  version: z.literal(1),
  origin: z.string(),
  key: z.string(),
  from: z.int().min(0),
  to: z.int().min(0),
  before: hashes,
  after: hashes,
});
const endSchema = z.strictObject({ checkpoint: z.string() });

const jsonOf = (line: Buffer | undefined): unknown => {
  try {
    return JSON.parse(line?.toString() ?? '');
  } catch {
    return undefined;
  }
};

/** The key in an exported file. @throws EngineError `EXPORT_INVALID` */
const ownKeyOf = (file: string, text: string): VerifierKey => {
  const key = parseVerifierKey(text, sha256);
  if (key === undefined) throw notALog(file, 'its head names no key');
  return key;
};

/** The key in a text. @throws EngineError `VALIDATION` */
export const logKeyOf = (text: string): VerifierKey => {
  const key = parseVerifierKey(text, sha256);
  if (key !== undefined) return key;
  throw new EngineError(
    'VALIDATION',
    'This is not the key of a log. Use what "gasdesk log key" prints, such as gasdesk/…+1234abcd+AAAA…',
  );
};

/**
 * Finds the checkpoint in a file from an earlier time: a checkpoint, a receipt, or an export, which ends with a
 * checkpoint.
 *
 * @throws EngineError `EXPORT_INVALID`
 */
export const checkpointIn = async (file: string): Promise<string> => {
  const handle = await open(file).catch((cause: unknown) => {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('EXPORT_INVALID', `Cannot read ${file}: ${detail}`, { file }, { cause });
  });
  try {
    const { size } = await handle.stat();
    const isReceipt = (await readAt(handle, 0, RECEIPT_START.length)).toString() === RECEIPT_START;
    const from = isReceipt && size <= LONGEST_LINE ? 0 : Math.max(0, size - LONGEST_END);
    const found = findCheckpoint((await readAt(handle, from, size - from)).toString());
    if (found !== undefined) return found;
  } finally {
    await handle.close();
  }
  const words = `${file} is not a checkpoint, a receipt or a complete export of a log`;
  throw new EngineError('EXPORT_INVALID', words, { file });
};

const readAt = async (handle: FileHandle, position: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
};

/** Options of the verifier. @throws EngineError as {@link checkpointIn} */
const optionsOf = async (key: VerifierKey, { withSignatures, since }: LogCheck): Promise<VerifyOptions> => ({
  key,
  crypto: logCrypto,
  engine,
  withSignatures,
  recover: nativeRecoverSigner,
  ...(since !== undefined && { since: await checkpointIn(since) }),
});

const bytesOf = (encoded: readonly string[]): Buffer[] => encoded.map((hash) => Buffer.from(hash, 'base64'));

/**
 * Verifies an exported log. Needs only the file.
 *
 * @param reader gets every line and entry, even invalid ones
 * @throws EngineError `EXPORT_INVALID` if the file is not an exported log, `VALIDATION` for an invalid key
 */
export const verifyLogFile = async (file: string, check: LogCheck, reader: LogReader = {}): Promise<LogReport> => {
  const lines = linesOf(file, reader);
  const first = await lines.next().catch((error: unknown) => {
    reader.signal?.throwIfAborted();
    if (error instanceof EngineError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new EngineError('EXPORT_INVALID', `Cannot read ${file}: ${why}`, { file }, { cause: error });
  });
  const head = headSchema.safeParse(jsonOf(first.value as Buffer | undefined));
  if (!head.success) throw notALog(file, 'its first line is not the head of an exported log');
  const { from, before, after } = head.data;
  const verifierKey = check.key === undefined ? ownKeyOf(file, head.data.key) : logKeyOf(check.key);
  const options = await optionsOf(verifierKey, check);
  const verifier = new LogVerifier({ ...options, from, before: bytesOf(before) });
  const add = (line: Buffer): void => {
    // Invalid UTF-8 cannot be an entry, because readers would decode it to different texts.
    const entry = verifier.add({ text: isUtf8(line) ? line.toString() : '', bytes: line });
    reader.entry?.(line, entry);
  };
  let waiting: Buffer | undefined;
  for await (const line of lines) {
    if (waiting !== undefined) add(waiting);
    waiting = line;
  }
  const end = endSchema.safeParse(jsonOf(waiting));
  if (end.success) {
    const report = verifier.finish(end.data.checkpoint, bytesOf(after));
    const faults = [...report.faults, ...headFaults(head.data, { ...options, end: verifier.size })];
    return { ...report, ok: faults.length === 0, faults };
  }
  // A truncated file ends with an entry, or a part of one.
  if (waiting !== undefined) add(waiting);
  return verifier.finish(undefined);
};

/** A log that was rolled back is consistent, and does not show which entries are missing. */
const withRollback = async (call: Caller, report: LogReport): Promise<LogReport> => {
  const { rollback } = await call('log.state', {});
  if (rollback === null) return report;
  const lost = { entry: null, id: null, fault: 'ROLLED_BACK', detail: `${rollback}. ${MEND_ROLLBACK}.` } as const;
  return { ...report, ok: false, faults: [lost, ...report.faults] };
};

const samePolicies = (
  stored: readonly { readonly paymasterId: string; readonly hash: string }[],
  entered: NonNullable<LogVerifier['policyHistory']>,
): boolean =>
  stored.length === entered.length &&
  stored.every(({ paymasterId, hash }, index) => paymasterId === entered[index]?.[0] && hash === entered[index][1]);

const checkAccounts = async (
  call: Caller,
  verifier: LogVerifier,
  readUpTo: (entries: number) => Promise<void>,
): Promise<void> => {
  const { entries, accounts } = await call('log.accounts', {});
  await readUpTo(entries);
  const computed = verifier.accounts;
  if (computed === undefined) return;
  for (const detail of accountFaults(accounts, computed, verifier.accountGroups)) verifier.addStoredFault(detail);
};

/**
 * Compares the data that the database stores in addition to the log with the entries.
 *
 * @param readUpTo reads entries that were added meanwhile
 */
const checkStored = async (
  call: Caller,
  verifier: LogVerifier,
  readUpTo: (entries: number) => Promise<void>,
): Promise<void> => {
  await checkAccounts(call, verifier, readUpTo);
  let after = 0;
  for (;;) {
    const { rows, faults, upTo, entries } = await call('log.rows', { after });
    if (rows.length === 0) break;
    await readUpTo(entries);
    for (const { id, detail } of faults) verifier.addStoredFault(detail, id);
    for (const { id, ...row } of rows) {
      const known = verifier.settlementOf(id);
      if (!verifier.hasDecision(id))
        verifier.addStoredFault(`The database has a decision without a log entry: ${id}`, id);
      else if (!isDeepStrictEqual(row, known)) {
        verifier.addStoredFault(`The database has it ${row.settlement ?? 'not sponsored'}, and the log otherwise`, id);
      }
    }
    after = upTo;
  }
  const { changes, revisions, faults, entries } = await call('log.stored', {});
  await readUpTo(entries);
  for (const detail of faults) verifier.addStoredFault(detail);
  for (const hash of revisions) {
    if (!verifier.hasPolicy(hash)) verifier.addStoredFault(`The database has a policy without a log entry: ${hash}`);
  }
  const entered = verifier.policyHistory;
  if (entered !== undefined && !samePolicies(changes, entered))
    verifier.addStoredFault('The history of policies in the database differs from the log');
};

/** A new or restored desk has no checkpoint until it has run for some seconds. */
const UNSIGNED =
  'the log is cut off, or was not signed yet. Gasdesk signs it within 10 s of the first start, and of the first start after a restore';

/**
 * Verifies the log. Compares it with all its checkpoints, with the other data in the database, and with the end of the
 * log at the engine's last write.
 *
 * @throws EngineError `VAULT_LOCKED` if no key is given and the log's key cannot be read; `VALIDATION` for an invalid key;
 * `EXPORT_INVALID` if `since` contains no checkpoint
 */
export const verifyDesk = async (call: Caller, check: LogCheck): Promise<LogReport> => {
  const key = logKeyOf(check.key ?? (await call('log.key', {})).key);
  const verifier = new LogVerifier(await optionsOf(key, check));
  let checkpoints = await call('log.checkpoints', {});
  const isSigned = checkpoints.length > 0;
  const read = async (to?: number): Promise<boolean> => {
    const lines = await call('log.page', { from: verifier.size, ...(to !== undefined && { to }) });
    for (const { text, hash } of lines) {
      verifier.add({ text, bytes: Buffer.from(text), hash });
      const [next] = checkpoints;
      if (next?.size !== verifier.size) continue;
      verifier.compareCheckpoint(next.note);
      checkpoints = checkpoints.slice(1);
      if (checkpoints.length === 0) checkpoints = await call('log.checkpoints', { after: next.size });
    }
    return lines.length > 0;
  };
  while (await read());
  await checkStored(call, verifier, async (entries) => {
    while (verifier.size < entries && (await read(entries)));
  });
  const [left] = checkpoints;
  if (left !== undefined) return withRollback(call, verifier.finish(left.note));
  return withRollback(
    call,
    isSigned || verifier.size === 0 ? verifier.report() : verifier.finish(undefined, [], UNSIGNED),
  );
};
