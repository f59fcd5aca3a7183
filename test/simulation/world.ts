import { entryPoints } from '../../src/core/entry-points/registry.ts';
import { requireLayout } from '../../src/core/paymaster-layouts/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import { type MinedOperation, ModelChain, type Payment, type SignedOperation } from './chain.ts';
import { CHAIN_ID, SIGNER, hashes } from './contracts.ts';
import { SimulatedDesk } from './desk.ts';
import type { DiskFaults } from './disk.ts';
import { type Draw, drawOf } from '../support/draw.ts';
import { createNode } from './node.ts';
import { VirtualTime, settle } from './time.ts';
import { FIRST_PRICES, type Prices, type TokenChange, type TransferGas, drawTransferGas } from './tokens.ts';
import { Trace } from './trace.ts';
import { Violation } from './violation.ts';
import { Internet } from './wires.ts';

export const MILLI = 10n ** 15n;
export const HOUR_MS = 3_600_000;

export const HOSTS = {
  node: '10.0.0.1',
  bundler: '10.0.0.2',
  webhook: '10.0.0.3',
  events: '10.0.0.4',
  issuer: '127.0.0.1',
} as const;

/** The time of something that the desk has confirmed. */
export interface Term {
  /** When it was confirmed, in time without the machine's sleep, ms. */
  readonly from: number;
  /** When its end may have begun, in that time; Infinity while it lasts. */
  to: number;
}

/** A spending limit in force: another one after each change that starts a new cycle. */
export interface Limit extends Term {
  readonly ruleId: string;
  /** Whose operations it adds up. */
  readonly per: 'dapp' | 'sender' | 'person';
  readonly unit: 'COUNT' | 'NATIVE_ASSET';
  /** Operations, or wei. */
  readonly threshold: bigint;
  readonly hours: number;
  /** Start of its first window, epoch ms. */
  readonly startMs: number;
}

/** Who says who a person is: the DApp's backend, by a voucher, or an issuer, by an ID token. */
type Vouching = 'VOUCHER' | 'OIDC';

export interface Dapp {
  readonly index: number;
  /** Users of `singleton-0.7` pay in tokens, or are sponsored. */
  readonly version: '1.1.0' | 'verifying-0.7' | 'singleton-0.7';
  readonly paymasterId: string;
  readonly apiKey: string;
  readonly paymaster: Address;
  readonly wallet: Address | undefined;
  readonly limits: Limit[];
  /** How it knows persons, if it requires one. */
  readonly vouching: Vouching | undefined;
  /** True: a registered webhook has to agree. */
  readonly hasWebhook: boolean;
  readonly pauses: Term[];
  /** When its users may not pay in tokens. */
  readonly tokensOff: Term[];
}

/** The breaker in force. */
export interface Breaker extends Term {
  readonly amountWei: bigint;
  readonly seconds: number;
}

/** A signature that a client has received. */
export interface Ticket extends SignedOperation {
  readonly dapp: Dapp;
  readonly op: UserOperation;
  readonly decisionId: string;
  /** Who asked for it, if the client has proved that. */
  readonly person: string | undefined;
  /** Of the prices that the desk may have used, those at which a coin is worth least; undefined if no feed has answered. */
  readonly prices: Prices | undefined;
  /** When it was asked for, in time without the machine's sleep, ms. */
  readonly askedAt: number;
  /** Epoch ms, by the desk's clock. */
  readonly decidedAt: number;
  /** When the answer came, in time without the machine's sleep, ms. */
  readonly answeredAt: number;
}

/** What happened, counted by its name. */
export type Tally = Map<string, number>;

/** Which parts of the world act. A failure is made shorter by leaving some out. */
export const KINDS = [
  'clients',
  'bundler',
  'attackers',
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
  'clock steps',
  'identities',
  'full disk',
  'slow disk',
  'bad disk',
  'tokens',
] as const;
export type Kind = (typeof KINDS)[number];

/** Everything that a seed determines. */
export class World {
  readonly draw: Draw;
  readonly kinds: ReadonlySet<Kind>;
  /** How much faster than usual everything but time goes wrong. */
  readonly haste: number;
  /** Percent of the operations it has that the bundler puts into the next block. */
  readonly eagerness: number;
  /** Number of accounts. A single one may use a whole tank. */
  readonly senders: number;
  /** Percent of the DApps that require a person. */
  readonly vouching: number;
  /** What tanks and deposits hold at first, in thousandths of a coin. */
  readonly funds: readonly number[];
  readonly time = new VirtualTime();
  readonly trace: Trace;
  readonly internet: Internet;
  readonly chain: ModelChain;
  readonly node: ReturnType<typeof createNode>;
  readonly disk: DiskFaults = { full: 0, unreadable: 0, slowMs: 0 };
  readonly desk: SimulatedDesk;
  readonly dapps: Dapp[] = [];
  readonly tickets: Ticket[] = [];
  /** Signed operations that the bundler may still mine. */
  readonly mempool: Ticket[] = [];
  /** Every operation that was ever mined, with what it was charged, by its hash. */
  readonly everMined = new Map<string, MinedOperation>();
  readonly breakers: Breaker[] = [];
  readonly pauses: Term[] = [];
  /** Decisions to which a webhook has answered yes in time. */
  readonly agreed = new Set<string>();
  readonly payments: Payment[] = [];
  /** What the next block changes in the tokens of accounts, and the prices that its feeds have. */
  readonly tokenChanges: TokenChange[] = [];
  prices: Prices = FIRST_PRICES;
  readonly transferGas: TransferGas;
  /** When something else than an operation last changed the tokens of an account, in time without the machine's sleep, ms. */
  readonly changedAt = new Map<Address, number>();
  readonly tally: Tally = new Map();
  readonly story: string[] = [];
  /** Ids of events by the order in which their receiver accepted them first, with what they said. */
  readonly events: { readonly id: string; readonly type: string; readonly decisionId: string }[] = [];
  /** Decisions of whose sponsorship the receiver has refused to hear, or left the desk without an answer. */
  readonly refused = new Set<string>();
  /** Signatures that a client received in the very moment in which the engine died: checked once it has started again. */
  readonly lastWords: Hex[] = [];
  /** Number of re-orgs so far, and when the last one was, epoch ms. */
  reorgs = 0;
  reorgedAt = 0;
  baseFeeWei = 10n ** 9n;
  /** Which key the issuer of ID tokens signs with. */
  issuerKey = 0;
  /** True at the end, when everything works and what is left over gets done. */
  isCalm = false;
  /** When the desk, its machine or its node was last disturbed, epoch ms; Infinity while its node fails. */
  troubledAt = 0;
  /** When the node last said less than it knew, epoch ms; Infinity while it does. */
  misledAt = -Infinity;
  /** When the disk was last filled or freed, in time without the machine's sleep, ms. */
  diskChangedAt = 0;
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
    this.senders = this.draw.part('senders').pick([1, 3, 8]);
    this.vouching = this.draw.part('vouching').pick([0, 40, 100]);
    const funds = this.draw.part('funds');
    const [rich, ...poor] = [
      [200, 2_000],
      [5, 10],
      [5, 10, 20],
      [5, 10, 20, 200, 2_000],
    ] as const;
    // Poor tanks are empty before a breaker trips.
    this.funds = kinds.has('breaker') && funds.chance(50) ? rich : funds.pick(poor);
    this.eagerness = this.draw.part('eagerness').pick([40, 40, 5]);
    this.transferGas = drawTransferGas(this.draw.part('transfer gas'));
    const { time } = this;
    this.trace = new Trace(time, dir);
    this.internet = new Internet(this.trace.note);
    const { internet, trace } = this;
    this.chain = new ModelChain(this.draw.part('chain'), Math.floor(time.now / 1_000));
    this.node = createNode({
      chain: this.chain,
      chainId: CHAIN_ID,
      signer: SIGNER,
      hashes,
      baseFeeWei: () => this.baseFeeWei,
      transferGas: this.transferGas,
      draw: this.draw.part('node'),
      time,
    });
    internet.serve(HOSTS.node, (request, response) => this.run('node', this.node.serve(request, response)));
    this.desk = new SimulatedDesk({
      dir,
      draw: this.draw.part('desk'),
      time,
      internet,
      disk: this.disk,
      note: trace.note,
    });
  }

  count(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  tell(words: string): void {
    this.trace.note(words);
    this.story.push(`${new Date(this.time.now).toISOString().slice(5, 23)} ${words}`);
  }

  /** Watches work that no one awaits: its error ends the simulation. */
  run(name: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#failures.push(error instanceof Error ? error : new Error(`${name}: ${String(error)}`));
    });
  }

  /** Time in which the desk sees what the chain says, if nothing keeps it from looking, ms: some polls. */
  get seenMs(): number {
    return 20_000 + 8 * this.node.slowestMs;
  }

  /** False while the desk may not know yet what the chain says. */
  get isSeen(): boolean {
    const { desk, disk, time, troubledAt, reorgedAt } = this;
    if (!desk.isUp || disk.full > 0 || disk.unreadable > 0 || disk.slowMs > 0) return false;
    return Math.max(troubledAt, reorgedAt) + this.seenMs <= time.now;
  }

  /** False while the desk may take a balance for higher than it is: what was taken from it is unknown, or known no more. */
  get isBalanceKnown(): boolean {
    const { kinds, misledAt, time } = this;
    // If no block is ever taken back, a node that only fails or is slow hides nothing.
    return kinds.has('re-orgs') ? this.isSeen : misledAt + this.seenMs <= time.now;
  }

  /** Something keeps the desk from its work for a moment. */
  disturb(): void {
    this.troubledAt = Math.max(this.troubledAt, this.time.now);
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
        this.run(kind, Promise.resolve(act(draw)));
        // The machine may have slept.
        next();
      });
    };
    next();
  }
}

/** An account, by its place among those that send operations. */
export const senderAt = (nth: number): Address => `0x${(0x1000 + nth).toString(16).padStart(40, '5')}`;

export const entryPointOf = ({ version }: Pick<Dapp, 'version'>) =>
  entryPoints[requireLayout(version).entryPointVersion];

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
