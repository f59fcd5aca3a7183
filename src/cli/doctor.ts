import type { ProcedureOutput } from '../api/index.ts';
import { loadConfig, shownValue } from '../engine/config/config.ts';
import { EngineError, type ErrorCode } from '../shared/errors.ts';
import { command } from './command.ts';
import { type DeskOptions, dataFolder, databaseFlag, withDesk } from './desk.ts';
import { print } from './human-text.ts';
import { exitWith, terminal } from './terminal.ts';

type Report = ProcedureOutput<'system.doctor'>;

/** Codes of errors in the data. Any other error, such as a wrong passphrase, concerns the command itself. */
const DATA_CODES: readonly ErrorCode[] = ['DATA_FOLDER_UNUSABLE', 'STORAGE_FAILED', 'VAULT_DAMAGED', 'INTERNAL'];

/** The report on a desk whose database server does not answer, so that nothing else can be checked. */
const noDatabase = (options: DeskOptions, { message }: EngineError): Report => {
  const { database } = loadConfig({
    flags: databaseFlag(options),
    env: terminal().env,
    file: dataFolder(options).config,
  });
  // A running service may have another one, which only its own settings name.
  const url = database === undefined ? '' : ` ${String(shownValue('database', database))}`;
  const fix = `Make sure that the PostgreSQL database${url} runs, and can be reached from this machine. pg_isready says whether it accepts connections.`;
  return { ok: false, checks: [{ name: 'database', ok: false, detail: message, fix }] };
};

/** The report on a desk that cannot be examined. */
const cannotOpen = (options: DeskOptions, error: unknown): Report => {
  if (error instanceof EngineError && error.code === 'STORE_UNAVAILABLE') return noDatabase(options, error);
  if (error instanceof EngineError && !DATA_CODES.includes(error.code)) throw error;
  const detail = error instanceof Error ? error.message : String(error);
  return {
    ok: false,
    checks: [{ name: 'start', ok: false, detail, fix: 'Fix this first: the data folder cannot be opened.' }],
  };
};

const RESULTS = ['ERROR', 'warning', 'ok'] as const;

/** The checks, worst first. */
const rowsOf = ({ checks }: Report) => {
  const rows = checks.map(({ ok, ...check }) => ({
    result: !ok ? RESULTS[0] : check.fix === '' ? RESULTS[2] : RESULTS[1],
    ...check,
  }));
  return rows.sort((a, b) => RESULTS.indexOf(a.result) - RESULTS.indexOf(b.result));
};

/** `gasdesk doctor`. Exits with code 1 if a check fails. */
export const doctorCommand = command('doctor', 'Check data, disk, vault, backups, clock, chains and contracts').action(
  async (options: DeskOptions) => {
    const report = await withDesk(options, (call) => call('system.doctor', {}), 'open').catch((error: unknown) =>
      cannotOpen(options, error),
    );
    if (options.json === true) print(report, true);
    else print(rowsOf(report), false);
    if (!report.ok) exitWith(1);
  },
);
