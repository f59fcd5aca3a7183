import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HDNodeWallet } from 'ethers';
import type { Address } from '../../src/shared/schema/hex.ts';
import { gameItems } from '../support/operations.ts';
import { startEngine } from '../support/engine.ts';
import { type AttackChain, FUNDING_WALLETS, NO_WALLET, SIGNER_KEY, lower } from './chain.ts';
import { layoutOf } from './versions.ts';
import { abilities } from './abilities.ts';
import type { NodeLine } from './node-line.ts';
import { postJsonRpc } from './post-json-rpc.ts';
import { type DappPolicy, type LimitInForce, type LimitPolicy, MILLI, MWEI, type Policy, limitData } from './policy.ts';
import type { Receivers } from './receiver.ts';
import type { AttackTime } from './time.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

/** A DApp as it stands at the desk. What is not `readonly` the operator changes. */
export interface Dapp {
  readonly index: number;
  readonly policy: DappPolicy;
  readonly paymasterId: string;
  readonly apiKey: string;
  readonly paymaster: Address;
  /** The tank that pays; none for contracts without tanks. */
  wallet: Address;
  /** Those in force, and by their rule's id those that are paused. */
  limits: LimitInForce[];
  readonly pausedLimits: LimitInForce[];
}

/** The breaker in force. */
export interface BreakerInForce {
  readonly amountWei: bigint;
  readonly seconds: number;
}

/** The desk that is attacked, and its operator's hands. */
export interface AttackedDesk {
  readonly dapps: readonly Dapp[];
  readonly breaker: BreakerInForce | undefined;
  /** Of its HTTP server. */
  readonly url: string;
  /** The most that one operation may cost, wei; undefined if the desk has no such setting. */
  readonly operationCostWei: bigint | undefined;
  /** Calls a procedure of the service. */
  call<T>(procedure: string, input: unknown): Promise<T>;
  /** Posts a JSON-RPC request with a DApp's API key. */
  post(dapp: Dapp, method: string, params: readonly unknown[]): Promise<{ status: number; text: string }>;
  /** The same on a connection of its own, which is new. */
  postAnew(dapp: Dapp, method: string, params: readonly unknown[]): Promise<{ status: number; text: string }>;
  /** Waits until everything in flight waits for someone. */
  quiet(): Promise<void>;
  updateLimit(dapp: Dapp, limit: LimitInForce, threshold: number): Promise<void>;
  setActive(dapp: Dapp, limit: LimitInForce, active: boolean): Promise<void>;
  useWallet(dapp: Dapp, wallet: number): Promise<void>;
  /** Ends every pause. */
  resume(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** How long the desk waits for its node, in ms of the real clock: short, since a silent node is waited for in full. */
const CHAIN_TIMEOUT_MS = 500;

/** Fewer than an attacker opens. */
const MAX_CONNECTIONS = 200;

/** Everything that bounds requests as such is off: only the policy limits them. */
const FLAGS = {
  chainTimeoutMs: CHAIN_TIMEOUT_MS,
  bodyLimitBytes: 1_048_576,
  maxConnections: MAX_CONNECTIONS,
  ...(abilities.rpcBodyLimit && { rpcBodyLimitBytes: 1_048_576 }),
  rateLimitPerKey: 0,
  rateLimitPerSender: 0,
  rateLimitPerIp: 0,
};

/** Gas that one operation may cost, at the chain's price, on a desk that shows no default. */
const DEFAULT_COST_GAS = 20_000_000n;

/** Turns of a millisecond after which what is in flight is taken for hung. */
const MAX_TURNS = 3_000;

interface Surroundings {
  readonly chain: AttackChain;
  readonly line: NodeLine;
  readonly receivers: Receivers;
  readonly time: AttackTime;
}

interface ListedRule {
  _id: string;
  name: string;
  policyData: { startTimeInEpoch: number };
}

/** Starts a desk with that policy on a data folder of its own. */
export const startDesk = async (
  { chain, line, receivers, time }: Surroundings,
  policy: Policy,
): Promise<AttackedDesk> => {
  const dir = makeTempFolder();
  const { chainId } = chain;
  const start = () =>
    startEngine({
      dir,
      clock: time.startClock(),
      nameServers: [receivers.nameServer],
      flags: { ...FLAGS, webhookMaxConcurrent: policy.webhookMaxConcurrent },
    });
  let engine = await start();
  const call = <T>(procedure: string, input: unknown): Promise<T> =>
    (engine.service.call as (name: string, input: unknown) => Promise<T>)(procedure, input);

  /** How many timers wait while nothing is in flight: each loop of the desk has one, unless it is working. */
  let loops = 0;
  const isStill = (): boolean => {
    if (!receivers.isHolding() && receivers.waiting() === 0) loops = Math.max(loops, time.timers());
    return line.inFlight() === 0 && time.timers() >= loops;
  };
  const quiet = async (): Promise<void> => {
    for (let still = 0, turns = 0; still < 5 && turns < MAX_TURNS; turns += 1) {
      await sleep(1);
      still = isStill() ? still + 1 : 0;
    }
  };
  /** The chains that are watched are found at the first poll, and watched from the second on. */
  const settleIn = async (): Promise<void> => {
    loops = 0;
    for (let polls = 0; polls < 3; polls += 1) {
      for (let turns = 0; turns < 3; turns += 1) await quiet();
      await time.pass(4_000);
    }
    await quiet();
  };

  let cycles = 0;
  const inForce = (rule: ListedRule, limit: LimitPolicy): LimitInForce => ({
    ruleId: rule._id,
    name: rule.name,
    cycle: (cycles += 1),
    policy: limit,
    startMs: rule.policyData.startTimeInEpoch,
  });
  const prove = async (paymasterId: string, wallet: number): Promise<Address> => {
    const signer = FUNDING_WALLETS[wallet % FUNDING_WALLETS.length] as unknown as HDNodeWallet;
    const { fundingMessage } = await call<{ fundingMessage: string }>('paymasters.fundingMessage', { paymasterId });
    const signature = await signer.signMessage(fundingMessage);
    const proof = { paymasterId, type: 'paymasterFundingId', signature, address: signer.address };
    await call('paymasters.setFundingWallet', proof);
    return lower(signer.address);
  };
  const rule = (paymasterId: string, definition: object): Promise<ListedRule> =>
    call('rules.create', { paymasterId, rule: definition });

  const createDapp = async (dapp: DappPolicy, index: number): Promise<Dapp> => {
    const [account] = await call<{ accountId: string }[]>('accounts.list', {});
    const { version, webhook } = dapp;
    const { paymasterId, apiKey } = await call<{ paymasterId: string; apiKey: string }>('paymasters.create', {
      accountId: account?.accountId,
      name: `DApp ${index}`,
      type: 'HYBRID',
      chainId,
      version,
    });
    const wallet = layoutOf(version).hasTanks ? await prove(paymasterId, dapp.wallet) : NO_WALLET;
    if (dapp.whitelist) {
      const game = { name: 'Game', address: chain.gameItems, abi: gameItems.formatJson() };
      await call('contracts.create', { paymasterId, ...game, whitelistedMethods: ['mint'] });
    }
    if (dapp.deployments) {
      await rule(paymasterId, { name: 'deployments', policyType: 'WALLET_DEPLOYMENT', policyData: {} });
    }
    const limits: LimitInForce[] = [];
    for (const [nth, limit] of dapp.limits.entries()) {
      const definition = { name: `limit ${nth}`, policyType: 'PAYMASTER_SA_LIMIT', policyData: limitData(limit) };
      limits.push(inForce(await rule(paymasterId, definition), limit));
    }
    if (webhook !== null) {
      const url = receivers.url(index, webhook.byName);
      receivers.behaviours.set(index, webhook.behaviour);
      if (webhook.kind === 'registered') {
        await call('webhooks.create', { paymasterId, webhookUrl: url, requestType: 'POST' });
      } else {
        const policyData = { url, failOpen: webhook.kind === 'rule that fails open' };
        await rule(paymasterId, { name: 'webhook', policyType: 'WEBHOOK', policyData });
      }
    }
    const paymaster = chain.paymasters[version];
    return { index, policy: dapp, paymasterId, apiKey, paymaster, wallet, limits, pausedLimits: [] };
  };

  /** What was there before anyone pushed anything. */
  const defaultOperationCost = async (): Promise<bigint> => {
    const views = await call<{ chainId: number; defaultMaxOperationCostWei?: string }[]>('chains.list', {});
    const shown = views.find((one) => one.chainId === chainId)?.defaultMaxOperationCostWei;
    if (shown !== undefined) return BigInt(shown);
    return DEFAULT_COST_GAS * BigInt(policy.baseFeeMwei + policy.tipMwei) * MWEI;
  };
  const setOperationCost = async (): Promise<bigint | undefined> => {
    if (!abilities.operationCost) return undefined;
    if (policy.operationCost === null) return defaultOperationCost();
    const wei = BigInt(policy.operationCost) * MILLI;
    await call('chains.set', { chainId, maxOperationCostWei: String(wei) });
    return wei;
  };

  await call('chains.set', { chainId, rpc: line.url, breaker: null });
  await call('signers.import', { chainId, privateKey: SIGNER_KEY });
  for (const version of new Set(policy.dapps.map((dapp) => dapp.version))) {
    await call('paymasterContracts.use', { chainId, version, address: chain.paymasters[version] });
  }
  const operationCostWei = await setOperationCost();
  const dapps: Dapp[] = [];
  for (const [index, dapp] of policy.dapps.entries()) dapps.push(await createDapp(dapp, index));
  let breaker: BreakerInForce | undefined;
  if (policy.breaker !== null) {
    const { milli, seconds } = policy.breaker;
    breaker = { amountWei: BigInt(milli) * MILLI, seconds };
    await call('chains.set', { chainId, breaker: { amountWei: String(breaker.amountWei), seconds } });
  }
  await settleIn();

  const connections = new Agent({ keepAlive: true });
  const post = ({ apiKey }: Dapp, method: string, params: readonly unknown[], agent: Agent | false) =>
    postJsonRpc(`${engine.url}/api/v1/${chainId}/${apiKey}`, { method, params, agent });

  return {
    dapps,
    breaker,
    operationCostWei,
    call,
    get url() {
      return engine.url;
    },
    post: (dapp, method, params) => post(dapp, method, params, connections),
    postAnew: (dapp, method, params) => post(dapp, method, params, false),
    quiet,
    async updateLimit(dapp, limit, threshold) {
      const changed = { ...limit.policy, threshold };
      const update = { threshold: limitData(changed).threshold };
      await call('rules.updateLimit', { paymasterId: dapp.paymasterId, ruleId: limit.ruleId, update });
      const rules = await call<ListedRule[]>('rules.list', { paymasterId: dapp.paymasterId });
      const written = rules.find(({ _id }) => _id === limit.ruleId);
      if (written === undefined) throw new Error('The limit is gone');
      dapp.limits = dapp.limits.map((one) => (one === limit ? inForce(written, changed) : one));
    },
    async setActive(dapp, limit, active) {
      const { paymasterId } = dapp;
      await call(active ? 'rules.activate' : 'rules.deactivate', { paymasterId, ruleId: limit.ruleId });
      if (active) {
        dapp.pausedLimits.splice(dapp.pausedLimits.indexOf(limit), 1);
        // Tickets keep the limits that were in force: theirs stay as they are.
        dapp.limits = [...dapp.limits, limit];
      } else {
        dapp.pausedLimits.push(limit);
        dapp.limits = dapp.limits.filter((one) => one !== limit);
      }
    },
    async useWallet(dapp, wallet) {
      dapp.wallet = await prove(dapp.paymasterId, wallet);
    },
    async resume() {
      await call('system.resume', {});
      if (!abilities.dappPause) return;
      for (const { paymasterId } of dapps) await call('paymasters.resume', { paymasterId });
    },
    async restart() {
      await engine.stop();
      engine = await start();
      await settleIn();
    },
    async stop() {
      connections.destroy();
      await engine.stop();
      removeTempFolder(dir);
    },
  };
};
