import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database, { SqliteError } from 'better-sqlite3';
import { type EntryHead, entryText } from '../../src/core/log/entry.ts';
import type { LogFault } from '../../src/core/log/log-report.ts';
import { version } from '../../src/engine/base/version.ts';
import { LogVerifier } from '../../src/core/log/verify.ts';
import { readRevision } from '../../src/core/policy/revision.ts';
import { type Difference, type NotReplayable, replay } from '../../src/core/replay/replay.ts';
import { explainRecord } from '../../src/core/decision/explain-record.ts';
import { pastDecision } from '../../src/core/decision/past-decision.ts';
import { type StoredRecord, readRecord } from '../../src/core/decision/stored-record.ts';
import { PolicyTrial } from '../../src/core/trial/try-policy.ts';
import { lockFile } from '../../src/engine/data-folder/lock.ts';
import { logCrypto } from '../../src/engine/log/ed25519.ts';
import { accountFaults, heldAccounts } from '../../src/engine/log/stored-faults.ts';
import { HELD_ACCOUNTS, type LimitsRow, singleAccounts } from '../../src/engine/store/tables/log-check.ts';
import type { HeldAccountRow } from '../../src/engine/store/log-check-store.ts';
import { countReplayed } from './replay-counts.ts';
import { type StoredRevision, policiesIn } from '../../src/engine/store/tables/policy-revisions.ts';

interface Check {
  counts: Record<string, number>;
  differences: (Difference | LogFault)[];
}

/** Ids of decisions already replayed: a folder may hold the backup of another. */
const known = new Set<string>();

const DATABASE = 'gasdesk.db';
/** Recovering signers takes ten times as long as everything else. */
const SIGNATURES_EVERY = 10;

interface Stored {
  /** As they are stored. */
  readonly records: (StoredRecord & { readonly seq: number })[];
  readonly revisions: Map<string, unknown>;
}

const read = (file: string): Stored => {
  const database = new Database(file);
  try {
    const stored = database.prepare<[], StoredRevision>('SELECT hash, base, policy FROM policy_revision').all();
    const policyOf = policiesIn(stored);
    const revisions = new Map(stored.map(({ hash }) => [hash, policyOf(hash)]));
    const rows = database.prepare<[], { seq: number; record: string }>('SELECT seq, record FROM decision').all();
    const parsed = rows.map(({ seq, record }) => ({ ...readRecord(record), seq }));
    // Decisions that a test wrote by hand name no policy, like those from before policies existed.
    return { records: parsed.filter(({ policy }) => policy !== undefined), revisions };
  } finally {
    database.close();
  }
};

/** Only what can be read: a test may have damaged the database, or made one from before policies existed. */
const readable = (file: string): Stored => {
  try {
    return read(file);
  } catch (error) {
    if (error instanceof SqliteError) return { records: [], revisions: new Map() };
    throw error;
  }
};

/** Decisions that a test wrote by hand have no facts, or a readable id. */
const WITHOUT_FACTS: NotReplayable = 'WITHOUT_FACTS';
const ENGINES_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/**
 * Tries the policy in force on the decisions that it made: none may flip.
 *
 * @returns the number of decisions tried, and the flips
 */
const triedIn = (
  records: Stored['records'],
  revisions: ReadonlyMap<string, unknown>,
): { count: number; flips: Difference[] } => {
  const byPolicy = Map.groupBy(
    records.filter(({ id, facts }) => facts !== undefined && ENGINES_ID.test(id)),
    ({ paymasterId, policy }) => `${paymasterId} ${String(policy)}`,
  );
  let count = 0;
  const flips = [...byPolicy.values()].flatMap((all) => {
    const revision = revisions.get(all[0]?.policy ?? '');
    const policy = readRevision(revision)?.policy;
    if (policy === undefined) return [];
    const trial = new PolicyTrial(() => policy);
    for (const record of all) trial.add(pastDecision({ settlement: null, actualCostWei: null, ...record }, revision));
    count += trial.report().decisions;
    return trial.flips.map(({ id, from, to }) => ({ id, field: 'policy try', stored: from, replayed: to }));
  });
  return { count, flips };
};

const replayIn = (file: string, { counts, differences }: Check): void => {
  const { records, revisions } = readable(file);
  const tried = records.filter(({ id }) => !known.has(id));
  const { count, flips } = triedIn(tried, revisions);
  differences.push(...flips);
  counts['tried without a flip'] = (counts['tried without a flip'] ?? 0) + count - flips.length;
  for (const decision of tried) {
    known.add(decision.id);
    const withSignatures = known.size % SIGNATURES_EVERY === 0;
    const replayed = replay(decision, revisions.get(decision.policy ?? ''), { engine: version, withSignatures });
    const found = 'differences' in replayed ? replayed.differences : [];
    differences.push(...found);
    if (found.length === 0 && explainRecord(decision, revisions.get(decision.policy ?? '')).wordsDiffer === true)
      differences.push({ id: decision.id, field: 'wordsDiffer', stored: false, replayed: true });
    const result = 'notReplayable' in replayed ? replayed.notReplayable : found.length === 0 ? 'same' : 'different';
    counts[result] = (counts[result] ?? 0) + 1;
  }
};

interface StoredEntry extends EntryHead {
  readonly hash: Buffer;
  readonly previousHash: Buffer | null;
  readonly body: string;
}

/** Any name and key will do: no checkpoint is checked. */
const NOBODY = { name: 'nobody', publicKey: new Uint8Array(32) };

export const newLogVerifier = (): LogVerifier =>
  new LogVerifier({ key: NOBODY, crypto: logCrypto, engine: version, withSignatures: false });

/** Continues with the entries in a database, up to that many in all. */
export const verifyUpTo = (database: Database.Database, verifier: LogVerifier, size: number): void => {
  const from = verifier.size;
  const entries = database.prepare<[number, number], StoredEntry>(
    'SELECT position AS entry, at, kind, lag(hash) OVER (ORDER BY position) AS previousHash, hash, body FROM log WHERE position BETWEEN ? AND ? ORDER BY position',
  );
  for (const { hash, previousHash, body, ...head } of entries.iterate(from - 1, size - 1)) {
    if (head.entry < from) continue;
    const text = entryText({ ...head, previous: previousHash?.toString('hex') ?? null }, body);
    verifier.add({ text, bytes: Buffer.from(text), hash: hash.toString('hex') });
  }
};

/** What differs between the ledger in a database and the one that follows from the entries so far. */
export const ledgerFaults = (database: Database.Database, verifier: LogVerifier): readonly string[] => {
  const held = heldAccounts(singleAccounts(database.prepare<[], HeldAccountRow | LimitsRow>(HELD_ACCOUNTS).all()));
  return verifier.accounts === undefined ? [] : accountFaults(held, verifier.accounts, verifier.accountGroups);
};

/** Faults in the log of a database that an engine has used, except those of checkpoints. */
const faultsOfLog = (file: string): readonly LogFault[] => {
  if (!existsSync(lockFile(dirname(file)))) return [];
  const database = new Database(file, { readonly: true });
  try {
    const verifier = newLogVerifier();
    verifyUpTo(database, verifier, Number.MAX_SAFE_INTEGER);
    // What a test wrote by hand is in no entry that can be computed.
    const isDecided = verifier.report().faults.length === 0;
    if (isDecided) for (const detail of ledgerFaults(database, verifier)) verifier.addStoredFault(detail);
    const { faults } = verifier.report();
    return faults.filter(({ id, detail }) => detail !== WITHOUT_FACTS && (id === null || ENGINES_ID.test(id)));
  } catch (error) {
    if (error instanceof SqliteError) return [];
    throw error;
  } finally {
    database.close();
  }
};

/**
 * Decides every decision in the folder's databases again, tries the policy in force on it, and verifies the logs. A
 * test ends with this: see `temp-folder.ts`.
 *
 * @throws if a decision differs, a trial flips it, or a log does not verify
 */
export const checkDecisionsIn = (folder: string): void => {
  // A folder with a copy of the sources has decisions of another version.
  if (!existsSync(folder) || existsSync(join(folder, 'src'))) return;
  const check: Check = { counts: {}, differences: [] };
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith(DATABASE)) continue;
    replayIn(join(folder, name), check);
    check.differences.push(...faultsOfLog(join(folder, name)));
  }
  const { counts, differences } = check;
  if (Object.keys(counts).length > 0) countReplayed(counts);
  const [first] = differences;
  if (first === undefined) return;
  const fields = [...new Set(differences.map((each) => ('field' in each ? each.field : each.fault)))].join(', ');
  throw new Error(
    `Not decided the same again: ${fields}. ${differences.length} in all, such as ${JSON.stringify(first)}`,
  );
};
