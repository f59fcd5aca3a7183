import { setTimeout as sleep } from 'node:timers/promises';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation } from '../../src/shared/schema/user-operation.ts';
import type { AttackChain, MinedOperation, Sender, Transaction } from './chain.ts';
import { layoutOf } from './versions.ts';
import type { AttackedDesk, Dapp } from './desk.ts';
import type { LineFault, NodeLine } from './node-line.ts';
import type { LimitInForce } from './policy.ts';
import type { Crowd } from './crowd.ts';
import type { Behaviour, NameState, Receivers } from './receiver.ts';
import type { Tally } from './tally.ts';
import type { AttackTime } from './time.ts';
import type { IgnoredViolations } from './violation.ts';
import type { Wish } from './wish.ts';

/** What the operator's policy said at the moment when an operation was signed. */
export interface InForce {
  readonly wallet: Address;
  readonly limits: readonly LimitInForce[];
  readonly paused: boolean;
  readonly lineFault: LineFault | undefined;
  /** The base fee, or what of the node's lie about it may be believed where that is more. Wei per gas. */
  readonly baseFeeWei: bigint;
  /** How far the desk's clock had leapt ahead by then, ms. */
  readonly leaptMs: number;
  readonly behaviour: Behaviour | undefined;
  readonly nameState: NameState;
}

/** An operation that the desk signed for. */
export interface Ticket {
  readonly number: number;
  readonly dapp: Dapp;
  readonly sender: Sender;
  readonly wish: Wish;
  readonly ability: string;
  /** As it was signed, without its `paymasterAndData`. */
  readonly op: UserOperation;
  /** The `paymasterAndData` that was signed. */
  readonly data: Hex;
  /** What the desk wrote down. */
  readonly decision: DecisionRecord;
  /** The most that it reserved. */
  readonly maxCostWei: bigint;
  readonly inForce: InForce;
  /** When it was asked for and when it was answered, epoch ms; no clock is wrong here. */
  readonly between: readonly [number, number];
}

/** An operation whose paymaster signature an account revealed, though the desk had answered without one. */
export interface StolenDraft {
  readonly dapp: Dapp;
  readonly sender: Sender;
  readonly op: UserOperation;
  readonly data: Hex;
}

/** What the attacker put into a bundle. */
export interface SubmittedOperation {
  /** Undefined: a stolen draft. */
  readonly ticket: Ticket | undefined;
  /** True: its `paymasterAndData` was changed behind the signature's back, so that its hash is another. */
  readonly altered: boolean;
  /** What the bundler paid per gas, wei. */
  readonly gasPrice: bigint;
}

/** A mined bundle of the attacker, all wei. */
export interface MinedBundle {
  readonly transactionHash: Hex;
  readonly operations: bigint;
  /** What tanks or deposits paid for it. */
  readonly paidWei: bigint;
  /** What its bundler has more than it cost. */
  readonly gainWei: bigint;
  /** The part that could not be known when the operations were signed. */
  readonly unknowableWei: bigint;
}

/** A transaction of the operator that adds to a tank, or takes from it. */
export interface Payment {
  readonly tank: string;
  readonly wei: bigint;
  readonly transactionHash: Hex;
}

/** An attack in progress: the world, and what the attacker and the operator did in it. */
export interface Run extends IgnoredViolations {
  readonly chain: AttackChain;
  readonly line: NodeLine;
  readonly receivers: Receivers;
  readonly time: AttackTime;
  readonly desk: AttackedDesk;
  readonly tally: Tally;
  readonly tickets: Ticket[];
  readonly stolen: StolenDraft[];
  /** By the hash of the operation. */
  readonly submitted: Map<string, SubmittedOperation>;
  /** Tickets whose operations were seen mined; a re-org may have taken that back. */
  readonly seenMined: Set<Ticket>;
  /** What was paid into tanks and deposits, and what the operator took out: a re-org may take it back. */
  readonly payments: Payment[];
  readonly bundles: MinedBundle[];
  /** Base fee of the next block, and the one that there was at first. Wei per gas. */
  baseFeeWei: bigint;
  readonly usualBaseFeeWei: bigint;
  /** The tip that bundlers have to pay, which the node suggests while no one pushes it. Wei per gas. */
  readonly tipWei: bigint;
  /** What the desk believed of the base fee when it last signed, and of which block. Wei per gas. */
  believed: { readonly block: number; readonly wei: bigint };
  /** True: logs once came from a node that was behind. */
  wereLogsBehind: boolean;
  readonly crowd: Crowd;
  /** The newest block when the run began: re-orgs stay above it. */
  readonly firstBlock: number;
  /** The highest block that the desk may have read, as far as re-orgs had to know. */
  highestBlock: number;
  paused: boolean;
  /** Operations signed before it do not count for the breaker: it was set or resumed since. */
  breakerFrom: number;
  /** How far the desk's clock has leapt ahead where it was started again, ms. */
  leaptMs: number;
  /** A request that waits for a webhook. */
  waiting: Promise<void> | undefined;
}

/** Name of a tank: a wallet's at a version, or the version's deposit. */
export const tankName = (dapp: Pick<Dapp, 'policy' | 'wallet'>): string =>
  layoutOf(dapp.policy.version).hasTanks ? `${dapp.policy.version} ${dapp.wallet}` : dapp.policy.version;

/** The EntryPoint of a DApp's operations. */
export const entryPointVersionOf = ({ policy: { version } }: Dapp): EntryPointVersion =>
  layoutOf(version).entryPointVersion;

/** Mines a block: a second passes on everyone's clock. */
export const mineBlock = async (run: Run, transaction?: Transaction): Promise<MinedOperation | undefined> => {
  await run.time.pass(1_000);
  const seconds = Math.floor(run.time.now() / 1_000);
  return run.chain.mine({ seconds, baseFeeWei: run.baseFeeWei }, transaction);
};

/** Mines a block in no time: its time is the newest block's. */
export const mineAtOnce = async (run: Run): Promise<void> => {
  const { timestamp } = await run.chain.head();
  await run.chain.mine({ seconds: timestamp, baseFeeWei: run.baseFeeWei });
};

/** Lets the desk look at the chain once. */
export const poll = async (run: Run): Promise<void> => {
  await run.time.pass(4_000);
  await run.desk.quiet();
};

/** Lets time pass as it does while no one attacks: the chain mines, the desk polls. */
export const letPass = async (run: Run, ms: number): Promise<void> => {
  await run.time.pass(ms);
  await mineBlock(run);
  await run.desk.quiet();
  await poll(run);
};

/** Turns of a millisecond after which a request that no one works on waits for time to pass. */
const PATIENCE = { receiver: 10, queue: 150 };

/** Waits for what the desk does; where only a receiver that never answers keeps it, time passes. */
export const patiently = async (run: Run, isDone: () => boolean): Promise<void> => {
  for (let idle = 0; !isDone(); idle += 1) {
    await sleep(1);
    if (run.line.inFlight() > 0) idle = 0;
    if (idle >= (run.receivers.waiting() > 0 ? PATIENCE.receiver : PATIENCE.queue)) await run.time.pass(500);
  }
};

const beneficiary = (address: string): string => address.slice(2).padStart(64, '0');

/** Someone pays into the tank or the deposit that pays for a DApp. */
export const fund = async (run: Run, dapp: Dapp, wei: bigint, from: Address): Promise<void> => {
  const layout = layoutOf(dapp.policy.version);
  const [to, selector, whose] = layout.hasTanks
    ? [dapp.paymaster, '0xaa67c919', dapp.wallet] // depositFor(address)
    : [entryPoints[layout.entryPointVersion].address, '0xb760faf9', dapp.paymaster]; // depositTo(address)
  const mined = await mineBlock(run, { from, to, data: (selector + beneficiary(whose)) as Hex, valueWei: wei });
  if (mined?.succeeded !== true) throw new Error('The deposit failed');
  run.payments.push({ tank: tankName(dapp), wei, transactionHash: mined.transactionHash });
};
