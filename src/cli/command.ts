import { Command, InvalidArgumentError } from 'commander';
import type { Caller } from '../api/index.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { type Printable, print } from './human-text.ts';

/** A command with the options that every command takes. */
export const command = (name: string, summary: string): Command =>
  new Command(name)
    .summary(summary)
    .description(summary)
    .option('--data <dir>', "data folder (default: the OS's application-data folder)")
    .option('--database <url>', 'PostgreSQL database, without a password (default: SQLite in the data folder)')
    .option('--json', 'one JSON document on stdout')
    .option('--passphrase-file <file>', 'file with the passphrase of the vault (default: $GASDESK_PASSPHRASE)');

/** A name under which commands stand. */
export const group = (name: string, summary: string, commands: readonly Command[]): Command => {
  const parent = new Command(name).summary(summary).description(summary);
  for (const child of commands) parent.addCommand(child);
  return parent;
};

/** Prints what a use of the desk answers. */
export const printFromDesk = async (options: DeskOptions, use: (call: Caller) => Promise<Printable>): Promise<void> => {
  print(await withDesk(options, use), options.json === true);
};

/** A command that prints a list. */
export const listing = (
  summary: string,
  procedure: `${'accounts' | 'authTokens' | 'chains' | 'keystores' | 'paymasterContracts' | 'signers'}.list`,
): Command =>
  command('list', summary).action((options: DeskOptions) => printFromDesk(options, (call) => call(procedure, {})));

/** Reads a whole number within bounds from the command line. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };

/** Reads a chain id from the command line. */
export const chainIdArgument = wholeNumber(1, 999_999_999_999_999);
