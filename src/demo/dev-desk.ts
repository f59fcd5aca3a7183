import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonRpcProvider, type HDNodeWallet, getCreateAddress, parseEther, toQuantity } from 'ethers';
import { entryPoints } from '../core/entry-points/registry.ts';
import { CREATE2_DEPLOYER } from '../engine/chain/canonical-contracts.ts';
import type { Engine } from '../engine/index.ts';
import type { Service } from '../engine/service/index.ts';
import { EngineError } from '../shared/errors.ts';
import type { Address, Hex } from '../shared/schema/hex.ts';
import type { EntryPointVersion } from '../shared/schema/user-operation.ts';
import { findAlto, startAlto } from './alto.ts';
import { attachNewContract } from './attach-new-contract.ts';
import type { Ends } from './ends.ts';
import { obtainAnvil, startLocalChain } from './local-chain.ts';
import { startLocalEngine } from './world.ts';
import {
  constructAt,
  deployContract,
  deployEntryPoint,
  devWallet,
  fundDeposit,
  localProvider,
} from './world-contracts.ts';

/** What to set up for an app that is being developed. */
export interface DevOptions {
  /** Node of a local chain. Default: an anvil of its own. */
  readonly rpc?: string | undefined;
  /** Default: an alto of its own. */
  readonly bundler?: string | undefined;
  readonly port?: number | undefined;
  /** Data folder to keep. Default: a temporary one. */
  readonly data?: string | undefined;
  readonly entryPoint: EntryPointVersion;
  /** Operations a day for each user. */
  readonly limit: number;
}

/** What the app needs to know. */
export interface DevDesk {
  readonly engine: Engine;
  readonly rpc: string;
  /** URL of paymaster and bundler. */
  readonly url: string;
  readonly console: string;
  /** A contract on which anyone can mint. */
  readonly sample: Address;
}

const DAPP = 'Development';
/** The vault of a folder that is kept holds only keys for a local chain. */
const PASSPHRASE = 'gasdesk dev on a local chain';
const FUNDS_WEI = parseEther('1000');
const DEPOSIT_WEI = parseEther('100');
const USUAL_PORTS = { chain: 8545, desk: 8645 } as const;

/** The port if it is free, otherwise 0, which stands for any free port. */
const ifFree = async (port: number): Promise<number> => {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return port;
  } catch {
    return 0;
  } finally {
    server.close();
  }
};

const nodeAt = async (rpc: string): Promise<JsonRpcProvider> => {
  const asking = localProvider(rpc, 0);
  try {
    const chainId = Number(await asking.send('eth_chainId', []));
    return localProvider(rpc, chainId);
  } catch (cause) {
    throw new EngineError('CONFIG_INVALID', `No node answers at ${rpc}. Start it, or leave out --rpc`, {}, { cause });
  } finally {
    asking.destroy();
  }
};

/** Test keys that nothing else uses, so that the app's transactions and those of the desk do not disturb each other. */
const keysOf = (node: JsonRpcProvider) => ({
  operator: devWallet(1_000, node),
  executor: devWallet(1_001, node),
  utility: devWallet(1_002, node),
  sampler: devWallet(1_003, node),
});

/** Gives coins to test keys. Only the nodes of local chains can. @throws EngineError `CONFIG_INVALID` for others */
const fund = async (node: JsonRpcProvider, rpc: string, wallets: readonly HDNodeWallet[]): Promise<void> => {
  try {
    for (const { address } of wallets) await node.send('hardhat_setBalance', [address, toQuantity(FUNDS_WEI)]);
  } catch (cause) {
    const message = `The node at ${rpc} is neither anvil nor Hardhat, which give coins to test keys. For a real chain, use gasdesk serve`;
    throw new EngineError('CONFIG_INVALID', message, {}, { cause });
  }
};

const sampleContract = async (sampler: HDNodeWallet): Promise<Address> => {
  const address = getCreateAddress({ from: sampler.address, nonce: 0 }) as Address;
  const isThere = (await sampler.provider?.getCode(address)) !== '0x';
  return isThere ? address : deployContract('GameItems', [], sampler);
};

/** Connects the desk to the chain: a signing key and a paymaster contract with a deposit. */
const prepareChain = async (
  { call }: Pick<Service, 'call'>,
  {
    node,
    operator,
    version,
    entryPoint,
  }: { node: JsonRpcProvider; operator: HDNodeWallet; version: string; entryPoint: Address },
): Promise<void> => {
  const { chainId: id } = await node.getNetwork();
  const chainId = Number(id);
  const signers = await call('signers.list', {});
  if (!signers.some((one) => one.chainId === chainId)) await call('signers.create', { chainId });
  const contracts = await call('paymasterContracts.list', {});
  const attached = contracts.find((one) => one.chainId === chainId && one.version === version)?.address;
  const isThere = attached !== undefined && (await node.getCode(attached)) !== '0x';
  const contract = isThere ? attached : await attachNewContract({ call }, operator, { chainId, version });
  await fundDeposit(entryPoint, contract, DEPOSIT_WEI, operator);
};

/** The DApp that sponsors everything, within a limit for each user. @returns its API key */
const prepareDapp = async (
  { call }: Pick<Service, 'call'>,
  { chainId, version, limit }: { chainId: number; version: string; limit: number },
): Promise<string> => {
  const dapps = await call('paymasters.list', {});
  const known = dapps.find((one) => one.name.startsWith(DAPP) && one.version === version && one.chainId === chainId);
  if (known !== undefined) return known.apiKey;
  const [account] = await call('accounts.list', {});
  // A folder that is kept may have served another EntryPoint or chain.
  const isTaken = dapps.some((one) => one.name === DAPP);
  const name = isTaken ? `${DAPP}, ${version} on chain ${chainId}` : DAPP;
  const dapp = { accountId: account?.accountId ?? '', name, type: 'HYBRID', chainId, version } as const;
  const { paymasterId, apiKey } = await call('paymasters.create', dapp);
  const day = { value: 1, unit: 'day' };
  const policyData = { type: 'SMART_ACCOUNT', cycleDuration: day, thresholdType: 'COUNT', threshold: limit };
  const rule = { name: 'For each user', policyType: 'PAYMASTER_SA_LIMIT', policyData };
  await call('rules.create', { paymasterId, rule });
  return apiKey;
};

/**
 * Sets up everything an app needs for sponsored operations: a chain, its contracts, a bundler, and Gasdesk with a DApp.
 * What is there already is used.
 *
 * @param ends receives what ends them, even if a later part fails to start
 * @param say reports the parts as they are ready
 * @throws EngineError `CONFIG_INVALID` if something is missing, which says how to get it
 */
export const startDevDesk = async (options: DevOptions, ends: Ends, say: (text: string) => void): Promise<DevDesk> => {
  const { entryPoint: entryPointVersion, limit } = options;
  const script = options.bundler === undefined ? await findAlto(say) : undefined;
  const rpc = options.rpc ?? (await ownChain(ends, say));
  const node = await nodeAt(rpc);
  ends.add(() => node.destroy());
  const chainId = Number((await node.getNetwork()).chainId);
  say(`Chain ${chainId} at ${rpc}`);

  const { operator, executor, utility, sampler } = keysOf(node);
  await fund(node, rpc, [operator, executor, utility, sampler]);
  // Hardhat lacks it. The EntryPoint is created by it, and so are contracts that alto needs.
  await constructAt(CREATE2_DEPLOYER, { artifact: 'Create2Deployer' }, operator);
  const entryPoint = await deployEntryPoint(operator, entryPointVersion);
  say(`EntryPoint v${entryPointVersion} at ${entryPoint}`);
  const { artifact, address } = entryPoints[entryPointVersion].accountFactory;
  if (address === undefined) say(`Account factory at ${await deployContract(artifact, [entryPoint], operator)}`);
  else {
    await constructAt(address, { artifact, args: [entryPoint] }, operator);
    say(`Account factory at ${address}`);
  }
  const sample = await sampleContract(sampler);

  const keys = { executor: executor.privateKey as Hex, utility: utility.privateKey as Hex };
  const alto = script === undefined ? undefined : await startAlto({ script, rpc, entryPoints: [entryPoint], keys });
  if (alto !== undefined) ends.add(() => alto.stop());
  const bundler = alto?.url ?? options.bundler ?? '';
  say(`Bundler at ${bundler}`);

  const dir = options.data ?? (await temporaryFolder(ends));
  const port = options.port ?? (await ifFree(USUAL_PORTS.desk));
  const engine = await startLocalEngine(dir, { port, passphrase: PASSPHRASE });
  ends.add(() => engine.stop());
  const { service } = engine;
  const url = await engine.serve();
  await service.call('chains.set', { chainId, rpc, bundler, forwardBundler: 'own' });
  const version = `singleton-${entryPointVersion}`;
  await prepareChain(service, { node, operator, version, entryPoint });
  const apiKey = await prepareDapp(service, { chainId, version, limit });
  return {
    engine,
    rpc,
    url: `${url}/api/v2/${chainId}/${apiKey}`,
    console: `${url}/console/#token=${engine.operatorToken.reveal()}`,
    sample,
  };
};

const ownChain = async (ends: Ends, say: (text: string) => void): Promise<string> => {
  const chain = await startLocalChain({ anvil: await obtainAnvil(say), port: await ifFree(USUAL_PORTS.chain) });
  ends.add(() => chain.stop());
  return chain.url;
};

const temporaryFolder = async (ends: Ends): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'gasdesk-dev-'));
  ends.add(() => rm(dir, { recursive: true, force: true }));
  return dir;
};
