import { CommanderError } from 'commander';
import { requireNodeApi } from '../engine/base/node-api.ts';
import { EngineError } from '../shared/errors.ts';
import { printCompletions } from './complete.ts';
import { COMPLETE } from './completion.ts';
import { createProgram, withCommandFirst, withTodaysNames } from './program.ts';
import { type Terminal, commandLog, exitWith, inTerminal, printError } from './terminal.ts';

const FAILED = 1;
const BAD_USAGE = 2;
/** What to do about an error that does not say so itself. */
const HINTS: Readonly<Record<string, string>> = {
  VAULT_LOCKED:
    'Set GASDESK_PASSPHRASE, or use --passphrase-file. If the service is running, restart it with the passphrase.',
  PAYMASTER_NAME_EXISTS: 'The account has another DApp with this name. Choose another name, or see: gasdesk dapp list',
  BACKUP_EXISTS: 'Choose another name, or replace the backup with --force',
  CHAIN_NOT_SUPPORTED: 'To add the chain, run: gasdesk chain set CHAIN_ID --rpc URL',
};

const hintFor = ({ code, data }: EngineError): string | undefined => {
  const { fix, supported } = data;
  if (code === 'VERSION_NOT_SUPPORTED' && Array.isArray(supported)) return `The versions are: ${supported.join(', ')}`;
  return fix === undefined ? HINTS[code] : undefined;
};

/** Prints an error in readable form. @returns the exit code */
const explain = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_USAGE;
  if (!(error instanceof EngineError)) {
    commandLog('error').error('command.failed', { err: error });
    printError('Internal error. The log line above has the details.');
    return FAILED;
  }
  const hint = hintFor(error);
  printError([error.message, ...(hint === undefined ? [] : [hint])].join('. '));
  return error.code === 'VALIDATION' ? BAD_USAGE : FAILED;
};

/**
 * Runs a command line.
 *
 * @param args without the names of Node.js and the script
 * @returns the exit code (behaviour 1.5)
 */
export const runGasdesk = (args: readonly string[], terminal: Terminal): Promise<number> =>
  inTerminal(terminal, async () => {
    try {
      if (args[0] === COMPLETE) {
        await printCompletions(args.slice(1));
        return;
      }
      const meant = withTodaysNames(withCommandFirst(args));
      const program = await createProgram(meant[0]);
      program.hook('preAction', () => requireNodeApi());
      await program.parseAsync(meant, { from: 'user' });
    } catch (error) {
      exitWith(explain(error));
    }
  });
