import type { ProcedureOutput } from '../api/index.ts';
import { chainIdArgument, command } from './command.ts';
import { type DeskOptions, withDesk } from './desk.ts';
import { inspectionText } from './inspection-text.ts';
import { exitWith, printLine, terminal } from './terminal.ts';

type Inspected = ProcedureOutput<'inspect.value'>;

/** More than is inspected: the rest is not worth reading. */
const MOST_READ = 1024 * 1024;

/** Standard input, to its end. */
const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of terminal().stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    total += chunk.length;
    if (total >= MOST_READ) break;
  }
  return Buffer.concat(chunks).toString('utf8');
};

const print = (inspected: Inspected, json: boolean): void => {
  printLine(json ? JSON.stringify(inspected) : inspectionText(inspected));
};

/** `gasdesk inspect` */
export const inspectCommand = command(
  'inspect',
  'Take a value apart: paymaster data, a user operation, a bundle, an error; exit code 1 if nothing fits',
)
  .argument('<value>', 'hex, JSON, a hash or the text of an error; - reads standard input')
  .option('--chain-id <n>', 'chain it belongs to (default: any that the desk works on)', chainIdArgument)
  .action(async (value: string, options: DeskOptions & { chainId?: number }) => {
    const text = value === '-' ? await readInput() : value;
    const { chainId } = options;
    const input = { value: text, ...(chainId !== undefined && { chainId }) };
    const inspected = await withDesk(options, (call) => call('inspect.value', input));
    print(inspected, options.json === true);
    if (inspected.readings.length === 0) exitWith(1);
  });
