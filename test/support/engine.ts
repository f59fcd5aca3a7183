import { join } from 'node:path';
import type { HDNodeWallet } from 'ethers';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import type { Clock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { sponsorRequest } from './operations.ts';
import { databaseFlags, leaveInFolder } from './test-database.ts';
import { wholeDecisions } from './whole-decisions.ts';
import { makeTempFolder, removeTempFolder } from './temp-folder.ts';

/** The answer of `pm_sponsorUserOperation` in Biconomy's dialect. */
export interface SponsorResult {
  MODE: string;
  mode: string;
  paymasterAndData: Hex;
  preVerificationGas: string;
  verificationGasLimit: number;
  callGasLimit: number;
  reason?: { code: string; rule: string; message: string; hint: string };
}

export interface RpcBody {
  jsonrpc: string;
  id: unknown;
  result?: SponsorResult;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

export interface RpcReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: RpcBody;
}

/** A DApp whose developer asks for sponsorship over HTTP. */
export interface SponsoredDapp {
  readonly paymasterId: string;
  readonly apiKey: string;
  readonly fundingWallet: Address;
  /** Sends `pm_sponsorUserOperation`; gas comes from the operation unless the options differ. */
  sponsor(op: Record<string, unknown>, options?: Record<string, unknown>): Promise<RpcReply>;
  /** Newest first. */
  decisions(): Promise<DecisionRecord[]>;
}

interface StartOptions {
  readonly dir: string;
  readonly clock?: Clock;
  readonly flags?: Record<string, unknown>;
  /** DNS servers instead of the machine's. */
  readonly nameServers?: readonly string[] | undefined;
  /** True: starts without its passphrase. */
  readonly locked?: boolean;
  /** Receives each line of the log; default: the standard output. */
  readonly writeLog?: (line: string) => void;
  /** Files of the console; default: those that were built. */
  readonly consoleFolder?: string;
}

export interface ServingEngine extends Engine {
  readonly url: string;
  /** File of the SQLite database; on PostgreSQL it is a copy, made when the engine stops. */
  readonly database: string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<RpcReply>;
  /** Registers a DApp; without `fundingWallet` it has none. */
  dapp(definition: {
    version?: string;
    chainId?: number;
    tokenMode?: boolean;
    fundingWallet?: HDNodeWallet;
  }): Promise<SponsoredDapp>;
}

const CONSOLE_FOLDER = join(import.meta.dirname, '..', '..', 'out', 'renderer');

const poster =
  (url: string): ServingEngine['post'] =>
  async (path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as RpcBody };
  };

let dapps = 0;

const dappMaker =
  ({ service }: Engine, post: ServingEngine['post']): ServingEngine['dapp'] =>
  async ({ version = '1.1.0', chainId = 31337, tokenMode = true, fundingWallet }) => {
    const accountId = (await service.call('accounts.list', {}))[0]?.accountId;
    const name = `DApp ${(dapps += 1)}`;
    const registration = { accountId, name, type: 'HYBRID', chainId, version, tokenMode };
    const { paymasterId, apiKey } = await service.call('paymasters.create', registration);
    if (fundingWallet !== undefined) {
      const { fundingMessage } = await service.call('paymasters.fundingMessage', { paymasterId });
      const signature = await fundingWallet.signMessage(fundingMessage);
      const proof = { paymasterId, type: 'paymasterFundingId', signature, address: fundingWallet.address };
      await service.call('paymasters.setFundingWallet', proof);
    }
    return {
      paymasterId,
      apiKey,
      fundingWallet: (fundingWallet?.address ?? '0x') as Address,
      sponsor: (op, options = {}) =>
        post(`/api/v1/${chainId}/${apiKey}`, sponsorRequest([op, { mode: 'SPONSORED', ...options }])),
      decisions: () => wholeDecisions((name, input) => service.call(name, input), { paymasterId, limit: 1000 }),
    };
  };

export const startEngine = async ({
  dir,
  clock,
  nameServers,
  flags = {},
  locked = false,
  writeLog,
  consoleFolder = CONSOLE_FOLDER,
}: StartOptions): Promise<ServingEngine> => {
  const folder = openDataFolder(dir);
  const configSources = { flags: { port: 0, logLevel: 'error', ...(await databaseFlags(dir)), ...flags } };
  const config = loadConfig({ ...configSources, file: folder.config });
  const engine = await createEngine({
    folder,
    config,
    configSources,
    log: createLog({ level: config.logLevel, ...(writeLog && { write: writeLog }) }),
    consoleFolder,
    scrypt: { N: 1024, r: 8, p: 1 },
    ...(!locked && { passphrase: new Secret('correct horse battery staple') }),
    ...(clock && { clock }),
    ...(nameServers && { nameServers }),
  });
  const url = await engine.serve();
  const post = poster(url);
  const stop = async (): Promise<void> => {
    await engine.stop();
    await leaveInFolder(dir, folder.database);
  };
  return { ...engine, stop, url, database: folder.database, post, dapp: dappMaker(engine, post) };
};

/** A contract that no node can read. */
const UNREAD_CONTRACT: Address = `0x${'cc'.repeat(20)}`;

/** Makes version 1.1.0 ready to sponsor on a chain that no node can reach. */
export const prepareUnreachableChain = async ({ service }: Pick<Engine, 'service'>, chainId: number): Promise<void> => {
  await service.call('paymasterContracts.use', { chainId, version: '1.1.0', address: UNREAD_CONTRACT });
  await service.call('signers.create', { chainId });
};

/** Runs a function on a new data folder, which is removed afterwards. */
export const withDataFolder = async (run: (dir: string) => Promise<void>): Promise<void> => {
  const dir = makeTempFolder();
  try {
    await run(dir);
  } finally {
    removeTempFolder(dir);
  }
};
