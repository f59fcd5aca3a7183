import { Wallet } from 'ethers';
import { controlClient } from '../../src/engine/control/client.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import type { Caller } from '../../src/api/index.ts';
import type { ProcedureInput } from '../../src/api/index.ts';
import { CHAIN_ID, GAME, gameItems } from './operations.ts';
import { buildCli } from '../../scripts/build-stale.ts';
import { nodeFlags } from '../../scripts/node-flags.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** A DApp that the benchmark's operations are sent for. */
export interface BenchDapp {
  readonly paymasterId: string;
  /** Where its operations are posted to. */
  readonly path: string;
}

/** A desk in a process of its own, on a data folder that is new. */
export interface BenchDesk extends ServerProcess, BenchDapp {
  readonly database: string;
  /** Procedures, over the control socket. */
  readonly call: Caller;
  /** Stops it, and starts another one on the same folder once `change` is done. */
  whileStopped(change: () => Promise<void>): Promise<void>;
  /** Registers one more DApp. */
  otherDapp(name: string): Promise<BenchDapp>;
}

const VERSION = '1.1.0';

/** Registers a DApp with a funding wallet of its own. */
export const registerDapp = async (call: Caller, accountId: string, name: string, chainId = CHAIN_ID) => {
  const dapp = await call('paymasters.create', { accountId, name, type: 'HYBRID', chainId, version: VERSION });
  const { paymasterId } = dapp;
  const { fundingMessage } = await call('paymasters.fundingMessage', { paymasterId });
  const wallet = Wallet.createRandom();
  const signature = await wallet.signMessage(fundingMessage);
  const address = wallet.address as `0x${string}`;
  await call('paymasters.setFundingWallet', { paymasterId, type: 'paymasterFundingId', signature, address });
  return dapp;
};

const pathOf = (apiKey: string): string => `/api/v1/${CHAIN_ID}/${apiKey}`;

/** Sets up a DApp on a chain without an RPC URL. */
export const prepareDapp = async (call: Caller): Promise<BenchDapp & { readonly accountId: string }> => {
  await call('chains.set', { chainId: CHAIN_ID, name: 'Bench' });
  await call('signers.create', { chainId: CHAIN_ID });
  // The address begins with a zero digit: traffic looks for that in the answers.
  const address: `0x${string}` = `0x${'0'.repeat(38)}f1`;
  await call('paymasterContracts.use', { chainId: CHAIN_ID, version: VERSION, address });
  const accountId = (await call('accounts.list', {}))[0]?.accountId ?? '';
  const { paymasterId, apiKey } = await registerDapp(call, accountId, 'Benched');
  return { accountId, paymasterId, path: pathOf(apiKey) };
};

/**
 * Starts `gasdesk serve` with the settings it comes with, and sets up a DApp on a chain without an RPC URL.
 *
 * @param nodeArgs such as `--cpu-prof`
 * @param log file descriptor of the log, one line per request
 */
export const startDesk = async (
  dir: string,
  log: number,
  nodeArgs: readonly string[],
  { database, printed }: { readonly database?: string; readonly printed?: (line: string) => void } = {},
): Promise<BenchDesk> => {
  const env = { GASDESK_PASSPHRASE: 'benchmark' };
  const place = database === undefined ? [] : ['--database', database];
  const args = [...nodeFlags, ...nodeArgs, buildCli(), 'serve', '--port', '0', '--data', dir, ...place];
  const options = { env, stderr: log, ...(printed && { printed }) };
  let server = await startServer(args, options);
  const folder = openDataFolder(dir);
  const call = controlClient(folder.controlSocket);
  const { accountId, paymasterId, path } = await prepareDapp(call);
  return {
    get url() {
      return server.url;
    },
    get console() {
      return server.console ?? '';
    },
    usage: () => server.usage(),
    stop: () => server.stop(),
    kill: () => server.kill(),
    async whileStopped(change) {
      await server.stop();
      await change();
      server = await startServer(args, options);
    },
    database: folder.database,
    path,
    paymasterId,
    call,
    otherDapp: async (name) => {
      const other = await registerDapp(call, accountId, name);
      return { paymasterId: other.paymasterId, path: pathOf(other.apiKey) };
    },
  };
};

type RuleInput = ProcedureInput<'rules.create'>['rule'];

/** A limit that this traffic does not reach. */
export const limit = (name: string, type: 'PAYMASTER' | 'SMART_ACCOUNT'): RuleInput => ({
  name,
  policyType: 'PAYMASTER_SA_LIMIT',
  policyData: { type, cycleDuration: { value: 1, unit: 'day' }, threshold: 1_000_000_000, thresholdType: 'COUNT' },
});

/** Whitelists `mint` of the sample contract. */
export const whitelistGame = async ({ call }: Pick<BenchDesk, 'call'>, paymasterId: string): Promise<void> => {
  const contract = { name: 'Game Items', address: GAME, abi: gameItems.formatJson(), whitelistedMethods: ['mint'] };
  await call('contracts.create', { paymasterId, ...contract });
};
