import { FunctionFragment, Interface } from 'ethers';
import { JsonNumber } from '../../shared/schema/decimal.ts';
import { type Address, type Hex, address, addressKey, sameAddress } from '../../shared/schema/hex.ts';
import type { EntryPoint } from '../entry-points/entry-point.ts';
import type { Facts } from '../facts/facts.ts';
import { toRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import type { FileContract, FileTest } from './format.ts';

const GWEI = 10n ** 9n;

type Operation = FileTest['operation'];
type Call = Operation['calls'][number];

/** A call that the account makes in the test. */
interface EncodedCall {
  readonly target: Address;
  readonly value: bigint;
  readonly data: Hex;
}

/** The account in a test that names no sender. */
const SENDER: Address = `0x${'a1'.repeat(20)}`;
/** The factory in a test that deploys its account: SimpleAccountFactory of EntryPoint v0.6. */
const FACTORY: Address = '0x9406Cc6185a346906296840746125a0E44976454';

/** Functions of SimpleAccount, which other accounts share, and of its factory. */
const account = new Interface([
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function createAccount(address owner, uint256 salt)',
]);

/** If a number is too large for a double, returns its digits, which ethers can read. */
const exactArgument = (value: unknown): unknown => {
  if (value instanceof JsonNumber) return value.source;
  return Array.isArray(value) ? value.map(exactArgument) : value;
};

const targetOf = (to: string, contracts: readonly FileContract[]): Address => {
  const named = contracts.find(({ name }) => name === to);
  const read = address.safeParse(named?.address ?? to);
  if (!read.success) throw new Error(`"to" must be an address or the name of a contract in this file`);
  return read.data;
};

/** The method of a call, given as a signature, or as a name that occurs only once in the contract's ABI. */
const fragmentOf = (method: string, target: Address, contracts: readonly FileContract[]): FunctionFragment => {
  if (method.includes('(')) return FunctionFragment.from(`function ${method}`);
  const abi = contracts.find((one) => sameAddress(one.address, target))?.abi ?? '[]';
  const found = new Interface(abi).fragments.filter(
    (fragment): fragment is FunctionFragment => fragment instanceof FunctionFragment && fragment.name === method,
  );
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error('"method" must be a signature such as "mint(uint256)"');
  return only;
};

/**
 * The encoded call of a test. Without a method it is a plain transfer.
 * @throws Error with a readable message if the target, the method or its arguments are invalid
 */
export const encodeCall = ({ to, method, args, value }: Call, contracts: readonly FileContract[]): EncodedCall => {
  const target = targetOf(to, contracts);
  if (method === undefined) return { target, value: BigInt(value), data: '0x' };
  let fragment: FunctionFragment;
  try {
    fragment = fragmentOf(method, target, contracts);
  } catch {
    throw new Error('"method" must be a signature such as "mint(uint256)", or the name of one method of the contract');
  }
  try {
    const data = new Interface([fragment]).encodeFunctionData(fragment, args.map(exactArgument)) as Hex;
    return { target, value: BigInt(value), data };
  } catch {
    throw new Error(`"args" must match the parameters of ${fragment.format('sighash')}`);
  }
};

const callDataOf = (calls: readonly EncodedCall[]): Hex => {
  const [only] = calls;
  if (only === undefined) return '0x';
  const one = [only.target, only.value, only.data];
  return (
    calls.length === 1
      ? account.encodeFunctionData('execute', one)
      : account.encodeFunctionData('executeBatch', [calls.map(({ target, value, data }) => [target, value, data])])
  ) as Hex;
};

const creationOf = ({ creation }: EntryPoint, owner: Address): object =>
  creation(addressKey(FACTORY), account.encodeFunctionData('createAccount', [owner, 0n]) as Hex);

/** The gas and fees of a test. The defaults are half a million gas at 2 gwei, as for a usual operation. */
const gasOf = ({ isPacked }: EntryPoint, { gas = {}, maxFeePerGas }: Operation): Record<string, bigint> => {
  const given = Object.entries(gas).flatMap(([field, value]) =>
    value === undefined ? [] : [[field, BigInt(value)] as const],
  );
  const maxFee = maxFeePerGas === undefined ? 2n * GWEI : BigInt(maxFeePerGas);
  return {
    callGasLimit: 200_000n,
    verificationGasLimit: 150_000n,
    preVerificationGas: 50_000n,
    ...(isPacked && { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n }),
    ...Object.fromEntries(given),
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: maxFee < GWEI ? maxFee : GWEI,
  };
};

/** The operation of a test, in its EntryPoint's format for JSON-RPC. */
export const testOperation = (
  operation: Operation,
  contracts: readonly FileContract[],
  entryPoint: EntryPoint,
): Facts['op'] => {
  const sender = (operation.sender ?? SENDER).toLowerCase() as Address;
  return toRpcUserOperation({
    sender,
    nonce: 0n,
    ...entryPoint.emptyFields,
    ...(operation.deploys && creationOf(entryPoint, sender)),
    callData: callDataOf(operation.calls.map((call) => encodeCall(call, contracts))),
    ...gasOf(entryPoint, operation),
    signature: '0x',
  });
};
