import { readFileSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type ServingCli, useServe } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { type FloodKind, startFlood } from '../support/start-flood.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const MIB = 1024 * 1024;
const CLIENTS = 4;
const REQUESTS = 200;
/** Fewer than the floods open. */
const MAX_CONNECTIONS = 600;
const MAX_RESIDENT = 400 * MIB;
/** Of a machine that does nothing else. On one that is busy, honest requests take longer without a flood, too. */
const MAX_MS = 500;
const MAX_TIMES_SLOWER = 5;
/**
 * Of a request on a new connection, in a flood of connections: the operating system hands them over in the order in which
 * they came, so it waits for a thousand before it.
 */
const MAX_QUEUED_MS = 10_000;
/** Twelve tokens of sixteen streams each, half of them of another DApp. */
const TOKENS = 12;

/** The floods that open more connections than the desk keeps. */
const FLOODS_OF_CONNECTIONS: readonly FloodKind[] = ['silence', 'lodgers of one address', 'lodgers of many addresses'];

/** The statuses that strangers are answered with; none if they read nothing. */
const FLOODS: readonly [kind: FloodKind, statuses: readonly string[]][] = [
  ['silence', ['401', '408']],
  ['lodgers of one address', ['200']],
  ['lodgers of many addresses', ['200']],
  ['unread answers', []],
  ['requests ahead', ['400', '401']],
  ['event streams', ['200']],
  ['fat data', ['400']],
];

interface Took {
  readonly ms: number;
  readonly onNew: boolean;
}

/** What 99 of 100 take at most, in ms. */
const percentile99 = (took: readonly Took[]): number =>
  took.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? NaN;

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Tokens of tenants who follow the events: of the account of the DApp that is sponsored, and of another DApp. */
const tenants = async ({ url, console }: ServingCli): Promise<string[]> => {
  const operator = new URLSearchParams(new URL(console).hash.slice(1)).get('token');
  const call = async (name: string, input: object): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${operator}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/console/call`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name, input }),
    });
    const { output } = (await response.json()) as { output: Record<string, string> };
    return output;
  };
  const { accountId } = await call('accounts.create', { name: 'Another' });
  const other = { accountId, name: 'Another', type: 'HYBRID', chainId: CHAIN, version: '1.1.0' };
  const { paymasterId } = await call('paymasters.create', other);
  const tokens: string[] = [];
  for (let made = 0; made < TOKENS; made += 1) {
    const { authToken = '' } = await call('authTokens.create', made % 2 === 0 ? {} : { paymasterId });
    tokens.push(authToken);
  }
  return tokens;
};

test.skipIf(process.platform !== 'linux')(
  'whatever strangers flood it with, a desk answers honest requests, and its memory stays bounded (reads /proc)',
  async () => {
    const dir = tempFolder();
    const apiKey = await signingFolder(dir, 1_000_000);
    const desk = await serve(['--data', dir], { ...SIGNING_ENV, GASDESK_MAX_CONNECTIONS: String(MAX_CONNECTIONS) });
    const tokens = await tenants(desk);
    const address = `${desk.url}/api/v1/${CHAIN}/${apiKey}`;
    let nonce = 0;
    let mostResident = 0;

    /** Asks for a signature, on a connection of its own or on one that is kept. Answers the body. */
    const ask = (onNew: boolean, body: string): Promise<string> => {
      const [method, headers] = ['POST', { 'content-type': 'application/json' }];
      const send = (): Promise<string> => fetch(address, { method, headers, body }).then((response) => response.text());
      // As HTTP clients do: a kept connection may have been closed for being idle just when it is used again.
      if (!onNew) return send().catch(send);
      return new Promise((resolve, reject) => {
        const sent = request(address, { method, headers, agent: false }, (response) => resolve(text(response)));
        sent.once('error', reject).end(body);
      });
    };
    /** Sends honest requests, half of them on new connections. All must be signed. */
    const honest = async (): Promise<readonly Took[]> => {
      const took: Took[] = [];
      const client = async (_: unknown, number: number): Promise<void> => {
        while (took.length < REQUESTS) {
          const params = [signableOperation((nonce += 1)), { mode: 'SPONSORED' }];
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params });
          const start = performance.now();
          const onNew = number % 2 === 0;
          expect(JSON.parse(await ask(onNew, body))).toMatchObject({
            result: { paymasterAndData: expect.stringMatching(/^0xabab/) },
          });
          took.push({ ms: performance.now() - start, onNew });
          mostResident = Math.max(mostResident, residentBytes(desk.pid));
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }).map(client));
      return took;
    };
    await honest();
    const quietMs = percentile99(await honest());
    const quietDescriptors = descriptors(desk.pid);

    const slowest: Partial<Record<FloodKind, number>> = {};
    const queued: number[] = [];
    for (const [kind, statuses] of FLOODS) {
      const flood = await startFlood(kind, { url: desk.url, chainId: CHAIN, apiKey, tokens });
      onTestFinished(() => flood.kill());
      const took = await honest();
      const isQueued = ({ onNew }: Took): boolean => onNew && FLOODS_OF_CONNECTIONS.includes(kind);
      slowest[kind] = percentile99(took.filter((one) => !isQueued(one)));
      queued.push(...took.filter(isQueued).map(({ ms }) => ms));
      expect(descriptors(desk.pid) - quietDescriptors).toBeLessThanOrEqual(MAX_CONNECTIONS);
      const answers = await flood.stop();
      expect(Object.keys(answers).filter((status) => !statuses.includes(status))).toEqual([]);
      expect(Object.keys(answers).length > 0, kind).toBe(statuses.length > 0);
    }
    const bound = Math.max(MAX_MS, MAX_TIMES_SLOWER * quietMs);
    expect(
      Object.entries(slowest).filter(([, ms]) => ms >= bound),
      `${quietMs} ms without a flood`,
    ).toEqual([]);
    expect(queued).not.toEqual([]);
    expect(Math.max(...queued)).toBeLessThan(MAX_QUEUED_MS);
    expect(mostResident).toBeLessThan(MAX_RESIDENT);
  },
);
