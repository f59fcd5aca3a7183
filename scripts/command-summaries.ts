import { join } from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';

/** Commands that can be run, not groups of them. */
export const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

export const fullName = (command: Command): string =>
  command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;

/** The file from which the console knows the commands that it shows. */
export const COMMAND_SUMMARIES = join(import.meta.dirname, '../src/renderer/src/drawer/command-summaries.ts');

/** The content of {@link COMMAND_SUMMARIES}, not yet formatted. */
export const commandSummaries = async (): Promise<string> => {
  const summaries = Object.fromEntries(
    leaves(await createProgram()).map((command) => [fullName(command).replace('gasdesk ', ''), command.summary()]),
  );
  return `/** What each command does. Made from the commands by \`npm run docs\`; changes by hand are lost. */
export const commandSummaries = ${JSON.stringify(summaries)} as const;
`;
};
