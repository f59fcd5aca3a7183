import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type LogRange, exportedLog } from '../api/log-export.ts';
import type { LogReport } from '../core/log/log-report.ts';
import { logWords } from '../core/log/report-words.ts';
import { EngineError } from '../shared/errors.ts';
import { MAX_WHOLE_NUMBER, command, wholeNumber } from './command.ts';
import { type DeskOptions, onFile, openEngine, withDesk } from './desk.ts';
import { calling, forPeople } from './fields.ts';
import { harmless, humanText, print } from './human-text.ts';
import { entryRows } from './log-entries.ts';
import { withPageProgress } from './page-progress.ts';
import { exitWith, printLine, terminal } from './terminal.ts';
import { NEW_FILE } from './words.ts';

const key = calling(
  'key',
  'Print the public key with which others verify the log',
  'log.key',
  {},
  forPeople((head) => `${head.key}\n`),
);

/** Creates a file to export to. An existing file is never overwritten. @throws EngineError `CONFIG_INVALID` */
const newFile = async (file: string): Promise<NodeJS.WritableStream> => {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await onFile(`write the log to ${file}`, () => once(stream, 'open'));
  return stream;
};

const exportAll = command('export', 'Write the log as JSON Lines, with a signed checkpoint at its end')
  .option('--from <entry>', 'first entry', wholeNumber(0, MAX_WHOLE_NUMBER))
  .option('--to <entry>', 'only entries before this one', wholeNumber(0, MAX_WHOLE_NUMBER))
  .option('--out <file>', NEW_FILE)
  .action((options: DeskOptions & LogRange & { out?: string }) =>
    withDesk(options, async (call) => {
      const { from, to, out } = options;
      const text = Readable.from(exportedLog(call, { from, to }), { highWaterMark: 1 });
      if (out === undefined) {
        await pipeline(text, terminal().stdout, { end: false });
        return;
      }
      const stream = await newFile(out);
      try {
        await pipeline(text, stream);
      } catch (error) {
        // An incomplete export is of no use, and would block the next attempt.
        await rm(out, { force: true });
        throw error;
      }
      print({ file: out }, options.json === true);
    }),
  );

const MAX_ROWS = 20;

const reportText = (report: LogReport): string => {
  const { ok, faults } = report;
  const words = harmless(logWords(report));
  if (ok) return words;
  const rows = faults.slice(0, MAX_ROWS).map(({ entry, id, fault, detail }) => ({ entry, id, fault, detail }));
  const more = faults.length > MAX_ROWS ? [`… and ${faults.length - MAX_ROWS} more. Use --json to list all.`] : [];
  return [words, '', humanText(rows), ...more].join('\n');
};

const verify = command('verify', 'Verify the log; exit code 1 if anything is wrong')
  .argument('[file]', 'log to verify, as "gasdesk log export" writes it (default: the log of the data folder)')
  .option(
    '--key <key>',
    'public key of the log, as published by its operator (default: the key in the file, or of the data folder)',
  )
  .option('--since <file>', 'earlier checkpoint, receipt or export that the log must continue')
  .option('--no-signatures', 'skip checking who signed sponsored operations, which takes most of the time')
  .action(
    async (file: string | undefined, options: DeskOptions & { key?: string; since?: string; signatures: boolean }) => {
      // Imported here because it takes half of a command's start-up time.
      const { verifyDesk, verifyLogFile } = await import('../engine/log/verify-log.ts');
      const check = { key: options.key, since: options.since, withSignatures: options.signatures };
      const report =
        file === undefined
          ? await withDesk(options, (call) => withPageProgress(call, (paged) => verifyDesk(paged, check)), 'open')
          : await verifyLogFile(file, check);
      printLine(options.json === true ? JSON.stringify(report) : reportText(report));
      if (!report.ok) exitWith(1);
    },
  );

const list = calling(
  'list',
  'List the log entries other than decisions, newest first',
  'log.list',
  {
    kind: 'only entries of this kind',
    before: '--before <entry>  only entries before this one',
    limit: 'maximum number of entries',
  },
  (entries, { call, json }) => (json ? entries : entryRows(call, entries)),
);

const acceptRollback = command(
  'accept-rollback',
  'Continue permanently from an older state of the database. Gasdesk has no record of what it signed after that state',
)
  .addHelpText(
    'after',
    `
Use this only if Gasdesk refuses to start because its database is in an older state, and no newer copy exists. Stop all
engines first. Operations that Gasdesk signed after that state may still be mined, and overdraw limits and gas tanks. The log then
has another key, and an entry records the accepted state.`,
  )
  .action(async (options: DeskOptions) => {
    const engine = await openEngine(options, { logLevel: 'error' }, 'accept');
    await engine.stop();
    if (engine.accepted === undefined) {
      throw new EngineError(
        'VALIDATION',
        'The database is in the state in which Gasdesk left it, so it was not rolled back',
      );
    }
    const { written, found, words } = engine.accepted;
    print(options.json === true ? { accepted: true, written, found } : { accepted: words }, options.json === true);
  });

/** `gasdesk log`: shows the latest output of the running service. Its subcommands are for the verifiable log. */
export const logCommand = calling(
  'log',
  'Print what the running service reported, or verify the log of all decisions',
  'system.log',
  { level: 'only lines of this level or above', after: '--after <seq>  only lines after this one' },
  ({ lines }, { json }) =>
    json ? lines : lines.map(({ at, fields, ...line }) => ({ at: new Date(at).toISOString(), ...line, fields })),
);
logCommand.enablePositionalOptions();
for (const child of [key, exportAll, verify, list, acceptRollback]) logCommand.addCommand(child);
