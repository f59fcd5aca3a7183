import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll } from 'vitest';
import { devWallet } from '../../src/demo/world-contracts.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { TestChain } from './local-chain.ts';

interface Alto {
  readonly url: string;
  /** Resolves when the bundler's process is gone. */
  stop(): Promise<void>;
}

const ALTO = fileURLToPath(new URL('../../node_modules/@pimlico/alto/esm/cli/alto.js', import.meta.url));

/** Runs before alto, which would otherwise listen on every interface and outlive aborted tests. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  return listen.call(this, { ...options, host: '127.0.0.1' }, ...rest);
};
process.stdin.resume().on('close', () => process.exit());
`)}`;

/** Starts Pimlico's bundler alto for a local chain and its EntryPoints, on a free port of 127.0.0.1. */
const startAlto = async ({ url, provider }: TestChain, entryPoints: readonly Address[]): Promise<Alto> => {
  const options = {
    entrypoints: entryPoints.join(','),
    'rpc-url': url,
    'executor-private-keys': devWallet(8, provider).privateKey,
    'utility-private-key': devWallet(9, provider).privateKey,
    // Opcode rules need a tracer that anvil lacks.
    'safe-mode': 'false',
    port: '0',
    // Without it alto raises its price after each payment, without end on a chain without other traffic.
    'static-max-priority-fee-per-gas': '1',
    'block-time': '200',
    'min-bundle-interval': '10',
    'max-bundle-interval': '50',
    json: 'true',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const env = { PATH: process.env['PATH'] };
  const alto = spawn(process.execPath, ['--import', PRELOAD, ALTO, 'run', ...args], { stdio: 'pipe', env });
  const ended = once(alto, 'exit');
  const output: string[] = [];
  alto.stderr.on('data', (data: Buffer) => output.push(data.toString()));
  const stop = async (): Promise<void> => {
    alto.stdin.end();
    await ended;
  };
  const lines = createInterface({ input: alto.stdout });
  for await (const line of lines) {
    const listening = /Server listening at (http:\/\/[\d.:]+)/.exec(line)?.[1];
    if (listening !== undefined) {
      alto.stdout.resume(); // unread output would block it
      return { url: listening, stop };
    }
    output.push(`${line}\n`);
  }
  throw new Error(`alto did not start: ${output.join('').slice(-2000)}`);
};

/** Gives the tests of the calling file (or `describe`) alto on a local chain. Call the result inside tests. */
export const useAlto = (chain: () => TestChain, entryPoints: () => readonly Address[]): (() => Omit<Alto, 'stop'>) => {
  let alto: Alto | undefined;
  beforeAll(async () => {
    alto = await startAlto(chain(), entryPoints());
  });
  afterAll(() => alto?.stop());
  return () => {
    if (alto === undefined) throw new Error('The bundler runs only while tests do');
    return alto;
  };
};
