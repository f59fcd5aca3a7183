import { Option } from 'commander';
import { command, wholeNumber } from './command.ts';
import type { ProcedureInput } from '../api/index.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { print } from './human-text.ts';

type Asked = ProcedureInput<'system.log'>;

/** `gasdesk log`: what the running service wrote lately. */
export const logCommand = command('log', 'Print the last lines of the log of the running service')
  .addOption(
    new Option('--level <level>', 'only lines of this level or above').choices(['debug', 'info', 'warn', 'error']),
  )
  .option('--after <seq>', 'only lines after this one', wholeNumber(0, 999_999_999_999_999))
  .action(async ({ level, after, ...options }: DeskOptions & Asked) => {
    const asked: Asked = { ...(level !== undefined && { level }), ...(after !== undefined && { after }) };
    const { lines } = await withDesk(options, (call) => call('system.log', asked));
    const isJson = options.json === true;
    print(
      isJson ? lines : lines.map(({ at, fields, ...line }) => ({ at: new Date(at).toISOString(), ...line, fields })),
      isJson,
    );
  });
