import { z } from 'zod';
import { type EntryKind, entryKinds } from '../core/log/entry.ts';
import { id } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const position = z.int().min(0);
const base64 = z.string().describe('32 bytes, base64');

const head = z.strictObject({
  origin: z.string().describe('Names the log'),
  key: z.string().describe('The key with which its checkpoints are verified (a vkey, c2sp.org/signed-note)'),
});

const kind = z.enum(entryKinds as [EntryKind, ...EntryKind[]]);

const logEntry = z.strictObject({
  entry: position.describe('Its position in the log, from 0 on'),
  at: z.number().describe('epoch ms'),
  kind,
  body: z.unknown().describe('By its kind: see docs/log-format.md'),
});

const checkpoint = z.strictObject({
  size: z.number().describe('Number of entries that it covers'),
  at: z.number().describe('epoch ms'),
  note: z.string().describe('The checkpoint, a signed note (c2sp.org/tlog-checkpoint)'),
});

/** Procedures for the log, which records every decision, settlement and change in a form that others can verify. */
export const logProcedures = {
  'log.key': procedure({
    summary: 'Show the key with which others verify the log',
    output: head,
    errors: ['VAULT_LOCKED'],
  }),
  'log.state': procedure({
    summary: 'Show the number of entries in the log, how many of them are signed, and the key',
    output: z.strictObject({
      entries: z.number(),
      signed: z.number().describe('Number of entries that the newest checkpoint covers'),
      key: z.string().nullable().describe('As `log.key` shows it; null while the vault is locked'),
      rollback: z
        .string()
        .nullable()
        .describe('Entries that this engine wrote and that the database lacks; null if none are missing'),
    }),
  }),
  'log.checkpoint': procedure({
    summary: 'Sign a checkpoint of all entries, unless one exists',
    output: checkpoint,
    errors: ['VAULT_LOCKED', 'LOG_INCONSISTENT'],
  }),
  'log.checkpoints': procedure({
    summary: 'List checkpoints, smallest first',
    input: z.strictObject({
      after: position.default(0).describe('Only checkpoints of more entries than this'),
      limit: z.int().min(1).max(1_000).default(1_000),
    }),
    output: z.array(checkpoint),
  }),
  'log.page': procedure({
    summary: 'Read entries as they are, oldest first',
    input: z.strictObject({
      from: position,
      to: position.optional().describe('Only entries before this one'),
      limit: z.int().min(1).max(1_000).default(1_000),
    }),
    output: z.array(
      z.strictObject({
        text: z.string().describe('The line: its bytes are a leaf of the tree'),
        hash: z.string().describe('The leaf hash that is stored with it, hex'),
      }),
    ),
  }),
  'log.subtrees': procedure({
    summary: 'Show the roots of the full subtrees that make up a range of entries',
    input: z.strictObject({ start: position, end: position }),
    output: z.array(base64),
  }),
  'log.list': procedure({
    summary: 'List the log entries other than decisions, newest first',
    input: z.strictObject({
      kind: kind.optional(),
      before: position.optional().describe('Only entries before this one'),
      limit: z.int().min(1).max(1_000).default(100),
    }),
    output: z.array(logEntry),
  }),
  'log.receipt': procedure({
    summary: 'Prove that a decision is in the log',
    input: z.strictObject({ decisionId: id }),
    output: z.strictObject({ receipt: z.string().describe('A proof in the format c2sp.org/tlog-proof@v1') }),
    errors: ['DECISION_NOT_FOUND', 'VAULT_LOCKED', 'LOG_INCONSISTENT'],
  }),
  'log.proof': procedure({
    summary:
      'Write a page that proves a decision: it verifies the entry and decides again in the browser of its reader',
    input: z.strictObject({ decisionId: id }),
    output: z.strictObject({
      html: z.string().describe('One self-contained HTML page, which needs no network'),
      entry: position.describe('Position of the decision in the log'),
    }),
    errors: ['DECISION_NOT_FOUND', 'VAULT_LOCKED', 'LOG_INCONSISTENT'],
  }),
  'log.rows': procedure({
    summary: 'Compare the data about decisions that the database stores outside the log with their records',
    input: z.strictObject({
      after: position.default(0).describe('Only decisions whose `seq` is greater'),
      limit: z.int().min(1).max(1_000).default(1_000),
    }),
    output: z.strictObject({
      entries: position.describe('Number of log entries at the time of reading'),
      upTo: position.describe('The greatest `seq`'),
      rows: z.array(
        z.strictObject({
          id: z.string(),
          settlement: z.string().nullable(),
          actualCostWei: z.string().nullable(),
          block: z.number().nullable(),
        }),
      ),
      faults: z.array(z.strictObject({ id: z.string(), detail: z.string() })),
    }),
  }),
  'log.accounts': procedure({
    summary: 'List the amounts of the ledger accounts in the database, except those of rolling windows',
    output: z.strictObject({
      entries: position.describe('Number of log entries at the time of reading'),
      accounts: z.array(
        z.strictObject({
          account: z.string(),
          held: z.string(),
          group: z.string().optional().describe('Only for a limit: the group of limits it is stored with'),
        }),
      ),
    }),
  }),
  'log.stored': procedure({
    summary: 'Check the stored tree of the log and the stored policy revisions',
    output: z.strictObject({
      entries: position.describe('Number of log entries at the time of reading'),
      changes: z
        .array(z.strictObject({ paymasterId: z.string(), hash: z.string() }))
        .describe('The policies that came into force, in order'),
      revisions: z.array(z.string()).describe('The names of all stored revisions'),
      faults: z.array(z.string()),
    }),
  }),
};
