import { pathToFileURL } from 'node:url';
import { buildContracts } from './build-contracts.ts';
import { buildCli, buildConsole, buildProofPage } from './build-stale.ts';

/** The command line in a clone: builds what is out of date and needed for the command, then runs the command. */

const words = process.argv.slice(2);
// Not only the first word, because options may come before the command.
const has = (...names: readonly string[]): boolean => names.some((name) => words.includes(name));
const opensConsole = has('serve', 'dev', 'review') || (has('demo') && !has('--once'));

await buildContracts();
if (opensConsole && !has('--help')) buildConsole();
if (has('decisions') && has('proof')) buildProofPage();
await import(pathToFileURL(buildCli()).href);
