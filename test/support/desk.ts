import { Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { Engine } from '../../src/engine/index.ts';
import { MANAGEMENT_PREFIX } from '../../src/engine/management/operations.ts';
import type { ManualClock } from './manual-clock.ts';
import { type ServingEngine, startEngine } from './engine.ts';
import { useFixture } from './fixture.ts';
import { makeTempFolder, removeTempFolder } from './temp-folder.ts';

/** An answer of the desk; `body` is its JSON, or undefined if it has none. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: unknown;
}

/** Parts of a request other than method and path. Text or bytes as the body are sent unchanged. */
export interface RequestParts {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
}

export interface Envelope {
  readonly statusCode: number;
  readonly message: string;
  readonly errors?: readonly string[];
  readonly data?: unknown;
}

export interface Credentials extends Record<string, string> {
  authToken: string;
  apiKey: string;
}

export interface TestDapp {
  readonly name: string;
  readonly chainId: number;
  readonly paymasterId: string;
  readonly credentials: Credentials;
}

export interface TestDesk {
  readonly url: string;
  readonly service: Engine['service'];
  readonly log: readonly string[];
  send(method: string, path: string, parts?: RequestParts): Promise<Answer>;
  /** Sends a request to the management interface; checks that the answer is an envelope with its own status. */
  manage(method: string, path: string, parts?: RequestParts): Promise<Envelope>;
  /** Writes bytes to a socket and reads until the desk ends the connection. */
  raw(bytes: string | Buffer): Promise<string>;
  authToken(accountId?: string): Promise<string>;
  /** Registers a DApp through the management interface, in a new account unless a token identifies one. */
  dapp(authToken?: string, definition?: { name?: string; chainId?: number }): Promise<TestDapp>;
  /**
   * Every row of the database file as JSON, by table, read past the engine. Omits what depends on the clock:
   * checkpoints, last uses, and how far events are sent.
   */
  rows(): Record<string, string[]>;
}

const toBytes = (body: unknown): Buffer | undefined => {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const sender =
  (url: string, agent: Agent): TestDesk['send'] =>
  (method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const bytes = toBytes(body);
      const { hostname, port } = new URL(url);
      const contentHeaders = bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) };
      const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const request = httpRequest(
        // The path is sent unchanged: a URL would repair what these tests break.
        { hostname, port, method, path, agent, headers: { ...contentHeaders, ...lowerCase } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parseJson(text) });
          });
        },
      );
      request.on('error', reject);
      request.end(bytes);
    });

const sendRaw = (url: string, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });

const readRows = (file: string): Record<string, string[]> => {
  const database = new Database(file, { readonly: true });
  try {
    const tables = database
      .prepare<[], string>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT IN ('log_checkpoint', 'event_position')`,
      )
      .pluck()
      .all();
    return Object.fromEntries(
      tables.map((table) => [
        table,
        database
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .map((row) => JSON.stringify({ ...(row as object), last_used_at: undefined })),
      ]),
    );
  } finally {
    database.close();
  }
};

const createDesk = (engine: ServingEngine, log: readonly string[], agent: Agent): TestDesk => {
  const { url } = engine;
  const send = sender(url, agent);
  let made = 0;
  const desk: TestDesk = {
    url,
    service: engine.service,
    log,
    send,
    async manage(method, path, parts) {
      const { status, text, body } = await send(method, MANAGEMENT_PREFIX + path, parts);
      expect(body, `${method} ${path.slice(0, 200)}: ${text.slice(0, 200)}`).toMatchObject({
        statusCode: status,
        message: expect.any(String) as string,
      });
      return body as Envelope;
    },
    raw: (bytes) => sendRaw(url, bytes),
    async authToken(accountId) {
      const owner = accountId ?? (await engine.service.run('accounts.create', { name: 'Test account' })).accountId;
      return (await engine.service.run('authTokens.create', { accountId: owner })).authToken;
    },
    async dapp(authToken, { name = `DApp ${(made += 1)}`, chainId = 31337 } = {}) {
      const token = authToken ?? (await desk.authToken());
      const body = { name, type: 'HYBRID', chainId, version: '1.1.0' };
      const { data } = await desk.manage('POST', '/paymaster', { headers: { authToken: token }, body });
      const credentials = { authToken: token, apiKey: (data as { apiKey: string }).apiKey };
      const message = await desk.manage('GET', '/funding-message', { headers: credentials });
      const { paymasterId } = message.data as { paymasterId: string };
      return { name, chainId, paymasterId, credentials };
    },
    rows: () => readRows(engine.database),
  };
  return desk;
};

/**
 * Gives the tests of the calling file (or `describe`) a desk on an empty data folder and a free port. Call the result
 * inside tests.
 */
export const useDesk = ({ clock }: { clock?: ManualClock } = {}): (() => TestDesk) => {
  const agent = new Agent({ keepAlive: true });
  const dir = makeTempFolder();
  const running = useFixture(
    async () => {
      const lines: string[] = [];
      const writeLog = (line: string): void => void lines.push(line);
      const engine = await startEngine({ dir, writeLog, flags: { logLevel: 'info' }, ...(clock && { clock }) });
      return { engine, desk: createDesk(engine, lines, agent) };
    },
    async (made) => {
      agent.destroy();
      await made?.engine.stop();
      removeTempFolder(dir);
    },
  );
  return () => running().desk;
};
