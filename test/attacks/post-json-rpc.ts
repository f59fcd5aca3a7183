import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Violation } from './violation.ts';

interface JsonRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Keeps its connections; false makes a new one. */
  readonly agent: Agent | false;
}

/** Posts a JSON-RPC request. @throws Violation `HONEST_UNANSWERED` if no response comes */
export const postJsonRpc = async (
  url: string,
  { method, params, agent }: JsonRpcCall,
): Promise<{ status: number; text: string }> => {
  try {
    const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, agent });
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, text: await text(response) };
  } catch (error) {
    throw new Violation('HONEST_UNANSWERED', `${method}: ${String(error)}`);
  }
};
