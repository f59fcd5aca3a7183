import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Transaction, Wallet, getBytes, toUtf8String } from 'ethers';
import { afterAll, afterEach, beforeAll } from 'vitest';

export interface WalletRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly headers: IncomingMessage['headers'];
}

/** How a wallet reacts to a request: a result, an error of JSON-RPC, or arbitrary use of the open response. */
export type WalletReply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly act: (response: ServerResponse) => void };

/** A wallet over a real socket that behaves as its test says. */
export interface FakeWallet {
  readonly url: string;
  readonly account: Wallet;
  /** In order. */
  readonly asked: WalletRequest[];
  /** Undefined leaves the request to Clef. Ends with the test. */
  behave(reply: (request: WalletRequest) => WalletReply | undefined): void;
  /** Resolves when a request of this method has arrived. */
  askedFor(method: string): Promise<void>;
}

const UNKNOWN = { error: { code: -32601, message: 'the method does not exist/is not available' } };

/** Clef's external API, with an owner who confirms everything (https://geth.ethereum.org/docs/clef/apis). */
const clef = async (account: Wallet, { method, params }: WalletRequest): Promise<WalletReply> => {
  if (method === 'account_list') return { result: [account.address.toLowerCase()] };
  if (method === 'account_signData') {
    const [type, from, data] = params as [string, string, string];
    if (type !== 'text/plain' || from.toLowerCase() !== account.address.toLowerCase()) {
      return { error: { code: -32000, message: 'unknown account' } };
    }
    return { result: await account.signMessage(toUtf8String(data)) };
  }
  if (method === 'account_signTransaction') {
    const { from: _, gas, ...rest } = params[0] as Record<string, string>;
    const tx = Transaction.from({
      ...rest,
      gasLimit: gas ?? null,
      nonce: Number(rest['nonce']),
      type: rest['gasPrice'] ? 0 : 2,
    });
    tx.signature = account.signingKey.sign(getBytes(tx.unsignedHash));
    return { result: { raw: tx.serialized, tx: {} } };
  }
  return UNKNOWN;
};

/** Gives the tests of the calling file such a wallet: Clef, unless a test changes it. */
export const useFakeWallet = (): (() => FakeWallet) => {
  const account = new Wallet(Wallet.createRandom().privateKey);
  const asked: WalletRequest[] = [];
  const waiting = new Map<string, () => void>();
  let behaviour: (request: WalletRequest) => WalletReply | undefined = () => undefined;
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method, params } = JSON.parse(await text(incoming)) as WalletRequest & { id: number };
    const request = { method, params, headers: incoming.headers };
    asked.push(request);
    const reply = behaviour(request) ?? (await clef(account, request));
    waiting.get(method)?.();
    if ('act' in reply) {
      reply.act(response);
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  let url = '';
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    behaviour = () => undefined;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => ({
    url,
    account,
    asked,
    behave: (reply) => {
      behaviour = reply;
    },
    askedFor: (method) => new Promise((resolve) => waiting.set(method, resolve)),
  });
};
