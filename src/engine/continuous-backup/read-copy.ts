import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError } from '../../shared/errors.ts';
import type { Secret } from '../base/secret.ts';
import { dataFiles } from '../data-folder/data-folder.ts';
import { type Vault, openVault } from '../signer/vault.ts';
import { MARKER, type RestorePlan, planRestore, readCopies } from './catalogue.ts';
import { readMarker } from './marker.ts';
import { type CopiedFile, type Segment, keyOfCopy, openSegment } from './segment.ts';
import type { CopyTarget } from './target.ts';

/** Objects that are read ahead. */
const AHEAD = 16;

const unreadable = (target: CopyTarget, what: string, cause?: unknown): EngineError =>
  new EngineError(
    'BACKUP_UNREADABLE',
    `The copy in ${target.name} cannot be restored: ${what}`,
    { target: target.name },
    { cause },
  );

/** Opens the vault in a target. @throws EngineError `BACKUP_UNREADABLE`, `BACKUP_PASSPHRASE_WRONG`, `VAULT_DAMAGED` */
const openCopiedVault = async (target: CopyTarget, passphrase: Secret<string>): Promise<Vault> => {
  const text = await target.read(MARKER);
  const marker = text && readMarker(text.toString());
  if (marker === undefined) throw unreadable(target, 'it contains no continuous backup that this Gasdesk reads');
  const refuse = (): never => {
    throw new Error('read only');
  };
  const vault = openVault({ name: target.name, current: () => marker.vault, update: async () => refuse() });
  try {
    await vault.unlock({ passphrase });
  } catch (cause) {
    if (!(cause instanceof EngineError && cause.code === 'VAULT_PASSPHRASE_WRONG')) throw cause;
    throw new EngineError('BACKUP_PASSPHRASE_WRONG', undefined, {}, { cause });
  }
  return vault;
};

/**
 * Checks that a passphrase opens the copy in a target, unless nothing has been copied yet.
 *
 * @throws EngineError `BACKUP_UNREADABLE`, `BACKUP_PASSPHRASE_WRONG`, `VAULT_DAMAGED`
 */
export const requireCopyPassphrase = async (target: CopyTarget, passphrase: Secret<string>): Promise<void> => {
  if ((await target.read(MARKER)) !== undefined) await openCopiedVault(target, passphrase);
};

/** Reads and decrypts objects in order, some of them ahead. */
async function* segmentsOf(
  target: CopyTarget,
  key: Uint8Array,
  names: readonly string[],
): AsyncGenerator<Segment & { readonly hash: string }> {
  const ahead: Promise<Buffer | undefined>[] = [];
  for (const [index, name] of names.entries()) {
    while (ahead.length < AHEAD && index + ahead.length < names.length) {
      const reading = target.read(names[index + ahead.length] ?? '');
      reading.catch(() => undefined);
      ahead.push(reading);
    }
    const bytes = await ahead.shift();
    if (bytes === undefined) throw unreadable(target, `${name} is missing`);
    const segment = openSegment(key, name, bytes);
    if (segment === undefined) throw unreadable(target, `${name} was altered, or is from another copy`);
    yield { ...segment, hash: createHash('sha256').update(bytes).digest('hex') };
  }
}

/** A restored copy, in a folder. Its files are not encrypted. */
export interface ReadCopy {
  /** The restored state's time, epoch ms. */
  readonly at: number;
  /** Relative paths. */
  readonly files: readonly string[];
}

interface Replay {
  files: readonly CopiedFile[];
  at: number;
  pageSize: number;
  pageCount: number;
}

const writePages = (descriptor: number, { header, pages }: Segment, replay: Replay): void => {
  if (header.files !== undefined) replay.files = header.files;
  replay.at = header.at;
  if (header.database === undefined) return;
  const { pageSize, pageCount } = header.database;
  for (const [index, number] of header.database.pages.entries()) {
    const page = pages[index];
    if (page !== undefined) writeSync(descriptor, page, 0, pageSize, (number - 1) * pageSize);
  }
  replay.pageSize = pageSize;
  replay.pageCount = pageCount;
};

/** Writes the database of a plan. Each object must name the one before it, so none can be missing or exchanged. */
const replayPlan = async (
  target: CopyTarget,
  key: Uint8Array,
  plan: RestorePlan,
  descriptor: number,
): Promise<Replay> => {
  const replay: Replay = { files: [], at: 0, pageSize: 0, pageCount: 0 };
  const copyKey = keyOfCopy(key, plan.copy);
  let first: string | undefined;
  let before: string | undefined;
  for await (const part of segmentsOf(target, copyKey, plan.snapshot.parts)) {
    first ??= part.header.previous;
    if (before !== undefined && part.header.previous !== before) throw unreadable(target, 'a snapshot has a gap');
    before = part.hash;
    writePages(descriptor, part, replay);
  }
  before = first;
  for await (const segment of segmentsOf(
    target,
    copyKey,
    plan.segments.map(({ name }) => name),
  )) {
    if (segment.header.previous !== before) throw unreadable(target, 'a segment is missing or was exchanged');
    before = segment.hash;
    writePages(descriptor, segment, replay);
  }
  return replay;
};

/**
 * Writes the newest state at or before `until` into a folder: the database as one file, the vault, settings and local
 * keys.
 *
 * @param until epoch ms; undefined for the newest state
 * @throws EngineError `BACKUP_UNREADABLE`, `BACKUP_PASSPHRASE_WRONG`, `DATA_FOLDER_UNUSABLE`
 */
export const readCopy = async (
  target: CopyTarget,
  passphrase: Secret<string>,
  dir: string,
  until?: number,
): Promise<ReadCopy> => {
  const vault = await openCopiedVault(target, passphrase);
  const plan = planRestore(await readCopies(target), until);
  if (plan === undefined) {
    const when = until === undefined ? '' : ` at or before ${new Date(until).toISOString()}`;
    throw unreadable(target, `it contains no whole database${when}`);
  }
  const descriptor = openSync(join(dir, dataFiles.database), 'wx', 0o600);
  try {
    const { files, at, pageSize, pageCount } = await replayPlan(target, vault.copyKey().key.reveal(), plan, descriptor);
    ftruncateSync(descriptor, pageCount * pageSize);
    fsyncSync(descriptor);
    for (const { name, text } of files) {
      mkdirSync(dirname(join(dir, name)), { recursive: true, mode: 0o700 });
      writeFileSync(join(dir, name), text, { mode: 0o600, flush: true });
    }
    return { at, files: [dataFiles.database, ...files.map(({ name }) => name)] };
  } finally {
    closeSync(descriptor);
  }
};
