import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedCall {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Receiver {
  readonly port: number;
  /** At 127.0.0.1, without a path. */
  readonly url: string;
  connections(): number;
}

const listen = async (server: Server): Promise<Receiver> => {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    // The desk breaks off what it must not read to the end.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, connections: () => connections };
};

/** A webhook over HTTP that ends with the test; `answer` runs for each complete call. */
export const startReceiver = async (
  answer: (call: ReceivedCall, response: ServerResponse) => void,
): Promise<Receiver & { readonly calls: ReceivedCall[] }> => {
  const calls: ReceivedCall[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: target = '', headers } = request;
      const call = { method, target, headers, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      answer(call, response);
    });
  });
  return { ...(await listen(server)), calls };
};

/**
 * A webhook that may break HTTP; `answer` gets the socket, the text of the request and the number of its connection.
 */
export const startRawReceiver = (
  answer: (socket: Socket, request: string, connection: number) => void,
): Promise<Receiver> => {
  let connection = 0;
  const server = createTcpServer((socket) => {
    connection += 1;
    const mine = connection;
    socket.on('data', (chunk) => answer(socket, chunk.toString('latin1'), mine));
  });
  return listen(server);
};

/** Answers like a webhook that verifies everything. */
export const verify = (_call: ReceivedCall, response: ServerResponse): void => {
  response.setHeader('content-type', 'application/json').end('{"arePoliciesVerified":true}');
};
