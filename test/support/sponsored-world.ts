import { join } from 'node:path';
import { HDNodeWallet, Interface } from 'ethers';
import { afterAll, beforeAll } from 'vitest';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { devWallet, deployWorld, fundGasTank, type WorldContracts } from '../../src/demo/world-contracts.ts';
import { loadConfig } from '../../src/engine/config/config.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import type { Clock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { ACCEPTING_ACCOUNT } from './accepting-account.ts';
import { SENDER, encodeExecute } from './account-call-data.ts';
import { type TestChain, useLocalChain } from './local-chain.ts';
import { ManualClock } from './manual-clock.ts';
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

interface Start {
  readonly dir: string;
  readonly clock?: Clock;
  readonly flags?: Record<string, unknown>;
  /** DNS servers instead of the machine's. */
  readonly nameServers?: readonly string[] | undefined;
  /** True: starts without its passphrase. */
  readonly locked?: boolean;
}

export interface ServingEngine extends Engine {
  readonly url: string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<RpcReply>;
  /** Registers a DApp; without `fundingWallet` it has none. */
  dapp(definition: {
    version?: string;
    chainId?: number;
    tokenMode?: boolean;
    fundingWallet?: HDNodeWallet;
  }): Promise<SponsoredDapp>;
}

/** Gas limits that suffice for the operations of the tests. */
export const GAS = { callGasLimit: '200000', verificationGasLimit: '500000', preVerificationGas: '60000' };
/** One gwei, in wei. */
export const FEE = 1_000_000_000n;
/** What version 1.1.0 reserves for an operation with {@link GAS} at {@link FEE}: behaviour 6.2. */
export const RESERVED_WEI = (200_000n + 3n * 500_000n + 60_000n + 12_000n) * FEE;

export const gameItems = new Interface(['function mint(uint256 amount)', 'function burn(uint256 amount)']);

export const gameCall = (method: 'mint' | 'burn', amount = 1n): Hex =>
  gameItems.encodeFunctionData(method, [amount]) as Hex;

/** A partial user operation that makes one call, with gas and fees. */
export const operation = (
  call: { to: Address; data: Hex; value?: bigint },
  overrides: Record<string, unknown> = {},
): Record<string, unknown> => ({
  sender: SENDER,
  nonce: '0x0',
  initCode: '0x',
  callData: encodeExecute(call.to, call.value ?? 0n, call.data),
  ...GAS,
  maxFeePerGas: `0x${FEE.toString(16)}`,
  maxPriorityFeePerGas: '0x1',
  signature: '0x',
  ...overrides,
});

export const sponsorRequest = (params: unknown, id: unknown = 1): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  method: 'pm_sponsorUserOperation',
  params,
});

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
}: Start): Promise<ServingEngine> => {
  const folder = openDataFolder(dir);
  const configSources = { flags: { port: 0, logLevel: 'error', ...(await databaseFlags(dir)), ...flags } };
  const config = loadConfig({ ...configSources, file: folder.config });
  const engine = await createEngine({
    folder,
    config,
    configSources,
    log: createLog({ level: config.logLevel }),
    consoleFolder: CONSOLE_FOLDER,
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
  return { ...engine, stop, url, post, dapp: dappMaker(engine, post) };
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

/** A local chain with contracts on it, and a desk that knows both. The clock starts with the chain's time. */
export interface SponsoredWorld {
  /** Applications keep their data here: when the engine is stopped, the desktop application finds this desk. */
  readonly home: string;
  readonly chain: TestChain;
  readonly clock: ManualClock;
  readonly engine: ServingEngine;
  readonly contracts: WorldContracts;
  /** Pays for deployments and deposits, and bundles. */
  readonly operator: HDNodeWallet;
  readonly database: string;
  /** Version 1.1.0. */
  readonly paymaster: Address;
  /** Registers a DApp of version 1.1.0 with a funding wallet of its own and `tankWei` in its tank. */
  dapp(tankWei: bigint): Promise<SponsoredDapp>;
  walletOf(dapp: SponsoredDapp): HDNodeWallet | undefined;
  /** Whitelists `mint`. */
  registerGameItems(dapp: SponsoredDapp): Promise<void>;
}

/** Gives the tests of the calling file such a world. Call the result inside tests. */
export const useSponsoredWorld = (
  flags: Record<string, unknown> = {},
  options?: { chainId: number },
): (() => SponsoredWorld) => {
  const localChain = useLocalChain(options);
  const home = makeTempFolder();
  // The application uses this name.
  const dir = join(home, 'gasdesk');
  let world: SponsoredWorld | undefined;
  beforeAll(async () => {
    const chain = localChain();
    const operator = devWallet(0, chain.provider);
    const contracts = await deployWorld(operator);
    // Makes the account of `operation` exist, as far as reads can tell.
    await chain.provider.send('anvil_setCode', [SENDER, ACCEPTING_ACCOUNT]);
    const block = await chain.provider.getBlock('latest');
    const clock = new ManualClock((block?.timestamp ?? 0) * 1000);
    const engine = await startEngine({ dir, clock, flags });
    const { service } = engine;
    const { chainId } = chain;
    // Within one hour of this clock, tests sign for more than a share of small tanks.
    await service.call('chains.set', { chainId, rpc: chain.url, breaker: null });
    await service.call('signers.create', { chainId });
    const paymaster = await attachNewContract(service, operator, { chainId, version: '1.1.0' });
    const fundingWallets: HDNodeWallet[] = [];
    world = {
      home,
      chain,
      clock,
      engine,
      contracts,
      operator,
      database: join(dir, 'gasdesk.db'),
      paymaster,
      async dapp(tankWei) {
        const fundingWallet = devWallet(100 + fundingWallets.length, chain.provider);
        fundingWallets.push(fundingWallet);
        const dapp = await engine.dapp({ chainId, fundingWallet });
        if (tankWei > 0n) await fundGasTank(paymaster, dapp.fundingWallet, tankWei, operator);
        return dapp;
      },
      walletOf: ({ fundingWallet }) => fundingWallets.find(({ address }) => address === fundingWallet),
      async registerGameItems({ paymasterId }) {
        const contract = { name: 'Game Items', address: contracts.gameItems, abi: gameItems.formatJson() };
        await service.call('contracts.create', { paymasterId, ...contract, whitelistedMethods: ['mint'] });
      },
    };
  });
  afterAll(async () => {
    await world?.engine.stop();
    removeTempFolder(home);
  });
  return () => {
    if (world === undefined) throw new Error('The world is there only while tests run');
    return world;
  };
};
