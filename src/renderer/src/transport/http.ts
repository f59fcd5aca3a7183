import type { EngineAnswer } from '../../../shared/console-bridge.ts';
import type { ProcedureInput, ProcedureName } from '../../../api/index.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import { EngineError } from '../../../shared/errors.ts';
import type { FeedPage } from '../../../shared/schema/decision.ts';
import { printPage } from './print-page.ts';
import { readEvents } from './sse.ts';
import { type Transport, outputOf } from './transport.ts';

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'OPERATOR_TOKEN_INVALID',
  403: 'FORBIDDEN_ORIGIN',
  429: 'RATE_LIMITED',
};

/**
 * Calls procedures over HTTP, and receives the feed as server-sent events, for the console in a browser.
 *
 * @param consoleUrl address of the console, with a trailing slash
 * @param token the operator token; it is sent in a header, so that no log and no history contains it
 */
export const httpTransport = (consoleUrl: string, token: string): Transport => {
  const headers = { authorization: `Bearer ${token}` };
  return {
    async call<Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>) {
      const response = await fetch(new URL('call', consoleUrl), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name, input }),
      });
      return outputOf<Name>((await response.json()) as EngineAnswer);
    },
    async feed({ after, signal, onPage }) {
      const url = new URL('events', consoleUrl);
      if (after !== undefined) url.searchParams.set('after', String(after));
      const response = await fetch(url, { headers, signal });
      if (!response.ok || response.body === null) {
        throw new EngineError(CODE_OF_STATUS[response.status] ?? 'INTERNAL');
      }
      for await (const { event, data } of readEvents(response.body)) {
        if (event === 'page') onPage(JSON.parse(data) as FeedPage);
      }
    },
    copy: (text) => navigator.clipboard.writeText(text),
    print: (_filter, html) => printPage(html),
  };
};
