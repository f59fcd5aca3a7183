import { afterAll } from 'vitest';
import type { Exchange } from './described-differences.ts';

/**
 * Checks every JSON-RPC request that a test sends by `fetch`, and its answer, against `/openrpc.json`. A difference
 * fails the test file.
 */

const RPC_PATH = /\/(?:api\/v[12]\/[^/]+\/[^/]+|rpc\/[^/]+)$/;

/** This file runs before each test file, in the same process: `fetch` must be wrapped only once. */
const watching = globalThis as typeof globalThis & { watchedExchanges?: Exchange[] };

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const record = (exchanges: Exchange[], sent: string, answered: string): void => {
  const [requests, answers] = [readJson(sent), readJson(answered)];
  const [asked, told] = [requests, answers].map((body): unknown[] => (Array.isArray(body) ? body : [body]));
  for (const [index, request] of (asked ?? []).entries()) {
    const answer = told?.[index];
    const isAnswered = typeof answer === 'object' && answer !== null && ('result' in answer || 'error' in answer);
    if (isAnswered && typeof request === 'object' && request !== null) exchanges.push({ request, answer } as Exchange);
  }
};

const watchFetch = (): Exchange[] => {
  const exchanges: Exchange[] = [];
  const fetched = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await fetched(input, init);
    const url = input instanceof Request ? input.url : String(input);
    if (typeof init?.body === 'string' && RPC_PATH.test(url)) {
      record(exchanges, init.body, await response.clone().text());
    }
    return response;
  };
  return exchanges;
};

const exchanges = (watching.watchedExchanges ??= watchFetch());

afterAll(async () => {
  const seen = exchanges.splice(0);
  if (seen.length === 0) return;
  // Loaded on demand: most test files exchange nothing.
  const { describedDifferences } = await import('./described-differences.ts');
  const differences = new Set(
    seen.flatMap((exchange) =>
      describedDifferences(exchange).map((difference) => `${String(exchange.request.method)}: ${difference}`),
    ),
  );
  if (differences.size > 0) throw new Error(`Not as /openrpc.json says:\n${[...differences].join('\n')}`);
});
