import { MANAGEMENT_PREFIX } from '../engine/management/operations.ts';
import { type RpcReply, requestSponsorship } from './sponsor-rpc.ts';

export interface ManagementAnswer {
  statusCode: number;
  message: string;
  data?: unknown;
}

/** A client of Gasdesk over HTTP, as used by DApps and their developers. */
export interface DeskClient {
  /** @throws Error if the response's status is not 200 */
  manage(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<unknown>;
  sponsor(chainId: number, apiKey: string, params: readonly unknown[]): Promise<RpcReply>;
}

/** Creates a client of the Gasdesk server at `url`. */
export const deskClient = (url: string): DeskClient => ({
  async manage(method, path, headers, body) {
    const response = await fetch(`${url}${MANAGEMENT_PREFIX}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as ManagementAnswer;
    if (response.status !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.message}`);
    return answer.data;
  },
  sponsor: (chainId, apiKey, params) => requestSponsorship({ url, chainId, apiKey }, params),
});
