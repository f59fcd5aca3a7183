import { Wallet, concat, dataSlice, parseEther } from 'ethers';
import { useFixture } from './fixture.ts';
import { type MinedOperation, simpleAccount, submitOperation } from '../../src/demo/simple-account.ts';
import { deployContract, deployWorld, devWallet, fundDeposit, fundGasTank } from '../../src/demo/world-contracts.ts';
import { type RpcClient, createRpcClient } from '../../src/engine/chain/rpc.ts';
import { type Settlement, createSettlement } from '../../src/engine/chain/settlement.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { biconomy100 } from '../../src/core/paymaster-layouts/biconomy-1.0.0.ts';
import { biconomy110 } from '../../src/core/paymaster-layouts/biconomy-1.1.0.ts';
import { signDigest } from '../../src/engine/signer/sign.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { encodeExecute } from './account-call-data.ts';
import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.ts';
import { deployLayout } from './deploy-layout.ts';
import { type TestChain, useLocalChain } from './local-chain.ts';
import { ManualClock } from './manual-clock.ts';
import { MemorySettlementStore, type SponsoredDecision } from './memory-settlement-store.ts';
import { scrambledBundler } from './scrambled-bundler.ts';
import { FEE, gameCall } from './operations.ts';

/** A decision and its operation, which only its account has yet to sign. */
export interface SponsoredOperation {
  readonly decision: SponsoredDecision;
  readonly op: UserOperationV06;
}

export interface SponsorOptions {
  /** As another candidate for the nonce of that operation; by default the nonce is new. */
  readonly insteadOf?: SponsoredOperation | undefined;
  /** By version 1.0.0, whose signatures never expire. */
  readonly endless?: boolean;
}

export interface MiningOptions {
  /** Extra bytes after the signed ones, which change the hash. */
  readonly behind?: Hex;
  /** Through a contract whose input does not show it. */
  readonly scrambled?: boolean;
}

export interface LogLine {
  readonly event: string;
  readonly chainId?: number;
  readonly count?: number;
  readonly transactionHash?: string;
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
  /** Stops and restarts with the state in the store. */
  readonly restart: () => Promise<void>;
  /** Signs and reserves an operation that may be mined for `seconds` of the chain's time. */
  readonly sponsor: (seconds?: number, how?: SponsorOptions) => Promise<SponsoredOperation>;
}

/**
 * A local chain with a funded paymaster contract, an account that it pays for, and a line to it. It lasts for some
 * hundred blocks: beyond a thousand, anvil may lose the state that a re-org goes back to, contracts included.
 */
export interface SettlementWorld {
  readonly chain: TestChain;
  readonly line: CuttableProxy;
  readonly rpc: RpcClient;
  readonly paymaster: Address;
  desk(options?: { maxRangeBlocks?: number; withoutRpc?: boolean }): Promise<SettlementDesk>;
  /** Mines the operation in a block of its own. @returns the values of the EntryPoint's event */
  mine(
    operation: SponsoredOperation,
    how?: MiningOptions,
  ): Promise<MinedOperation & { blockNumber: number; userOpHash: Hex }>;
  /** Uses the nonce of an operation with another one, for which the account itself pays. */
  useNonce(operation: SponsoredOperation): Promise<void>;
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
  const endless = await deployContract('TankPaymasterV100', [operator.address, entryPoint, signer.address], operator);
  for (const contract of [paymaster, endless]) {
    await fundGasTank(contract, fundingWallet, parseEther('100'), operator);
  }
  const scrambling = await scrambledBundler(operator);
  const account = await simpleAccount(accountFactory, devWallet(1, chain.provider), 0n, chain.provider);
  await fundDeposit(entryPoint, account.address, parseEther('1'), operator);
  await (await operator.sendTransaction({ to: accountFactory, data: dataSlice(account.initCode, 20) })).wait();

  const rpc = createRpcClient(chain.url, 'The chain', 5_000);
  const head = async () => {
    const block = (await rpc.send('eth_getBlockByNumber', ['latest', false])) as { number: Hex; timestamp: Hex };
    return { number: Number(block.number), timestamp: Number(block.timestamp) };
  };

  // Far below anything that a test re-orgs.
  await rpc.send('anvil_mine', [quantity(20), '0x1']);

  let operations = 0n;
  const unsignedFor = (nonce: bigint): UserOperationV06 => ({
    sender: account.address,
    nonce,
    initCode: '0x',
    callData: encodeExecute(gameItems, 0n, gameCall('mint')),
    callGasLimit: 200_000n,
    verificationGasLimit: 500_000n,
    // Makes every operation different.
    preVerificationGas: 60_000n + operations,
    maxFeePerGas: 5n * FEE,
    maxPriorityFeePerGas: FEE,
    paymasterAndData: '0x',
    signature: '0x',
  });
  const hashOf = (op: UserOperationV06): Hex => entryPoints['0.6'].hash(op, { chainId: chain.chainId, entryPoint });
  const signedByAccount = (op: UserOperationV06): UserOperationV06 => {
    return { ...op, signature: signDigest(devWallet(1, chain.provider).privateKey as Hex, hashOf(op)) };
  };
  const sponsored = (
    validUntil: number,
    { insteadOf, endless: isEndless = false }: SponsorOptions,
  ): UserOperationV06 => {
    operations += 1n;
    // Each nonce is the first of its own sequence, so that operations can be mined in any order.
    const unsigned = unsignedFor(insteadOf?.op.nonce ?? operations << 64n);
    const layout = isEndless ? biconomy100 : biconomy110;
    const by = isEndless ? endless : paymaster;
    const terms = { chainId: chain.chainId, paymaster: by, validUntil, validAfter: 0, fundingWallet };
    const sponsorship = signDigest(signer.privateKey as Hex, layout.hash(unsigned, terms));
    return { ...unsigned, paymasterAndData: layout.encode(unsigned, terms, sponsorship) };
  };
  const settlements: { current: Settlement }[] = [];

  return {
    chain,
    line,
    rpc,
    paymaster,
    head,
    async mine({ op }, how = {}) {
      const altered = { ...op, paymasterAndData: concat([op.paymasterAndData, how.behind ?? '0x']) as Hex };
      const mined = await submitOperation(signedByAccount(altered), entryPoint, how.scrambled ? scrambling : operator);
      const receipt = (await rpc.send('eth_getTransactionReceipt', [mined.transactionHash])) as { blockNumber: Hex };
      const blockNumber = Number(receipt.blockNumber);
      // anvil has the receipt of a block a moment before that block is its newest.
      while ((await head()).number < blockNumber);
      return { ...mined, blockNumber, userOpHash: hashOf(altered) };
    },
    useNonce: async ({ op: { nonce } }) => {
      await submitOperation(signedByAccount(unsignedFor(nonce)), entryPoint, operator);
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
        async sponsor(seconds = 300, how = {}) {
          const { timestamp } = await head();
          const validUntil = how.endless === true ? 0 : timestamp + seconds;
          const op = sponsored(validUntil, how);
          const decision = store.reserve({
            chainId: chain.chainId,
            userOpHash: hashOf(op),
            entryPoint,
            paymaster: dataSlice(op.paymasterAndData, 0, 20) as Address,
            sender: op.sender,
            nonce: op.nonce,
            maxCost: biconomy110.reservedCost(op),
            validUntil,
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

/** Gives the tests of the calling file such a world. Call the result inside tests. */
export const useSettlementWorld = (): (() => SettlementWorld) => {
  const localChain = useLocalChain();
  return useFixture(
    async () => buildWorld(localChain(), await startCuttableProxy(localChain().url)),
    (world) => world?.stop(),
  );
};
