import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { EngineError } from '../shared/errors.ts';
import type { Address, Hex } from '../shared/schema/hex.ts';
import { fetchFile, installedFile } from './npm-package.ts';

/** A running bundler: Pimlico's alto. */
export interface Alto {
  readonly url: string;
  /** Resolves when the bundler's process has ended. */
  stop(): Promise<void>;
}

const PACKAGE = '@pimlico/alto';
const VERSION = '0.0.20';
const FILE = 'esm/cli/alto.js';

/**
 * The script that runs alto, which is not part of Gasdesk because its licence is the GPL: that of an installed package,
 * or else npm fetches it. @param say reports that npm fetches it
 */
export const findAlto = async (say: (text: string) => void): Promise<string> => {
  const found = installedFile(PACKAGE, FILE);
  if (found !== undefined) return found;
  say(`Fetching the bundler ${PACKAGE}@${VERSION} with npm`);
  return fetchFile(PACKAGE, { version: VERSION, file: FILE, otherwise: 'use --bundler with the URL of a bundler' });
};

/** Runs before alto, which would otherwise listen on every interface, and outlive this process if a signal ends it. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  return listen.call(this, { ...options, host: '127.0.0.1' }, ...rest);
};
process.stdin.resume().on('close', () => process.exit());
`)}`;

interface AltoOptions {
  /** Script that runs alto. */
  readonly script: string;
  readonly rpc: string;
  readonly entryPoints: readonly Address[];
  /** Funded keys that no one else uses: one sends bundles, the other pays the bundler's own transactions. */
  readonly keys: { readonly executor: Hex; readonly utility: Hex };
}

/** Starts alto for a local chain, on a free port of 127.0.0.1. @throws EngineError `CONFIG_INVALID` with its
 * output if it does not start */
export const startAlto = async ({ script, rpc, entryPoints, keys }: AltoOptions): Promise<Alto> => {
  const options = {
    entrypoints: entryPoints.join(','),
    'rpc-url': rpc,
    'executor-private-keys': keys.executor,
    'utility-private-key': keys.utility,
    // Opcode rules need a tracer that local chains lack.
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
  const alto = spawn(process.execPath, ['--import', PRELOAD, script, 'run', ...args], { stdio: 'pipe', env });
  const ended = once(alto, 'exit');
  const output: string[] = [];
  alto.stderr.on('data', (data: Buffer) => output.push(data.toString()));
  const stop = async (): Promise<void> => {
    alto.stdin.end();
    await ended;
  };
  for await (const line of createInterface({ input: alto.stdout })) {
    const listening = /Server listening at (http:\/\/[\d.:]+)/.exec(line)?.[1];
    if (listening !== undefined) {
      alto.stdout.resume(); // unread output would block it
      return { url: listening, stop };
    }
    output.push(`${line}\n`);
  }
  throw new EngineError('CONFIG_INVALID', `The bundler alto did not start: ${output.join('').slice(-2000)}`);
};
