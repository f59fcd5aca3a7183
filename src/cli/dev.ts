import { Command, Option } from 'commander';
import { entryPoints, usualEntryPoint } from '../core/entry-points/registry.ts';
import { EngineError } from '../shared/errors.ts';
import type { EntryPointVersion } from '../shared/schema/user-operation.ts';
import { MAX_WHOLE_NUMBER, folderArgument, wholeNumber } from './command.ts';
import { stopRequested } from './stop-requested.ts';
import { decisionLines, tailDecisions } from './tail-decisions.ts';
import { printLine, printNote } from './terminal.ts';

interface DevFlags {
  readonly rpc?: string;
  readonly bundler?: string;
  readonly port?: number;
  readonly data?: string;
  readonly entryPoint: EntryPointVersion;
  readonly limit: number;
  readonly prefix: string;
  readonly watch?: true;
}

const SUMMARY = 'Sponsor the operations of an app that you develop, on a local chain';

/** `gasdesk dev`. The lines for the app are its only output, so that they can be written to a file. */
export const devCommand = new Command('dev')
  .summary(SUMMARY)
  .description(SUMMARY)
  .option(
    '--rpc <url>',
    'node of a local chain: anvil, Hardhat, or one of them with a fork (default: an anvil of its own)',
  )
  .option(
    '--bundler <url>',
    'bundler of that chain (default: an alto of its own, which npm fetches if it is not installed)',
  )
  .addOption(
    new Option('--entry-point <version>', 'version of the EntryPoint')
      .choices(Object.keys(entryPoints))
      .default(usualEntryPoint.version),
  )
  .option(
    '--limit <n>',
    'operations that are sponsored a day for each user; a desk that is kept keeps its limit',
    wholeNumber(1, MAX_WHOLE_NUMBER),
    100,
  )
  .option('--port <port>', 'port to listen on (default: 8645, or any other if that is taken)', wholeNumber(0, 65_535))
  .option('--prefix <text>', 'text before the names of the variables, such as VITE_ or NEXT_PUBLIC_', '')
  .option('--watch', 'print each decision as it is made, with what would help')
  .option('--data <dir>', 'data folder, which is kept (default: a temporary folder); only with --rpc', folderArgument)
  .addHelpText(
    'after',
    `
Starts what is missing and deploys what is missing, prints three lines for the .env file of the app, and runs until Ctrl-C,
which ends and removes all of it. GASDESK_URL is the URL of both paymaster and bundler. CONTRACT is a sample contract with
a method mint(uint256).`,
  )
  .action(async ({ prefix, watch, ...options }: DevFlags) => {
    if (options.data !== undefined && options.rpc === undefined) {
      const why = 'a chain of its own, on which the desk depends, ends with the command';
      throw new EngineError('VALIDATION', `--data needs --rpc: ${why}`);
    }
    const stopped = stopRequested();
    const [{ createEnds }, { startDevDesk }] = await Promise.all([
      import('../demo/ends.ts'),
      import('../demo/dev-desk.ts'),
    ]);
    const ends = createEnds();
    try {
      const desk = await startDevDesk(options, ends, printNote);
      printNote(`Console at ${desk.console}`);
      const variables = { RPC_URL: desk.rpc, GASDESK_URL: desk.url, CONTRACT: desk.sample };
      for (const [name, value] of Object.entries(variables)) printLine(`${prefix}${name}=${value}`);
      printNote('Put these three lines into the .env file of your app. Ctrl-C ends everything.');
      const { service } = desk.engine;
      if (watch === true)
        await tailDecisions((name, input) => service.call(name, input), {}, stopped, decisionLines, printNote);
      else await stopped;
    } finally {
      await ends.all();
    }
  });
