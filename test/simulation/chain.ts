import { Interface, id, toBeHex, zeroPadValue } from 'ethers';
import { max } from '../../src/shared/bigints.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { Draw } from '../support/draw.ts';
import { FIRST_PRICES, type Prices, type TokenChange, type TokenPayment, WITHOUT_END } from './tokens.ts';

const events = new Interface([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event GasBalanceDeducted(address indexed paymasterId, uint256 indexed charge)',
]);

/** An operation as a bundle carries it. */
export interface SignedOperation {
  readonly userOpHash: Hex;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly paymaster: Address;
  /** The funding wallet whose tank pays; undefined if the contract's deposit pays. */
  readonly wallet: Address | undefined;
  /** The most that the tank or the deposit can be charged, wei. */
  readonly maxCostWei: bigint;
  /** Unix seconds. */
  readonly validUntil: number;
  /** How the sender pays in tokens; undefined if the operation is sponsored. */
  readonly payment: TokenPayment | undefined;
}

/** An operation in a block. */
export interface MinedOperation extends SignedOperation {
  readonly success: boolean;
  readonly gasUsed: bigint;
  /** What the EntryPoint took from the contract's deposit, wei. */
  readonly costWei: bigint;
  /** What the tank or the deposit was charged, wei. */
  readonly chargedWei: bigint;
  /** What the treasury got from the sender, in the token's smallest units. */
  readonly units: bigint;
  readonly transactionHash: Hex;
}

/** A payment into a tank or a deposit. */
export interface Payment {
  readonly payer: string;
  readonly wei: bigint;
}

export interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly timestamp: number;
  readonly operations: readonly MinedOperation[];
  readonly payments: readonly Payment[];
  /** After the operations. */
  readonly tokenChanges: readonly TokenChange[];
  readonly prices: Prices;
}

/** What the paymaster contract may take of an account's tokens, and how many there are, in smallest units. */
export interface Tokens {
  readonly balance: bigint;
  readonly allowance: bigint;
}

export interface Log {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
}

/** The name of what pays for an operation: a wallet's tank, or a contract's deposit. */
export const payerOf = ({ paymaster, wallet }: Pick<SignedOperation, 'paymaster' | 'wallet'>): string =>
  (wallet ?? paymaster).toLowerCase();

const lastOf = (blocks: readonly Block[]): Block => {
  const last = blocks.at(-1);
  if (last === undefined) throw new Error('A chain begins with blocks');
  return last;
};

/** A chain that exists only as its blocks: a re-org replaces the newest ones. */
export class ModelChain {
  readonly #draw: Draw;
  #blocks: Block[] = [];
  readonly #mined = new Set<Hex>();
  #made = 0;

  constructor(draw: Draw, timestamp: number) {
    this.#draw = draw;
    for (let age = 40; age >= 0; age -= 1) this.mine(timestamp - 12 * age, [], []);
  }

  get head(): Block {
    return lastOf(this.#blocks);
  }

  /** The chain as a node knows it that is `behind` blocks behind. */
  seen(behind: number): readonly Block[] {
    return behind === 0 ? this.#blocks : this.#blocks.slice(0, -behind);
  }

  mine(
    timestamp: number,
    operations: readonly MinedOperation[],
    payments: readonly Payment[],
    tokens: Partial<Pick<Block, 'tokenChanges' | 'prices'>> = {},
  ): void {
    this.#made += 1;
    for (const { userOpHash } of operations) this.#mined.add(userOpHash);
    this.#blocks.push({
      number: this.#blocks.length,
      hash: id(`block ${this.#made} ${this.#draw.below(2 ** 32)}`) as Hex,
      timestamp: Math.max(timestamp, (this.#blocks.at(-1)?.timestamp ?? 0) + 1),
      operations,
      payments,
      tokenChanges: [],
      prices: this.#blocks.at(-1)?.prices ?? FIRST_PRICES,
      ...tokens,
    });
  }

  /** Takes the newest blocks back. @returns what was in them, oldest first */
  takeBack(count: number): readonly Block[] {
    const removed = this.#blocks.splice(this.#blocks.length - count);
    for (const { operations } of removed) for (const { userOpHash } of operations) this.#mined.delete(userOpHash);
    return removed;
  }

  /** Wei that a payer has left. */
  balance(payer: string, blocks: readonly Block[] = this.#blocks): bigint {
    let wei = 0n;
    for (const block of blocks) {
      for (const payment of block.payments) if (payment.payer === payer) wei += payment.wei;
      for (const one of block.operations) if (payerOf(one) === payer) wei -= one.chargedWei;
    }
    return wei;
  }

  /** The tokens of an account. */
  tokens(account: Address, blocks: readonly Block[] = this.#blocks): Tokens {
    let [balance, allowance] = [0n, 0n];
    for (const { operations, tokenChanges } of blocks) {
      for (const { sender, payment, units } of operations) {
        if (payment === undefined || sender !== account) continue;
        balance -= units;
        if (allowance !== WITHOUT_END) allowance -= max(units, payment.prefund);
      }
      for (const change of tokenChanges) {
        if (change.account !== account) continue;
        balance = max(balance + change.units, 0n);
        allowance = change.allowance ?? allowance;
      }
    }
    return { balance, allowance };
  }

  /** The account's next nonce for a nonce key. */
  nextNonce(sender: Address, key: bigint, blocks: readonly Block[] = this.#blocks): bigint {
    let next = key << 64n;
    for (const { operations } of blocks) {
      for (const one of operations) if (one.sender === sender && one.nonce >> 64n === key) next = one.nonce + 1n;
    }
    return next;
  }

  isMined(userOpHash: Hex): boolean {
    return this.#mined.has(userOpHash);
  }

  mined(): readonly MinedOperation[] {
    return this.#blocks.flatMap(({ operations }) => operations);
  }
}

/** The logs of a block, in order: before an operation's own event, its contract reports what it took from the tank. */
const encodeLogs = ({ number, hash, operations }: Block): readonly Log[] => {
  const place = { blockNumber: toBeHex(number) as Hex, blockHash: hash };
  return operations
    .flatMap((one) => {
      const { userOpHash, sender, paymaster, nonce, success, costWei, gasUsed, wallet, chargedWei } = one;
      const { transactionHash } = one;
      const values = [userOpHash, sender, paymaster, nonce, success, costWei, gasUsed];
      const own = events.encodeEventLog('UserOperationEvent', values);
      const charge = wallet && events.encodeEventLog('GasBalanceDeducted', [wallet, chargedWei]);
      return [
        ...(charge ? [{ ...charge, address: paymaster, transactionHash }] : []),
        { ...own, address: one.entryPoint, transactionHash },
      ];
    })
    .map((log, index) => ({ ...log, ...place, logIndex: toBeHex(index) as Hex }));
};

/** Nodes are asked for the same blocks again and again. */
const encoded = new WeakMap<Block, readonly Log[]>();

export const logsOf = (block: Block): readonly Log[] => {
  const logs = encoded.get(block) ?? encodeLogs(block);
  encoded.set(block, logs);
  return logs;
};

export const wordOf = (value: bigint | string): Hex =>
  (typeof value === 'string' ? zeroPadValue(value, 32) : zeroPadValue(toBeHex(value), 32)) as Hex;
