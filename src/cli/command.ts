import { Command, InvalidArgumentError } from 'commander';
import type { Caller } from '../api/index.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { type Printable, print } from './human-text.ts';
import { terminal } from './terminal.ts';

/** Reads a folder from the command line. */
export const folderArgument = (text: string): string => {
  // An empty variable of a shell.
  if (text === '') throw new InvalidArgumentError('Name a folder.');
  return text;
};

/** A command with the options that every command takes. */
export const command = (name: string, summary: string): Command =>
  new Command(name)
    .summary(summary)
    .description(summary)
    .option('--data <dir>', "data folder (default: the OS's application-data folder)", folderArgument)
    .option('--database <url>', 'PostgreSQL database, without a password (default: SQLite in the data folder)')
    .option('--json', 'one JSON document on stdout')
    .option('--passphrase-file <file>', 'file with the passphrase of the vault (default: $GASDESK_PASSPHRASE)');

/** A command that consists only of subcommands. */
export const group = (name: string, summary: string, commands: readonly Command[]): Command => {
  const parent = new Command(name).summary(summary).description(summary);
  for (const child of commands) parent.addCommand(child);
  return parent;
};

/** The output of a command: a document, or text that is printed unchanged. */
export type Shown = Printable | string;

/** Calls procedures, either of the running engine or on the data folder, and prints the result. */
export const printFromDesk = async (options: DeskOptions, use: (call: Caller) => Promise<Shown>): Promise<void> => {
  const shown = await withDesk(options, use);
  if (typeof shown === 'string') terminal().stdout.write(shown);
  else print(shown, options.json === true);
};

/** Reads a whole number within bounds from the command line. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };

/** The greatest number that {@link wholeNumber} reads. */
export const MAX_WHOLE_NUMBER = 999_999_999_999_999;
