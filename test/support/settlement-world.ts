import { Wallet, parseEther } from 'ethers';
import { afterAll, beforeAll } from 'vitest';
import { type MinedOperation, simpleAccount, submitOperation } from '../../src/demo/simple-account.ts';
import { deployWorld, devWallet, fundDeposit, fundGasTank } from '../../src/demo/world-contracts.ts';
import { type RpcClient, createRpcClient } from '../../src/engine/chain/rpc.ts';
import { type Settlement, createSettlement } from '../../src/engine/chain/settlement.ts';
import { createLog } from '../../src/engine/log.ts';
import { biconomy110 } from '../../src/engine/paymaster/biconomy-1.1.0.ts';
import { signDigest } from '../../src/engine/signer/sign.ts';
import { userOpHash } from '../../src/engine/user-operation/user-op-hash.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from './account-call-data.ts';
import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.ts';
import { deployLayout } from './deploy-layout.ts';
import { type TestChain, useLocalChain } from './local-chain.ts';
import { ManualClock } from './manual-clock.ts';
import { MemorySettlementStore, type SponsoredDecision } from './memory-settlement-store.ts';
import { FEE, gameCall } from './sponsored-world.ts';

/** A decision and its operation, ready to be sent. */
export interface SponsoredOperation {
  readonly decision: SponsoredDecision;
  readonly op: UserOperationV06;
}

/** A line of the log. */
export interface LogLine {
  readonly event: string;
  readonly chainId?: number;
  readonly count?: number;
}

/** A store and a settlement that watches the local chain through a line that can be cut. */
export interface SettlementDesk {
  readonly store: MemorySettlementStore;
  readonly clock: ManualClock;
  readonly logged: readonly LogLine[];
  readonly start: () => void;
  /** Polls once; false if the chain could not be asked. */
  readonly poll: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
  /** Stops and begins anew with what is in the store. */
  readonly restart: () => Promise<void>;
  /** Signs and reserves an operation that may be mined for `seconds` of the chain's time. */
  readonly sponsor: (seconds?: number) => Promise<SponsoredOperation>;
}

/**
 * A local chain with a funded paymaster, an account that it pays for, and a line to it. It is good for some hundred
 * blocks: beyond a thousand anvil may lose the state that a re-org goes back to, contracts included.
 */
export interface SettlementWorld {
  readonly chain: TestChain;
  readonly line: CuttableProxy;
  readonly rpc: RpcClient;
  readonly paymaster: Address;
  desk(options?: { maxRangeBlocks?: number; withoutRpc?: boolean }): Promise<SettlementDesk>;
  /** Mines the operation in a block of its own and answers what the EntryPoint's event says. */
  mine(operation: SponsoredOperation): Promise<MinedOperation & { blockNumber: number }>;
  /** Mines empty blocks, one second apart. */
  mineEmpty(blocks: number): Promise<void>;
  /** Lets the chain's time pass and mines a block. */
  pass(seconds: number): Promise<void>;
  head(): Promise<{ number: number; timestamp: number }>;
}

const signer = new Wallet(`0x${'5e'.repeat(32)}`);
const quantity = (value: number): string => `0x${value.toString(16)}`;

const buildWorld = async (
  chain: TestChain,
  line: CuttableProxy,
): Promise<SettlementWorld & { stop(): Promise<void> }> => {
  const operator = devWallet(0, chain.provider);
  const fundingWallet = devWallet(9, chain.provider).address as Address;
  const { entryPoint, accountFactory, gameItems } = await deployWorld(operator);
  const paymaster = await deployLayout(biconomy110, signer.address, operator);
  await fundGasTank(paymaster, fundingWallet, parseEther('100'), operator);
  const account = await simpleAccount(accountFactory, devWallet(1, chain.provider), 0n, chain.provider);
  await fundDeposit(entryPoint, account.address, parseEther('1'), operator);
  await (await operator.sendTransaction({ to: accountFactory, data: `0x${account.initCode.slice(42)}` })).wait();

  const rpc = createRpcClient(chain.url, 'The chain', 5_000);
  const head = async () => {
    const block = (await rpc.send('eth_getBlockByNumber', ['latest', false])) as { number: Hex; timestamp: Hex };
    return { number: Number(block.number), timestamp: Number(block.timestamp) };
  };

  // Far below anything that a test re-orgs.
  await rpc.send('anvil_mine', [quantity(20), '0x1']);

  let operations = 0n;
  const sign = async (validUntil: number): Promise<UserOperationV06> => {
    const unsigned: UserOperationV06 = {
      sender: account.address,
      // A nonce of the first of its sequence each, so that any of them can be mined in any order.
      nonce: (operations += 1n) << 64n,
      initCode: '0x',
      callData: encodeExecute(gameItems, 0n, gameCall('mint')),
      callGasLimit: 200_000n,
      verificationGasLimit: 500_000n,
      preVerificationGas: 60_000n + operations,
      maxFeePerGas: 5n * FEE,
      maxPriorityFeePerGas: FEE,
      paymasterAndData: '0x',
      signature: '0x',
    };
    const terms = { chainId: chain.chainId, paymaster, validUntil, validAfter: 0, fundingWallet };
    const sponsorship = signDigest(signer.privateKey as Hex, biconomy110.hash(unsigned, terms));
    const op = { ...unsigned, paymasterAndData: biconomy110.encode(unsigned, terms, sponsorship) };
    const hash = userOpHash['0.6'](op, { chainId: chain.chainId, entryPoint });
    return { ...op, signature: signDigest(devWallet(1, chain.provider).privateKey as Hex, hash) };
  };

  const settlements: { current: Settlement }[] = [];

  return {
    chain,
    line,
    rpc,
    paymaster,
    head,
    async mine({ op }) {
      const mined = await submitOperation(op, entryPoint, operator);
      const receipt = (await rpc.send('eth_getTransactionReceipt', [mined.transactionHash])) as { blockNumber: Hex };
      const blockNumber = Number(receipt.blockNumber);
      // anvil has the receipt of a block a moment before that block is its newest.
      while ((await head()).number < blockNumber);
      return { ...mined, blockNumber };
    },
    mineEmpty: async (blocks) => {
      await rpc.send('anvil_mine', [quantity(blocks), '0x1']);
    },
    pass: async (seconds) => {
      await rpc.send('evm_increaseTime', [quantity(seconds)]);
      await rpc.send('evm_mine', []);
    },
    async desk({ maxRangeBlocks, withoutRpc = false } = {}) {
      const store = new MemorySettlementStore();
      const clock = new ManualClock((await head()).timestamp * 1000);
      const logged: LogLine[] = [];
      const log = createLog({ level: 'debug', clock, write: (text) => logged.push(JSON.parse(text) as LogLine) });
      const node = createRpcClient(line.url, 'The chain', 5_000);
      const chains = { rpc: async () => (withoutRpc ? undefined : node) };
      const create = () =>
        createSettlement({ store, chains, clock, log, ...(maxRangeBlocks !== undefined && { maxRangeBlocks }) });
      const running = { current: create() };
      settlements.push(running);
      return {
        store,
        clock,
        logged,
        start: () => running.current.start(),
        poll: () => running.current.pollNow(),
        stop: () => running.current.stop(),
        async restart() {
          await running.current.stop();
          running.current = create();
        },
        async sponsor(seconds = 300) {
          const { timestamp } = await head();
          const op = await sign(timestamp + seconds);
          const decision = store.reserve({
            chainId: chain.chainId,
            userOpHash: userOpHash['0.6'](op, { chainId: chain.chainId, entryPoint }),
            entryPoint,
            paymaster,
            sender: op.sender,
            nonce: op.nonce,
            maxCost: biconomy110.reservedCost(op),
            validUntil: timestamp + seconds,
            at: timestamp * 1000,
          });
          return { op, decision };
        },
      };
    },
    async stop() {
      await Promise.all(settlements.map(({ current }) => current.stop()));
      await line.cut();
    },
  };
};

/** Gives the tests of the file that calls it such a world. The result is for inside tests. */
export const useSettlementWorld = (): (() => SettlementWorld) => {
  const localChain = useLocalChain();
  let world: Awaited<ReturnType<typeof buildWorld>> | undefined;
  beforeAll(async () => {
    world = await buildWorld(localChain(), await startCuttableProxy(localChain().url));
  });
  afterAll(() => world?.stop());
  return () => {
    if (world === undefined) throw new Error('The world is there only while tests run');
    return world;
  };
};
