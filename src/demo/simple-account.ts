import { Contract, Interface, type Provider, type Signer, concat, getBytes } from 'ethers';
import { entryPoint06 } from '../core/entry-points/0.6.ts';
import { STUB_SIGNATURE } from '../core/paymaster-layouts/layout.ts';
import { USER_OPERATION_V06_ABI } from '../core/user-operation/abi.ts';
import type { Address, Hex } from '../shared/schema/hex.ts';
import type { UserOperationV06 } from '../shared/schema/user-operation.ts';

/** A SimpleAccount v0.6 with one owner. It need not be deployed yet. */
export interface SimpleAccount {
  readonly address: Address;
  readonly owner: Signer;
  /** Creates the account. Used in its first operation. */
  readonly initCode: Hex;
}

export interface AccountCall {
  readonly to: Address;
  readonly data: Hex;
}

const accountAbi = new Interface([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, bytes[] func)',
]);
const factoryAbi = new Interface([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
]);
const entryPointAbi = new Interface([
  'function getNonce(address sender, uint192 key) view returns (uint256)',
  `function handleOps(${USER_OPERATION_V06_ABI}[] ops, address beneficiary)`,
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, ' +
    'uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'error FailedOp(uint256 opIndex, string reason)',
]);

/** The account that the factory creates for an owner and a salt. */
export const simpleAccount = async (
  factory: Address,
  owner: Signer,
  salt: bigint,
  provider: Provider,
): Promise<SimpleAccount> => {
  const contract = new Contract(factory, factoryAbi, provider);
  const ownerAddress = await owner.getAddress();
  // Called by its signature, because ethers contracts have their own getAddress.
  const address = (await contract.getFunction('getAddress(address,uint256)')(ownerAddress, salt)) as Address;
  const initCode = concat([factory, factoryAbi.encodeFunctionData('createAccount', [ownerAddress, salt])]) as Hex;
  return { address, owner, initCode };
};

/** Encodes one call as `execute`, and several calls as a batch. */
const encodeCalls = ([first, ...others]: readonly [AccountCall, ...AccountCall[]]): string => {
  if (others.length === 0) return accountAbi.encodeFunctionData('execute', [first.to, 0n, first.data]);
  const calls = [first, ...others];
  return accountAbi.encodeFunctionData('executeBatch', [calls.map(({ to }) => to), calls.map(({ data }) => data)]);
};

/** What a wallet sends to Gasdesk: the operation without gas limits, as JSON. */
export const partialOperation = async (
  account: SimpleAccount,
  call: AccountCall | readonly [AccountCall, ...AccountCall[]],
  entryPoint: Address,
  provider: Provider,
): Promise<Record<string, string>> => {
  const contract = new Contract(entryPoint, entryPointAbi, provider);
  const nonce = (await contract.getFunction('getNonce')(account.address, 0n)) as bigint;
  const deployed = (await provider.getCode(account.address)) !== '0x';
  const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
  return {
    sender: account.address,
    nonce: `0x${nonce.toString(16)}`,
    initCode: deployed ? '0x' : account.initCode,
    callData: encodeCalls('to' in call ? [call] : call),
    maxFeePerGas: `0x${(maxFeePerGas ?? 0n).toString(16)}`,
    maxPriorityFeePerGas: `0x${(maxPriorityFeePerGas ?? 0n).toString(16)}`,
    // With this signature, the account returns failure instead of reverting.
    signature: STUB_SIGNATURE,
  };
};

/** The parts of Gasdesk's response to a sponsored request that a wallet needs. */
export interface SponsoredGas {
  paymasterAndData: string;
  preVerificationGas: string;
  verificationGasLimit: number;
  callGasLimit: number;
}

/** The finished operation with the values from Gasdesk, signed by the account's owner. */
export const finishOperation = async (
  account: SimpleAccount,
  partial: Record<string, string>,
  sponsored: SponsoredGas,
  { chainId, entryPoint }: { chainId: number; entryPoint: Address },
): Promise<UserOperationV06> => {
  const op: UserOperationV06 = {
    sender: account.address,
    nonce: BigInt(partial['nonce'] ?? 0),
    initCode: partial['initCode'] as Hex,
    callData: partial['callData'] as Hex,
    callGasLimit: BigInt(sponsored.callGasLimit),
    verificationGasLimit: BigInt(sponsored.verificationGasLimit),
    preVerificationGas: BigInt(sponsored.preVerificationGas),
    maxFeePerGas: BigInt(partial['maxFeePerGas'] ?? 0),
    maxPriorityFeePerGas: BigInt(partial['maxPriorityFeePerGas'] ?? 0),
    paymasterAndData: sponsored.paymasterAndData as Hex,
    signature: '0x',
  };
  const hash = entryPoint06.hash(op, { chainId, entryPoint });
  return { ...op, signature: (await account.owner.signMessage(getBytes(hash))) as Hex };
};

/** A mined operation. Costs are in wei. */
export interface MinedOperation {
  readonly transactionHash: string;
  readonly success: boolean;
  readonly actualGasCost: bigint;
  readonly actualGasUsed: bigint;
  /** Gas used by the bundle's whole transaction. */
  readonly transactionGas: bigint;
}

/** Submits an operation through `EntryPoint.handleOps` and waits until it is mined. */
export const submitOperation = async (
  op: UserOperationV06,
  entryPoint: Address,
  bundler: Signer,
): Promise<MinedOperation> => {
  const contract = new Contract(entryPoint, entryPointAbi, bundler);
  const sent = await contract.getFunction('handleOps').send([op], await bundler.getAddress());
  const receipt = await sent.wait();
  if (receipt === null) throw new Error('The bundle was not mined');
  const events = receipt.logs.flatMap((log) => contract.interface.parseLog(log) ?? []);
  const event = events.find((one) => one.name === 'UserOperationEvent');
  if (event === undefined) throw new Error('The bundle has no UserOperationEvent');
  return {
    transactionHash: receipt.hash,
    success: event.args.getValue('success') as boolean,
    actualGasCost: event.args.getValue('actualGasCost') as bigint,
    actualGasUsed: event.args.getValue('actualGasUsed') as bigint,
    transactionGas: receipt.gasUsed,
  };
};
