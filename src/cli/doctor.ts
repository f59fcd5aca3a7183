import type { ProcedureOutput } from '../api/index.ts';
import { EngineError, type ErrorCode } from '../shared/errors.ts';
import { command } from './command.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { print } from './human-text.ts';
import { exitWith } from './terminal.ts';

type Report = ProcedureOutput<'system.doctor'>;

/** Codes of errors in the data. Any other error, such as a wrong passphrase, concerns the command itself. */
const DATA_CODES: readonly ErrorCode[] = ['DATA_FOLDER_UNUSABLE', 'STORAGE_FAILED', 'VAULT_DAMAGED', 'INTERNAL'];

/** The report on a data folder that cannot be opened. */
const cannotOpen = (error: unknown): Report => {
  if (error instanceof EngineError && !DATA_CODES.includes(error.code)) throw error;
  const detail = error instanceof Error ? error.message : String(error);
  return {
    ok: false,
    checks: [{ name: 'start', ok: false, detail, fix: 'Fix this first: the data folder cannot be opened.' }],
  };
};

/** `gasdesk doctor`. Exits with code 1 if a check fails. */
export const doctorCommand = command('doctor', 'Check data, disk, vault, backups, clock, chains and contracts').action(
  async (options: DeskOptions) => {
    const report = await withDesk(options, (call) => call('system.doctor', {}), 'open').catch(cannotOpen);
    if (options.json === true) print(report, true);
    else
      print(
        report.checks.map(({ ok, ...check }) => ({
          result: !ok ? 'ERROR' : check.fix === '' ? 'ok' : 'warning',
          ...check,
        })),
        false,
      );
    if (!report.ok) exitWith(1);
  },
);
