import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HDNodeWallet, Interface, formatEther, hexlify, parseEther } from 'ethers';
import { systemEntropy } from '../engine/clock.ts';
import { loadConfig } from '../engine/config.ts';
import { openDataFolder } from '../engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../engine/index.ts';
import { createLog } from '../engine/log.ts';
import { Secret } from '../engine/secret.ts';
import type { Address, Hex } from '../shared/schema/hex.ts';
import { type DeskClient, deskClient } from './desk-client.ts';
import { type LocalChain, startLocalChain } from './local-chain.ts';
import {
  type SimpleAccount,
  type SponsoredGas,
  finishOperation,
  partialOperation,
  simpleAccount,
  submitOperation,
} from './simple-account.ts';
import { type Story, createStory } from './story.ts';
import {
  type WorldContracts,
  contractAt,
  deployWorld,
  devWallet,
  fundGasTank,
  localProvider,
} from './world-contracts.ts';

const VERSION = '1.1.0';
const TANK_WEI = parseEther('0.1');
const OPTIONS = { mode: 'SPONSORED', calculateGasLimits: true, expiryDuration: 300 };

const gameItems = new Interface([
  'function mint(uint256 amount)',
  'function burn(uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
]);

/** Who takes part. All keys are anvil's public test keys. */
interface Cast {
  readonly operator: HDNodeWallet;
  readonly bundler: HDNodeWallet;
  readonly fundingWallet: HDNodeWallet;
  readonly player: HDNodeWallet;
}

/** The stage on which the story plays. */
interface World {
  readonly story: Story;
  readonly chain: LocalChain;
  readonly provider: ReturnType<typeof localProvider>;
  readonly cast: Cast;
  readonly contracts: WorldContracts;
  readonly engine: Engine;
  readonly desk: DeskClient;
}

/** A DApp that is registered and funded. */
interface RegisteredDapp {
  readonly apiKey: string;
  readonly paymasterContract: Address;
}

const ether = (wei: bigint): string => `${formatEther(wei)} ETH`;

const startEngine = (dir: string): Promise<Engine> =>
  createEngine({
    folder: openDataFolder(dir),
    config: loadConfig({ flags: { port: 0, logLevel: 'error' } }),
    log: createLog({ level: 'error' }),
    passphrase: new Secret(hexlify(systemEntropy.bytes(16))),
  });

/** The operator's part, as on the command line: chain, signer, paymaster contract. */
const prepareDesk = async ({ story, engine, chain, cast }: World): Promise<Address> => {
  story.step('The operator connects the desk to the chain and deploys a paymaster');
  const { service } = engine;
  const { chainId } = chain;
  const { privateKey } = cast.operator;
  await service.call('chains.set', { chainId, rpc: chain.url });
  const signer = await service.call('signers.create', { chainId });
  const deployed = await service.call('paymasterContracts.deploy', { chainId, version: VERSION, privateKey });
  story.tell('signing key, in the vault', signer.address);
  story.tell(`paymaster contract ${VERSION}`, deployed.address);
  story.check(deployed.checked, 'the contract hashes operations as the desk does, and accepts its signer');
  return deployed.address;
};

/** The DApp's part, over HTTP: register, prove the funding wallet, whitelist a method. */
const registerDapp = async (world: World, paymasterContract: Address): Promise<RegisteredDapp> => {
  const { story, engine, desk, chain, cast, contracts } = world;
  story.step('A DApp registers over HTTP and funds its gas tank');
  const { authToken } = await engine.service.call('authTokens.create', { label: 'demo' });
  const { apiKey } = (await desk.manage(
    'POST',
    '/paymaster',
    { authToken },
    {
      name: 'Game Items',
      type: 'HYBRID',
      chainId: chain.chainId,
      version: VERSION,
    },
  )) as { apiKey: string };
  const keys = { authToken, apiKey };
  story.tell('API key', apiKey);

  const { fundingMessage, paymasterId } = (await desk.manage('GET', '/funding-message', keys)) as {
    fundingMessage: string;
    paymasterId: string;
  };
  const address = cast.fundingWallet.address;
  const signature = await cast.fundingWallet.signMessage(fundingMessage);
  await desk.manage('PATCH', '/paymaster', keys, { paymasterId, type: 'paymasterFundingId', signature, address });
  story.tell('funding wallet, proved by signature', address);

  await fundGasTank(paymasterContract, address as Address, TANK_WEI, cast.operator);
  story.tell('gas tank, read from the chain', ether(await tankBalance(world, paymasterContract)));

  const abi = gameItems.formatJson();
  const contract = { name: 'GameItems', address: contracts.gameItems, abi, whitelistedMethods: ['mint'] };
  await desk.manage('POST', '/smart-contract', keys, contract);
  story.tell('sponsored', `mint on ${contracts.gameItems}`);

  await desk.manage('POST', '/paymaster-policy', keys, {
    name: 'New accounts',
    policyType: 'WALLET_DEPLOYMENT',
    policyData: {},
  });
  await desk.manage('POST', '/paymaster-policy', keys, {
    name: 'Two a day',
    policyType: 'PAYMASTER_SA_LIMIT',
    policyData: {
      type: 'SMART_ACCOUNT',
      cycleDuration: { value: 1, unit: 'day' },
      threshold: 2,
      thresholdType: 'COUNT',
    },
  });
  story.tell('rules', 'new accounts are deployed, 2 operations a day for each user');
  return { apiKey, paymasterContract };
};

const tankBalance = async ({ provider, cast }: World, paymaster: Address): Promise<bigint> => {
  const contract = await contractAt('VerifyingSingletonPaymaster', paymaster, provider);
  return (await contract.getFunction('getBalance')(cast.fundingWallet.address)) as bigint;
};

const itemsOf = async ({ provider, contracts }: World, owner: Address): Promise<bigint> => {
  const contract = await contractAt('GameItems', contracts.gameItems, provider);
  return (await contract.getFunction('balanceOf')(owner)) as bigint;
};

const callOf = ({ contracts }: World, method: 'mint' | 'burn', amount: bigint) => ({
  to: contracts.gameItems,
  data: gameItems.encodeFunctionData(method, [amount]) as Hex,
});

/** A user without any ETH mints: the op deploys the account, is sponsored, mined, and paid from the tank. */
const tellSponsored = async (world: World, account: SimpleAccount, dapp: RegisteredDapp): Promise<void> => {
  const { story, desk, chain, provider, cast, contracts } = world;
  const { entryPoint } = contracts;
  story.step('A user with 0 ETH and no account yet mints 3 items');
  story.check((await provider.getBalance(account.address)) === 0n, 'the account holds 0 ETH');
  story.check((await provider.getCode(account.address)) === '0x', 'the account is not deployed');

  const partial = await partialOperation(account, callOf(world, 'mint', 3n), entryPoint, provider);
  const reply = await desk.sponsor(chain.chainId, dapp.apiKey, [partial, OPTIONS]);
  const sponsored = reply.result as SponsoredGas;
  story.check(reply.status === 200 && sponsored.paymasterAndData !== '0x', 'the desk sponsors the operation');
  story.tell('callGasLimit', sponsored.callGasLimit);
  story.tell('verificationGasLimit', sponsored.verificationGasLimit);
  story.tell('preVerificationGas', sponsored.preVerificationGas);

  const before = await tankBalance(world, dapp.paymasterContract);
  const op = await finishOperation(account, partial, sponsored, { chainId: chain.chainId, entryPoint });
  const mined = await submitOperation(op, entryPoint, cast.bundler);
  story.tell('transaction', mined.transactionHash);
  story.check(mined.success, 'the EntryPoint mined the operation with success');
  story.check((await itemsOf(world, account.address)) === 3n, 'the user owns 3 items');

  const charged = before - (await tankBalance(world, dapp.paymasterContract));
  story.tell('gas used', mined.actualGasUsed);
  story.tell('cost at the EntryPoint', ether(mined.actualGasCost));
  story.tell('taken from the gas tank', ether(charged));
  story.check(charged >= mined.actualGasCost && charged > 0n, 'the tank of the funding wallet paid for it');
  story.check((await provider.getBalance(account.address)) === 0n, 'the account still holds 0 ETH');
};

/** The same user calls what nobody whitelisted: denied, with the reason. */
const tellDenied = async (world: World, account: SimpleAccount, dapp: RegisteredDapp): Promise<void> => {
  const { story, desk, chain, provider, contracts } = world;
  story.step('The user burns an item: that method is not whitelisted');
  const partial = await partialOperation(account, callOf(world, 'burn', 1n), contracts.entryPoint, provider);
  const { status, result } = await desk.sponsor(chain.chainId, dapp.apiKey, [partial, OPTIONS]);
  const denied = result as { paymasterAndData: string; reason?: { code: string; message: string; hint: string } };
  story.check(status === 200 && denied.paymasterAndData === '0x', 'the desk does not sponsor it');
  story.check(denied.reason?.code === 'METHOD_NOT_WHITELISTED', `the reason is ${String(denied.reason?.code)}`);
  story.tell(denied.reason?.message ?? '');
  story.tell(denied.reason?.hint ?? '');
};

const tellDecisions = async ({ story, engine }: World): Promise<void> => {
  story.step('What the desk wrote down');
  const decisions = await engine.service.call('decisions.list', {});
  for (const { seq, outcome, code, maxCostWei } of [...decisions].reverse()) {
    story.tell(`#${seq} ${outcome}`, `${code}, at most ${ether(BigInt(maxCostWei ?? 0))}`);
  }
  story.check(decisions.length === 2, 'both decisions are stored');
};

const tellAll = async (world: World): Promise<void> => {
  const { contracts, cast, provider } = world;
  const paymasterContract = await prepareDesk(world);
  const dapp = await registerDapp(world, paymasterContract);
  const account = await simpleAccount(contracts.accountFactory, cast.player, 0n, provider);
  await tellSponsored(world, account, dapp);
  await tellDenied(world, account, dapp);
  await tellDecisions(world);
};

/** Ends on Ctrl-C or `kill`. */
const interrupted = (): Promise<unknown> => Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);

/**
 * The main job on a local chain, told in the terminal with figures read from the chain. Needs no key and no network.
 *
 * With `once` it returns after the story; else the desk stays up until it is interrupted.
 *
 * @throws Error if any step is not as told
 */
export const runDemo = async ({ once: exit }: { once: boolean }): Promise<void> => {
  const undo: (() => unknown)[] = [];
  const story = createStory((line) => console.log(line));
  try {
    story.step('A local chain with EntryPoint v0.6, an account factory and a sample DApp');
    const chain = await startLocalChain();
    undo.push(() => chain.stop());
    const provider = localProvider(chain.url, chain.chainId);
    undo.push(() => provider.destroy());
    const [operator, bundler, fundingWallet, player] = [0, 1, 2, 3].map((index) => devWallet(index, provider));
    if (!operator || !bundler || !fundingWallet || !player) throw new Error('anvil funds ten keys');
    const contracts = await deployWorld(operator);
    story.tell('EntryPoint', contracts.entryPoint);
    story.tell('GameItems, the sample DApp', contracts.gameItems);

    const dir = await mkdtemp(join(tmpdir(), 'gasdesk-demo-'));
    undo.push(() => rm(dir, { recursive: true, force: true }));
    const engine = await startEngine(dir);
    undo.push(() => engine.stop());
    const url = await engine.serve();
    const cast = { operator, bundler, fundingWallet, player };
    await tellAll({ story, chain, provider, cast, contracts, engine, desk: deskClient(url) });

    console.log(`\nAll as told.${exit ? '' : ` The desk stays up at ${url}; Ctrl-C ends it.`}`);
    if (!exit) await interrupted();
  } finally {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  }
};
