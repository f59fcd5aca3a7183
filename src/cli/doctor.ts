import { command } from './command.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { print } from './human-text.ts';
import { exitWith } from './terminal.ts';

/** `gasdesk doctor`: exit code 1 if anything is wrong. */
export const doctorCommand = command('doctor', 'Check data, disk, vault, backups, clock, chains and contracts').action(
  async (options: DeskOptions) => {
    const report = await withDesk(options, (call) => call('system.doctor', {}));
    if (options.json === true) print(report, true);
    else
      print(
        report.checks.map(({ ok, ...check }) => ({
          result: !ok ? 'ERROR' : check.fix === '' ? 'ok' : 'advice',
          ...check,
        })),
        false,
      );
    if (!report.ok) exitWith(1);
  },
);
