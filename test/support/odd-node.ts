import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a node answers a request; `body` is for answers that forward it. */
export type Answer = (response: ServerResponse, method: string, body: string) => void;

export const text =
  (body: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);

/** Answers with JSON that need not be JSON-RPC. */
export const json = (body: unknown, status = 200): Answer => text(JSON.stringify(body), status);

export const result = (value: unknown): Answer => json({ jsonrpc: '2.0', id: 1, result: value });

export const error = (code: unknown, message: unknown, status = 200): Answer =>
  json({ id: 1, error: { code, message } }, status);

/** Forwards the request to a real node. */
export const passTo =
  (url: string): Answer =>
  (response, _method, body) => {
    const headers = { 'content-type': 'application/json' };
    const asked = fetch(url, { method: 'POST', headers, body }).then((answer) => answer.text());
    asked.then(
      (answer) => response.end(answer),
      () => response.destroy(),
    );
  };

/** Runs with a node that answers every request in one way. */
export const withNode = async <T>(answer: Answer, run: (url: string) => Promise<T>): Promise<T> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      answer(response, (JSON.parse(body) as { method: string }).method, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};
