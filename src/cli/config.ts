import { describeConfig } from '../engine/config/config.ts';
import type { Caller } from '../api/index.ts';
import type { ProcedureOutput } from '../api/index.ts';
import { command, group, printFromDesk } from './command.ts';
import { type DeskOptions, dataFolder, databaseFlag } from './desk.ts';
import { print } from './human-text.ts';
import { terminal } from './terminal.ts';

const printConfig = command('print', 'Print each setting and where it comes from, without secrets').action(
  (options: DeskOptions) => {
    const entries = describeConfig({
      flags: databaseFlag(options),
      env: terminal().env,
      file: dataFolder(options).config,
    });
    print(
      entries.map((entry) => ({ ...entry })),
      options.json === true,
    );
  },
);

/** What the operator has to know about a change. */
const noteOf = ({ next }: ProcedureOutput<'config.set'>): string =>
  next === null ? 'In effect now' : 'Takes effect when the service restarts';

const change = async (call: Caller, key: string, value: string | null) => {
  const setting = await call('config.set', { key, value });
  return { key, value: setting.next ?? setting.value, source: setting.source, note: noteOf(setting) };
};

const setConfig = command('set', 'Change a setting permanently, in gasdesk.json')
  .argument('<key>', 'name of the setting, as "config print" shows it')
  .argument('<value>', 'new value')
  .action((key: string, value: string, options: DeskOptions) =>
    printFromDesk(options, (call) => change(call, key, value)),
  );

const unsetConfig = command('unset', 'Remove a setting from gasdesk.json, which restores its default')
  .argument('<key>', 'name of the setting')
  .action((key: string, options: DeskOptions) => printFromDesk(options, (call) => change(call, key, null)));

/** `gasdesk config` */
export const configCommand = group('config', 'Settings', [printConfig, setConfig, unsetConfig]);
