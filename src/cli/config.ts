import { describeConfig } from '../engine/config/config.ts';
import type { ProcedureInput, ProcedureOutput } from '../api/index.ts';
import { command, group } from './command.ts';
import { type DeskOptions, dataFolder, databaseFlag, requireDesk } from './desk.ts';
import { calling } from './fields.ts';
import { print } from './human-text.ts';
import { terminal } from './terminal.ts';

const printConfig = command('print', 'Print each setting and where it comes from, without secrets').action(
  (options: DeskOptions) => {
    requireDesk(options);
    const sources = { flags: databaseFlag(options), env: terminal().env, file: dataFolder(options).config };
    const entries = describeConfig(sources).map((entry) => ({ ...entry }));
    print(entries, options.json === true);
  },
);

/** When a change takes effect. */
const noteOf = ({ next }: ProcedureOutput<'config.set'>): string =>
  next === null ? 'In effect now' : 'Takes effect when the service restarts';

const note = (setting: ProcedureOutput<'config.set'>, { input }: { readonly input: ProcedureInput<'config.set'> }) => ({
  key: input.key,
  value: setting.next ?? setting.value,
  source: setting.source,
  note: noteOf(setting),
});

/** `gasdesk config` */
export const configCommand = group('config', 'Settings', [
  printConfig,
  calling(
    'set',
    'Change a setting permanently, in gasdesk.json',
    'config.set',
    { key: '<key>  name of the setting, as "config print" shows it', value: '<value>  new value' },
    note,
  ),
  calling(
    'unset',
    'Remove a setting from gasdesk.json, which restores its default',
    'config.set',
    { key: '<key>  name of the setting', value: { read: () => null } },
    note,
  ),
]);
