import { calling } from './fields.ts';
import { inspectionText } from './inspection-text.ts';
import { exitWith, terminal } from './terminal.ts';
import { chainArgument } from './words.ts';

/** Maximum length of the input. It exceeds the maximum length of an inspected value, so the rest need not be read. */
const MAX_INPUT_BYTES = 1024 * 1024;

/** Reads standard input to its end. */
const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of terminal().stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    total += chunk.length;
    if (total >= MAX_INPUT_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** `gasdesk inspect` */
export const inspectCommand = calling(
  'inspect',
  'Decode a value: paymaster data, a user operation, a bundle, an error; exit code 1 if it is not recognised',
  'inspect.value',
  {
    value: {
      words: '<value>  hex, JSON, a hash or the text of an error; - reads standard input',
      send: (value: string) => (value === '-' ? readInput() : value),
    },
    chainId: {
      words: '--chain <chain>  chain that the value belongs to: its name, or its id (default: any configured chain)',
      parse: chainArgument,
    },
  },
  (inspected, { json }) => {
    if (inspected.readings.length === 0) exitWith(1);
    return json ? inspected : `${inspectionText(inspected)}\n`;
  },
);
