import { Interface, Wallet, ZeroAddress, toBeHex, zeroPadValue } from 'ethers';
import { startLocalChain } from '../../src/demo/local-chain.ts';
import { deployContract, deployEntryPoint, devWallet, localProvider } from '../../src/demo/world-contracts.ts';
import { type RpcClient, RpcError, createRpcClient } from '../../src/engine/chain/rpc.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type EntryPointVersion, entryPointVersion } from '../../src/shared/schema/user-operation.ts';
import { deployLayout } from '../support/deploy-layout.ts';
import { accountFactories } from '../support/entry-point-world.ts';
import { type Behaviour, accountCode } from './account-code.ts';
import { VERSIONS, type Version, layoutOf } from './versions.ts';

/** A smart account of the attacker. */
export interface Sender {
  readonly kind: 'deployed' | 'counterfactual' | 'codeless' | 'hostile' | 'made';
  readonly address: Address;
  /** What deploys it; absent if it is deployed, or is no account at all. */
  readonly factory?: { readonly address: Address; readonly data: Hex };
  /** Set for accounts that the attacker made. */
  readonly behaviour?: Behaviour;
}

/** What the chain says of a mined operation that one of our contracts paid for. Costs in wei. */
export interface PaidOperation {
  readonly userOpHash: Hex;
  readonly paymaster: Address;
  readonly transactionHash: Hex;
  /** What left the contract's deposit at the EntryPoint. */
  readonly actualGasCost: bigint;
  /** What a tank was debited, and whose; absent for contracts without tanks. */
  readonly debit?: { readonly wallet: Address; readonly wei: bigint };
}

/** A block's transaction and what came of it. */
export interface MinedOperation {
  readonly transactionHash: Hex;
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  /** Wei per gas. */
  readonly gasPrice: bigint;
  /** The operations in it that one of our contracts paid for. */
  readonly paid: readonly PaidOperation[];
}

/** A local chain with everything on it that desks and attackers need, which goes back to how it was made. */
export interface AttackChain {
  readonly chainId: number;
  readonly url: string;
  readonly rpc: RpcClient;
  readonly paymasters: Readonly<Record<Version, Address>>;
  readonly gameItems: Address;
  readonly scrambler: Address;
  readonly senders: Readonly<Record<EntryPointVersion, readonly Sender[]>>;
  /** Takes everything back that happened since it was made. */
  reset(): Promise<void>;
  head(): Promise<{ number: number; timestamp: number }>;
  /** Mines a block with that time (unix s) and base fee, and in it the transaction, if there is one. */
  mine(block: { seconds: number; baseFeeWei: bigint }, transaction?: Transaction): Promise<MinedOperation | undefined>;
  /** Why a call fails now, in the EntryPoint's words. */
  whyFailing(to: Address, data: Hex): Promise<string>;
  balance(of: Address): Promise<bigint>;
  /** Has an account of the attacker's own making stand on the chain, as if it had been deployed. */
  makeAccount(version: EntryPointVersion, behaviour: Behaviour): Promise<Sender>;
  /** An account of the factory that is not deployed yet, and no one asked for before. */
  newAccount(version: EntryPointVersion): Promise<Sender>;
  /** The next nonce of an account in one of its sequences. */
  nonce(version: EntryPointVersion, sender: Address, key: bigint): Promise<bigint>;
  /** What may be spent: the tank of the wallet, or the contract's deposit. Wei. */
  tank(version: Version, wallet: Address): Promise<bigint>;
  /** Whether a transaction is on the chain, and not taken back. */
  isMined(transactionHash: Hex): Promise<boolean>;
  /** Every operation that one of our contracts paid for, in the chain's order. */
  paid(): Promise<PaidOperation[]>;
  stop(): Promise<void>;
}

/** What someone sends. Any address may send: the chain asks for no signatures. */
export interface Transaction {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly valueWei?: bigint;
  /** Wei per gas; the base fee where it is not said. */
  readonly gasPrice?: bigint;
}

/** The key that every paymaster contract of the chain accepts. */
export const SIGNER_KEY: Hex = `0x${'5e'.repeat(32)}`;
/** Owns the attacker's SimpleAccounts. */
export const ACCOUNT_OWNER = new Wallet(`0x${'a7'.repeat(32)}`);
/** Wallets whose tanks pay. */
export const FUNDING_WALLETS = ['f1', 'f2', 'f3'].map((byte) => new Wallet(`0x${byte.repeat(32)}`));
/** Gas of a bundle's transaction, and of a block. */
const BUNDLE_GAS = 29_000_000n;

const abi = new Interface([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function senderCreator() view returns (address)',
  'function getNonce(address sender, uint192 key) view returns (uint256)',
  'function getBalance(address wallet) view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'event GasBalanceDeducted(address indexed wallet, uint256 indexed charge)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

const failures = new Interface([
  'error FailedOp(uint256 opIndex, string reason)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
]);

const hex = (value: bigint | number): string => `0x${value.toString(16)}`;
/** The same address in one letter case. */
export const lower = (address: string): Address => address.toLowerCase() as Address;

interface Log {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: Hex;
  readonly transactionHash: Hex;
}

interface Receipt {
  readonly status: string;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly logs: readonly Log[];
}

/** Reads logs in the chain's order: a tank is debited just before its operation's event. */
const paidOperations = (logs: readonly Log[], paymasters: ReadonlySet<string>): PaidOperation[] => {
  const paid: PaidOperation[] = [];
  let debit: PaidOperation['debit'];
  for (const { topics, data, transactionHash } of logs) {
    const event = abi.parseLog({ topics, data });
    if (event?.name === 'GasBalanceDeducted') {
      debit = { wallet: lower(event.args['wallet'] as string), wei: event.args['charge'] as bigint };
    }
    if (event?.name !== 'UserOperationEvent') continue;
    const paymaster = lower(event.args['paymaster'] as string);
    const userOpHash = event.args['userOpHash'] as Hex;
    const actualGasCost = event.args['actualGasCost'] as bigint;
    if (paymasters.has(paymaster)) {
      paid.push({ userOpHash, paymaster, transactionHash, actualGasCost, ...(debit && { debit }) });
    }
    debit = undefined;
  }
  return paid;
};

/** Starts such a chain. End it with `stop`. */
export const startAttackChain = async (): Promise<AttackChain> => {
  const local = await startLocalChain();
  const { chainId, url } = local;
  const provider = localProvider(url, chainId);
  const operator = devWallet(0, provider);
  const rpc = createRpcClient(url, 'The chain', 60_000);
  const call = async (to: Address, method: string, args: unknown[]): Promise<unknown> =>
    abi.decodeFunctionResult(method, await rpc.call(to, abi.encodeFunctionData(method, args) as Hex))[0];

  const sendFrom = async (from: Address, to: Address, data: string): Promise<void> => {
    await rpc.send('anvil_setBalance', [from, hex(10n ** 20n)]);
    await rpc.send('eth_sendTransaction', [{ from, to, data, gas: hex(5_000_000) }]);
    await rpc.send('evm_mine', []);
  };
  const factories = {} as Record<EntryPointVersion, Address>;
  const factoryAccount = async (version: EntryPointVersion, salt: bigint): Promise<Sender> => {
    const factory = factories[version];
    const address = (await call(factory, 'getAddress', [ACCOUNT_OWNER.address, salt])) as Address;
    const data = abi.encodeFunctionData('createAccount', [ACCOUNT_OWNER.address, salt]) as Hex;
    return { kind: 'counterfactual', address, factory: { address: factory, data } };
  };
  const sendersOf = async (version: EntryPointVersion): Promise<Sender[]> => {
    const entryPoint = entryPoints[version].address;
    const factory = await deployContract(accountFactories[version], [entryPoint], operator);
    // From v0.8 on a factory works for the EntryPoint's creator alone.
    const creator =
      version === '0.8' || version === '0.9' ? ((await call(entryPoint, 'senderCreator', [])) as Address) : undefined;
    factories[version] = factory;
    const deployed = await Promise.all([factoryAccount(version, 0n), factoryAccount(version, 1n)]);
    for (const { factory: by } of deployed) {
      if (by !== undefined) await sendFrom(creator ?? (operator.address as Address), by.address, by.data);
    }
    return [
      ...deployed.map(({ address }): Sender => ({ kind: 'deployed', address })),
      { kind: 'hostile', address: await deployContract('AttackerAccount', [], operator) },
      await factoryAccount(version, 2n),
      { kind: 'codeless', address: lower(zeroPadValue(toBeHex(0xc0de), 20)) },
    ];
  };
  const deploy = (version: Version): Promise<Address> => {
    const signer = new Wallet(SIGNER_KEY).address;
    const layout = layoutOf(version);
    if (layout.deployment !== undefined) return deployLayout(layout, signer, operator);
    return deployContract('TankPaymasterV100', [operator.address, entryPoints['0.6'].address, signer], operator);
  };

  await rpc.send('anvil_autoImpersonateAccount', [true]);
  for (const version of entryPointVersion.options) await deployEntryPoint(operator, version);
  const paymasters = {} as Record<Version, Address>;
  for (const version of VERSIONS) paymasters[version] = lower(await deploy(version));
  const senders = {} as Record<EntryPointVersion, readonly Sender[]>;
  for (const version of entryPointVersion.options) senders[version] = await sendersOf(version);
  const gameItems = await deployContract('GameItems', [], operator);
  const scrambler = await deployContract('ScrambledBundler', [], operator);
  for (const { address } of FUNDING_WALLETS) await rpc.send('anvil_setBalance', [address, hex(10n ** 24n)]);
  // Re-orgs never reach what was built.
  await rpc.send('anvil_mine', [hex(20), '0x1']);
  await rpc.send('evm_setAutomine', [false]);
  provider.destroy();
  let snapshot = await rpc.send('evm_snapshot', []);
  const payers = new Set<string>(Object.values(paymasters));
  let made = 0;
  const firstBlock = Number(await rpc.send('eth_blockNumber', []));

  return {
    chainId,
    url,
    rpc,
    paymasters,
    gameItems,
    scrambler,
    senders,
    async reset() {
      await rpc.send('evm_revert', [snapshot]);
      snapshot = await rpc.send('evm_snapshot', []);
    },
    async head() {
      const block = (await rpc.send('eth_getBlockByNumber', ['latest', false])) as { number: Hex; timestamp: Hex };
      return { number: Number(block.number), timestamp: Number(block.timestamp) };
    },
    async mine({ seconds, baseFeeWei }, transaction) {
      await rpc.send('anvil_setNextBlockBaseFeePerGas', [hex(baseFeeWei)]);
      if (transaction === undefined) {
        await rpc.send('evm_mine', [seconds]);
        return undefined;
      }
      const { from, to, data, valueWei = 0n, gasPrice = baseFeeWei } = transaction;
      const sent = { from, to, data, value: hex(valueWei), gas: hex(BUNDLE_GAS), gasPrice: hex(gasPrice) };
      const transactionHash = (await rpc.send('eth_sendTransaction', [sent])) as Hex;
      await rpc.send('evm_mine', [seconds]);
      const receipt = (await rpc.send('eth_getTransactionReceipt', [transactionHash])) as Receipt | null;
      if (receipt === null) throw new Error('A transaction was not mined');
      const { status, gasUsed, effectiveGasPrice, logs } = receipt;
      const cost = { gasUsed: BigInt(gasUsed), gasPrice: BigInt(effectiveGasPrice) };
      return { transactionHash, succeeded: status === '0x1', ...cost, paid: paidOperations(logs, payers) };
    },
    async whyFailing(to, data) {
      const asked = await rpc
        .send('eth_call', [{ to, data, gas: hex(BUNDLE_GAS) }, 'latest'])
        .catch((error: unknown) => error);
      if (!(asked instanceof RpcError)) return 'too late, or too little gas';
      // Shorter than a selector: an account that reverted without a word.
      const error = asked.data === undefined || asked.data.length < 10 ? null : failures.parseError(asked.data);
      return (error === null ? asked.message : error.args.map(String).join(' ')).slice(0, 80);
    },
    balance: async (of) => BigInt((await rpc.send('eth_getBalance', [of, 'latest'])) as string),
    async makeAccount(version, behaviour) {
      made += 1;
      const address = lower(zeroPadValue(toBeHex(0xacc00000 + made), 20));
      // Calls that are only simulated may see the next block.
      const next = Number(await rpc.send('eth_blockNumber', [])) + 1;
      await rpc.send('anvil_setCode', [address, accountCode(version, behaviour, next)]);
      return { kind: 'made', address, behaviour };
    },
    newAccount: (version) => factoryAccount(version, BigInt(1_000 + (made += 1))),
    nonce: async (version, sender, key) =>
      (await call(entryPoints[version].address, 'getNonce', [sender, key])) as bigint,
    async tank(version, wallet) {
      const layout = layoutOf(version);
      const paymaster = paymasters[version];
      return (await (layout.hasTanks
        ? call(paymaster, 'getBalance', [wallet])
        : call(entryPoints[layout.entryPointVersion].address, 'balanceOf', [paymaster]))) as bigint;
    },
    async isMined(transactionHash) {
      const receipt = (await rpc.send('eth_getTransactionReceipt', [transactionHash])) as { blockNumber: Hex } | null;
      if (receipt === null) return false;
      // anvil keeps receipts of blocks that are gone.
      const block = await rpc.send('eth_getBlockByNumber', [receipt.blockNumber, false]);
      return (block as { transactions: Hex[] } | null)?.transactions.includes(transactionHash) === true;
    },
    async paid() {
      const filter = { fromBlock: hex(firstBlock + 1), toBlock: 'latest' };
      return paidOperations((await rpc.send('eth_getLogs', [filter])) as Log[], payers);
    },
    stop: () => local.stop(),
  };
};

/** No one's wallet: of contracts without tanks. */
export const NO_WALLET = ZeroAddress as Address;
