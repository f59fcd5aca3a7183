import { Command } from 'commander';
import { version } from '../engine/base/version.ts';
import { printLine } from './terminal.ts';

/** `gasdesk version` */
export const versionCommand = new Command('version')
  .summary('Print the version')
  .description('Print the version')
  .action(() => printLine(version));
