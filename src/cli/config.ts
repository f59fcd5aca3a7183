import { describeConfig } from '../engine/config.ts';
import { command, group } from './command.ts';
import { type DeskOptions, dataFolder } from './desk.ts';
import { print } from './print.ts';

const printConfig = command('print', 'Print the settings and where each comes from; secrets are not shown').action(
  (options: DeskOptions) => {
    const entries = describeConfig({ env: process.env, file: dataFolder(options).config });
    print(
      entries.map((entry) => ({ ...entry })),
      options.json === true,
    );
  },
);

/** `gasdesk config` */
export const configCommand = group('config', 'Settings', [printConfig]);
