import type { ProcedureOutput } from '../api/index.ts';
import { group } from './command.ts';
import { calling, forPeople } from './fields.ts';
import { harmless, humanText } from './human-text.ts';

const dapp = '--dapp <dapp>  only requests of this DApp: its name, or its id';

/** JSON in lines, which a terminal may show. */
const jsonLines = (json: string): string => json.split('\n').map(harmless).join('\n');

const requestText = ({ request, answer, ...row }: ProcedureOutput<'requests.show'>): string => {
  const bodies = Object.entries({ Request: request, Answer: answer });
  const shown = bodies.map(([name, json]) => `${name}\n${json === null ? '-' : jsonLines(json)}`);
  return `${[humanText(row), ...shown].join('\n\n')}\n`;
};

export const requestsCommand = group('requests', 'The last JSON-RPC requests that the running service received', [
  calling(
    'list',
    'List the last requests, newest first, also those that were refused',
    'requests.list',
    { paymasterId: dapp, after: 'only requests after this seq', limit: 'how many' },
    forPeople(({ requests }) =>
      requests.map(({ seq, at, method, outcome, status, code, ms }) => ({
        seq,
        at,
        method,
        outcome,
        status,
        code,
        ms,
      })),
    ),
  ),
  calling(
    'show',
    'Show a request and its answer, without secrets',
    'requests.show',
    { seq: '<seq>  number of the request, as "requests list" shows it', paymasterId: dapp },
    forPeople(requestText),
  ),
  calling('errors', 'Count denials and errors by their cause', 'requests.errors', { paymasterId: dapp }),
]);
