import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { EngineError } from '../../shared/errors.ts';
import type { Clock } from '../base/clock.ts';
import { readHostNames } from '../network/hosts.ts';
import { socketLookup } from '../network/names.ts';
import { exchange } from '../webhooks/exchange.ts';

export interface WalletRefusal {
  readonly code: number;
  /** The wallet's own message, shortened and without unprintable characters. */
  readonly words: string;
}

export type WalletAnswer = { readonly result: unknown } | { readonly refusal: WalletRefusal };

export interface WalletRpc {
  /** @throws EngineError `WALLET_UNREACHABLE` if no answer came in time, or if it was not JSON-RPC */
  request(url: string, method: string, params: readonly unknown[], withinMs: number): Promise<WalletAnswer>;
  stop(): void;
}

/** The origin that Frame shows when it asks its owner for permission. */
const ORIGIN = 'http://gasdesk';
/** Large enough for a transaction that creates a contract, which the answer contains twice: encoded and as fields. */
const MAX_ANSWER_BYTES = 1_048_576;
const MAX_WORDS = 200;

const printable = (text: string): string => {
  const clean = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return clean.length > MAX_WORDS ? `${clean.slice(0, MAX_WORDS)}…` : clean;
};

const refusalOf = (error: object): WalletRefusal => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const words = typeof message === 'string' ? printable(message) : '';
  return { code: typeof code === 'number' ? code : 0, words: words || 'it gave no reason' };
};

/** Undefined if the text is not a JSON-RPC response. The HTTP status is ignored: Frame refuses with 401. */
const readAnswer = (text: string): WalletAnswer | undefined => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  if ('error' in json && typeof json.error === 'object' && json.error !== null) {
    return { refusal: refusalOf(json.error) };
  }
  return 'result' in json ? { result: json.result } : undefined;
};

/** Sends each request once, on a new connection: a retry would ask the owner twice. */
export const createWalletRpc = (clock: Clock): WalletRpc => {
  const hosts = readHostNames();
  const agents = { 'http:': new HttpAgent(), 'https:': new HttpsAgent() };
  // Wallets are on this machine, so DNS is not used.
  const lookup = socketLookup(async (name) => hosts.addressesOf(name.toLowerCase()));
  const stopping = new AbortController();
  let id = 0;
  return {
    async request(url, method, params, withinMs) {
      id += 1;
      const target = new URL(url);
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const headers = { 'content-type': 'application/json', origin: ORIGIN };
      const late = new AbortController();
      const cancel = clock.setTimer(withinMs, () => late.abort(new Error(`no answer came in ${withinMs / 1_000} s`)));
      const signal = AbortSignal.any([late.signal, stopping.signal]);
      const agent = agents[target.protocol === 'https:' ? 'https:' : 'http:'];
      const { error, text } = await exchange(
        { url: target, method: 'POST', headers, body },
        { agent, lookup, signal, limitBytes: MAX_ANSWER_BYTES },
      );
      cancel();
      const answer = error === undefined ? readAnswer(text) : undefined;
      if (answer !== undefined) return answer;
      const { detail } = error?.evidence ?? {};
      const why = typeof detail === 'string' ? detail : 'the response is not JSON-RPC';
      const message = `The wallet at ${target.origin} does not answer: ${why}. Make sure that it runs, is unlocked, and listens there`;
      throw new EngineError('WALLET_UNREACHABLE', message);
    },
    stop: () => stopping.abort(new Error('the engine is stopping')),
  };
};
