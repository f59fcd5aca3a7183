import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { EngineError } from '../shared/errors.ts';
import { fetchFile, installedFile } from './npm-package.ts';

/** A running local chain. It mines a block for every transaction immediately. */
export interface LocalChain {
  readonly url: string;
  readonly chainId: number;
  /** Resolves when the chain's process has ended. */
  stop(): Promise<void>;
}

/**
 * Script that runs anvil until anvil ends, or until stdin closes because this process has ended. An exit handler would
 * not run when a signal ends the process, and anvil would keep running.
 */
const KEEPER = `
const anvil = require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit'] });
anvil.on('error', (error) => { console.error(String(error)); process.exit(1); });
anvil.on('exit', (code) => process.exit(code ?? 0));
process.stdin.resume().on('close', () => anvil.kill('SIGKILL'));
`;

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

/** The newest version with which Gasdesk is tested. */
const VERSION = '1.7.1';
const OTHER_WAYS = 'install Foundry (https://getfoundry.sh), or set GASDESK_ANVIL to the path of an anvil';

const packageName = (): string => {
  const arch: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64' };
  return `@foundry-rs/anvil-${process.platform}-${arch[process.arch] ?? process.arch}`;
};

const FILE = process.platform === 'win32' ? 'anvil.exe' : 'anvil';

const fromPackage = (): string | undefined => installedFile(packageName(), `bin/${FILE}`);

/**
 * The anvil executable: `GASDESK_ANVIL`, or else the npm package for this platform, or else `anvil` on the PATH. Throws
 * an Error that says how to get anvil.
 */
export const findAnvil = (env: NodeJS.ProcessEnv = process.env, packaged = fromPackage): string => {
  if (env['GASDESK_ANVIL']) {
    if (isExecutable(env['GASDESK_ANVIL'])) return env['GASDESK_ANVIL'];
    throw new EngineError(
      'CONFIG_INVALID',
      `GASDESK_ANVIL names ${env['GASDESK_ANVIL']}, which is not an executable file`,
    );
  }
  const onPath = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, FILE));
  const found = packaged() ?? onPath.find(isExecutable);
  if (found !== undefined) return found;
  throw new EngineError(
    'CONFIG_INVALID',
    `No anvil (the local chain of Foundry) was found. Run npm install ${packageName()}, or ${OTHER_WAYS}.`,
    { missing: 'anvil' },
  );
};

/** Like {@link findAnvil}, but has npm fetch anvil if it is missing. @param say reports that npm fetches it */
export const obtainAnvil = async (say: (text: string) => void): Promise<string> => {
  try {
    return findAnvil();
  } catch (error) {
    if (!(error instanceof EngineError) || error.data['missing'] !== 'anvil') throw error;
    say(`Fetching the local chain ${packageName()}@${VERSION} with npm`);
    return fetchFile(packageName(), { version: VERSION, file: `bin/${FILE}`, otherwise: OTHER_WAYS });
  }
};

/** The port that anvil reports. If anvil ends instead, throws an Error with its output. */
const listeningPort = async (anvil: ChildProcessWithoutNullStreams): Promise<number> => {
  const output: string[] = [];
  anvil.stderr.on('data', (data: Buffer) => output.push(data.toString()));
  for await (const line of createInterface({ input: anvil.stdout })) {
    const port = /^Listening on .*:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
    output.push(`${line}\n`);
  }
  throw new Error(`anvil did not start: ${output.join('').slice(-500)}`);
};

/**
 * Starts an empty chain on 127.0.0.1, by default with chain id 31337 and on a free port. The chain ends with this
 * process. Throws an Error if anvil is missing or does not start.
 */
export const startLocalChain = async (
  options: { chainId?: number; port?: number; anvil?: string } = {},
): Promise<LocalChain> => {
  const { chainId = 31337, port = 0, anvil = findAnvil() } = options;
  const chain = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--hardfork', 'prague'];
  const keeper = spawn(process.execPath, ['-e', KEEPER, anvil, ...chain], { stdio: 'pipe' });
  const ended = once(keeper, 'exit');
  const url = `http://127.0.0.1:${await listeningPort(keeper)}`;
  keeper.stdout.resume(); // anvil reports every call, and unread output would block it
  const stop = async (): Promise<void> => {
    keeper.stdin.end();
    await ended;
  };
  return { url, chainId, stop };
};
