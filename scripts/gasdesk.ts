import { pathToFileURL } from 'node:url';
import { buildContracts } from './build-contracts.ts';
import { buildCli, buildConsole, buildProofPage } from './build-stale.ts';

/** The command line in a clone: builds what is out of date and needed for the command, then runs the command. */

const [command, ...options] = process.argv.slice(2);
const opensConsole =
  command === 'serve' ||
  command === 'dev' ||
  command === 'review' ||
  (command === 'demo' && !options.includes('--once'));

await buildContracts();
if (opensConsole && !options.includes('--help')) buildConsole();
if (command === 'decisions' && options[0] === 'proof') buildProofPage();
await import(pathToFileURL(buildCli()).href);
