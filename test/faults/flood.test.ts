import { readFileSync, readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { deskClient } from '../../src/demo/desk-client.ts';
import { useServe } from '../support/cli.ts';
import { CHAIN, SIGNING_ENV, signableOperation, signingFolder } from '../support/signing-folder.ts';
import { startFlood } from '../support/start-flood.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
const serve = useServe();

const MIB = 1024 * 1024;
const CLIENTS = 4;
const REQUESTS = 300;
/** Fewer than the flood opens. */
const MOST_CONNECTIONS = 600;
/** What unfinished bodies may hold together, and as much again for what is not collected yet; and a heap that has grown. */
const MOST_GROWTH = 200 * MIB;
/** On a machine that does nothing else an honest request takes some ms, under the flood some 100: the bench tells. */
const MOST_TIMES_SLOWER = 100;

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

test.skipIf(process.platform !== 'linux')(
  'a flood of strangers leaves honest requests answered, and memory flat (reads /proc)',
  async () => {
    const dir = tempFolder();
    const apiKey = await signingFolder(dir, 1_000_000);
    const desk = await serve(['--data', dir], {
      ...SIGNING_ENV,
      GASDESK_MAX_CONNECTIONS: String(MOST_CONNECTIONS),
    });
    const client = deskClient(desk.url);
    let nonce = 0;
    /** Sends honest requests, all of which must be signed. Answers what 99 of 100 take at most, in ms. */
    const honest = async (): Promise<number> => {
      const took: number[] = [];
      const ask = async (): Promise<void> => {
        while (took.length < REQUESTS) {
          const start = performance.now();
          const op = signableOperation((nonce += 1));
          const { result } = await client.sponsor(CHAIN, apiKey, [op, { mode: 'SPONSORED' }]);
          expect(result).toMatchObject({ paymasterAndData: expect.stringMatching(/^0xabab/) });
          took.push(performance.now() - start);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, ask));
      return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? NaN;
    };
    await honest();
    const quietMs = await honest();
    const quietBytes = residentBytes(desk.pid);
    const quietDescriptors = descriptors(desk.pid);

    const flood = await startFlood(desk.url, CHAIN, apiKey);
    onTestFinished(() => flood.kill());
    const floodedMs = await honest();
    const floodedBytes = residentBytes(desk.pid);
    await honest();
    const laterBytes = residentBytes(desk.pid);
    expect(descriptors(desk.pid) - quietDescriptors).toBeLessThanOrEqual(MOST_CONNECTIONS);
    const answers = await flood.stop();

    // Strangers are told so; what comes with the DApp's key and never ends is given up.
    expect(answers['401']).toBeGreaterThan(0);
    expect(Object.keys(answers).filter((status) => !['401', '408'].includes(status))).toEqual([]);
    expect(floodedMs).toBeLessThan(MOST_TIMES_SLOWER * quietMs);
    expect(floodedBytes - quietBytes).toBeLessThan(MOST_GROWTH);
    expect(laterBytes - quietBytes).toBeLessThan(MOST_GROWTH);
  },
);
