import { Wallet } from 'ethers';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { requireLayout } from '../../src/core/paymaster-layouts/registry.ts';
import { verifyPaymasterContract } from '../../src/engine/paymaster/contract-reads.ts';
import { type Address, type Hex, addressKey } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import { type MinedOperation, ModelChain, type Payment, type SignedOperation } from './chain.ts';
import { SimulatedDesk } from './desk.ts';
import { type Draw, drawOf } from '../support/draw.ts';
import { createNode } from './node.ts';
import { VirtualTime, settle } from './time.ts';
import { Violation } from './violation.ts';
import { Internet } from './wires.ts';

export const CHAIN_ID = 1;
export const MILLI = 10n ** 15n;
export const HOUR_MS = 3_600_000;
const SIGNER_KEY = `0x${'51'.repeat(32)}`;

export const HOSTS = { node: '10.0.0.1', bundler: '10.0.0.2', webhook: '10.0.0.3', events: '10.0.0.4' } as const;

/** A spending limit in force: another one after each change that starts a new cycle. */
export interface Limit {
  readonly ruleId: string;
  readonly perUser: boolean;
  readonly unit: 'COUNT' | 'NATIVE_ASSET';
  /** Operations, or wei. */
  readonly threshold: bigint;
  readonly hours: number;
  /** Start of its first window, epoch ms. */
  readonly startMs: number;
  /** Decisions that were requested in this time are certainly bound by it, epoch ms. */
  readonly from: number;
  to: number;
}

export interface Dapp {
  readonly index: number;
  readonly version: '1.1.0' | 'verifying-0.7';
  readonly paymasterId: string;
  readonly apiKey: string;
  readonly paymaster: Address;
  readonly wallet: Address | undefined;
  readonly limits: Limit[];
  /** True: a registered webhook has to agree. */
  readonly hasWebhook: boolean;
  /** Times in which it is certainly paused, epoch ms; `to` is Infinity while it is. */
  readonly pauses: Pause[];
}

export interface Pause {
  readonly from: number;
  to: number;
}

/** The breaker in force. */
export interface Breaker {
  readonly amountWei: bigint;
  readonly seconds: number;
  readonly from: number;
  to: number;
}

/** A signature that a client has received. */
export interface Ticket extends SignedOperation {
  readonly dapp: Dapp;
  readonly op: UserOperation;
  readonly decisionId: string;
  /** When the client asked, when it was decided and when the answer came, epoch ms. */
  readonly askedAt: number;
  readonly decidedAt: number;
  readonly answeredAt: number;
}

/** What happened, counted by its name. */
export type Tally = Map<string, number>;

/** Which parts of the world act. A failure is made shorter by leaving some out. */
export const KINDS = [
  'clients',
  'bundler',
  're-orgs',
  'operator',
  'pauses',
  'breaker',
  'crashes',
  'restarts',
  'node faults',
  'webhooks',
  'receivers',
  'sleeps',
] as const;
export type Kind = (typeof KINDS)[number];

/** Everything that a seed determines. */
export class World {
  readonly draw: Draw;
  readonly kinds: ReadonlySet<Kind>;
  /** How much faster than usual everything but time goes wrong. */
  readonly haste: number;
  readonly time = new VirtualTime();
  readonly internet = new Internet();
  readonly chain: ModelChain;
  readonly node: ReturnType<typeof createNode>;
  readonly desk: SimulatedDesk;
  readonly dapps: Dapp[] = [];
  readonly tickets: Ticket[] = [];
  /** Signed operations that the bundler may still mine. */
  readonly mempool: Ticket[] = [];
  /** Every operation that was ever mined, with what it was charged, by its hash. */
  readonly everMined = new Map<string, MinedOperation>();
  readonly breakers: Breaker[] = [];
  readonly pauses: Pause[] = [];
  /** Decisions to which a webhook has answered yes in time. */
  readonly agreed = new Set<string>();
  readonly payments: Payment[] = [];
  readonly tally: Tally = new Map();
  readonly story: string[] = [];
  /** Ids of events by the order in which their receiver accepted them first, with what they said. */
  readonly events: { readonly id: string; readonly type: string; readonly decisionId: string }[] = [];
  /** Decisions of whose sponsorship the receiver has refused to hear, or left the desk without an answer. */
  readonly refused = new Set<string>();
  /** Signatures that a client received in the very moment in which the engine died: checked once it has started again. */
  readonly lastWords: Hex[] = [];
  /** Number of re-orgs so far. */
  reorgs = 0;
  baseFeeWei = 10n ** 9n;
  /** True at the end, when everything works and what is left over gets done. */
  isCalm = false;
  /** When the desk, its machine or its node was last disturbed, epoch ms; Infinity while its node fails. */
  troubledAt = 0;
  /** True: the operator wants the desk stopped and started again. */
  isRestartDue = false;
  /** True after a crash during a change of the policy: whether it was made is then not known. */
  isPolicyUncertain = false;
  /** How many times the desk was started: what was sent to an earlier engine may or may not have been done. */
  starts = 0;
  readonly #failures: Error[] = [];

  constructor(seed: string, dir: string, kinds: ReadonlySet<Kind>) {
    this.draw = drawOf(seed);
    this.kinds = kinds;
    this.haste = this.draw.part('haste').pick([1, 1, 5]);
    const { time, internet } = this;
    this.chain = new ModelChain(this.draw.part('chain'), Math.floor(time.now / 1_000));
    this.node = createNode({
      chain: this.chain,
      chainId: CHAIN_ID,
      signer: SIGNER,
      hashes,
      baseFeeWei: () => this.baseFeeWei,
      draw: this.draw.part('node'),
      time,
    });
    internet.serve(HOSTS.node, (request, response) => this.run('node', this.node.serve(request, response)));
    this.desk = new SimulatedDesk({ dir, draw: this.draw.part('desk'), time, internet });
  }

  count(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  tell(words: string): void {
    this.story.push(`${new Date(this.time.now).toISOString().slice(5, 23)} ${words}`);
  }

  /** Watches work that no one awaits: its error ends the simulation. */
  run(name: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#failures.push(error instanceof Error ? error : new Error(`${name}: ${String(error)}`));
    });
  }

  blame(code: string, detail: string): void {
    this.#failures.push(new Violation(code, detail));
  }

  /** @throws what failed first */
  check(): void {
    const [first] = this.#failures;
    if (first !== undefined) throw first;
  }

  /** Runs `act` again and again, if its kind acts at all: on average every `ms`. */
  every(kind: Kind, ms: number, act: (draw: Draw) => unknown): void {
    if (!this.kinds.has(kind)) return;
    const draw = this.draw.part(`${kind} ${ms}`);
    const next = (): void => {
      this.time.after(draw.between(1, 2 * ms), () => {
        if (this.isCalm) return;
        next();
        this.run(kind, Promise.resolve(act(draw)));
      });
    };
    next();
  }
}

const SIGNER = addressKey(new Wallet(SIGNER_KEY).address as Address);
const PAYMASTERS = { '1.1.0': `0x${'a1'.repeat(20)}`, 'verifying-0.7': `0x${'a7'.repeat(20)}` } as const;

/** What the contracts answer to `getHash` of the sample operation: the hash that Gasdesk computes. */
const hashes = new Map<string, string>();
for (const [version, paymaster] of Object.entries(PAYMASTERS)) {
  const layout = requireLayout(version);
  for (let modes = 0; modes < 3; modes += 1) {
    const asked: string[] = [];
    const { hash } = await verifyPaymasterContract(
      (_to, data) => {
        asked.push(data);
        return Promise.resolve((hashes.get(data) ?? '0x00') as Address);
      },
      layout,
      { chainId: CHAIN_ID, paymaster, signer: SIGNER },
    );
    const unknown = asked.filter((data) => data.length > 1_000 && !hashes.has(data));
    if (unknown[0] !== undefined) hashes.set(unknown[0], hash.local);
  }
}

export const entryPointOf = ({ version }: Pick<Dapp, 'version'>) =>
  entryPoints[requireLayout(version).entryPointVersion];

/** Puts a desk with DApps and policies into the world. */
export const setUp = async (world: World): Promise<void> => {
  const { desk, draw, chain, time } = world;
  await desk.start();
  world.starts += 1;
  const set = draw.part('set-up');
  const call: typeof desk.call = (name, input) => driving(world, desk.call(name, input));
  await call('chains.set', {
    chainId: CHAIN_ID,
    rpc: `http://${HOSTS.node}:8545`,
    bundler: `http://${HOSTS.bundler}:4337`,
    breaker: null,
    maxOperationCostWei: String(100n * MILLI),
  });
  await call('signers.import', { chainId: CHAIN_ID, privateKey: SIGNER_KEY });
  const wallets = [1, 2].map((nth) => new Wallet(`0x${String(nth).repeat(64)}`));
  const [account] = await call('accounts.list', {});
  for (const [version, address] of Object.entries(PAYMASTERS)) {
    await call('paymasterContracts.use', { chainId: CHAIN_ID, version, address });
  }
  const funded = new Set<string>();
  for (let index = 0, count = set.between(1, 3); index < count; index += 1) {
    const version = set.pick(['1.1.0', '1.1.0', 'verifying-0.7'] as const);
    const { paymasterId, apiKey } = await call('paymasters.create', {
      accountId: account?.accountId ?? '',
      name: `DApp ${index}`,
      type: 'HYBRID',
      chainId: CHAIN_ID,
      version,
      tokenMode: false,
    });
    let wallet: Wallet | undefined;
    if (version === '1.1.0') {
      wallet = set.pick(wallets);
      const { fundingMessage } = await call('paymasters.fundingMessage', { paymasterId });
      const signature = await wallet.signMessage(fundingMessage);
      const address = wallet.address as Address;
      await call('paymasters.setFundingWallet', { paymasterId, type: 'paymasterFundingId', signature, address });
    }
    const hasWebhook = world.kinds.has('webhooks') && set.chance(30);
    if (hasWebhook) {
      const webhookUrl = `http://${HOSTS.webhook}:80/${index}`;
      await call('webhooks.create', { paymasterId, webhookUrl, requestType: 'POST' });
    }
    const paymaster = PAYMASTERS[version];
    const payer = (wallet?.address ?? paymaster).toLowerCase();
    if (!funded.has(payer)) world.payments.push({ payer, wei: BigInt(set.pick([20, 200, 2_000])) * MILLI });
    funded.add(payer);
    world.dapps.push({
      index,
      version,
      paymasterId,
      apiKey,
      paymaster,
      wallet: wallet && addressKey(wallet.address as Address),
      limits: [],
      hasWebhook,
      pauses: [],
    });
  }
  if (world.kinds.has('receivers')) {
    const url = `http://${HOSTS.events}:80/`;
    await call('eventWebhooks.create', { url });
  }
  chain.mine(Math.floor(time.now / 1_000), [], world.payments.splice(0));
};

/** Lets time pass until work is done that waits for it. */
export const driving = async <T>(world: World, work: Promise<T>): Promise<T> => {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  over.catch(() => undefined);
  do await settle();
  while (!isOver && world.time.step(world.time.now + HOUR_MS));
  if (!isOver) throw new Error('The desk waits for something that no time brings');
  return over;
};
