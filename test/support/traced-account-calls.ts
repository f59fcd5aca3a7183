import { Interface, type JsonRpcProvider, ZeroHash, toBeHex } from 'ethers';
import type { DecodedCall } from '../../src/core/calls/decoding.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { NpmAccount } from './npm-accounts.ts';

/** A frame of the node's call tracer. Addresses are lower case. */
interface Frame {
  type: string;
  from: Address;
  to?: Address;
  input: Hex;
  value?: Hex;
  error?: string;
  calls?: Frame[];
}

const EXECUTE_USER_OP = '0x8dd7712f';
const execute = new Interface([
  'function executeUserOp((address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature) op, bytes32 hash)',
]);

/** What the EntryPoint calls the account with. */
const inputFor = (callData: Hex, { account, entryPointVersion }: NpmAccount): string => {
  if (!callData.startsWith(EXECUTE_USER_OP) || !entryPoints[entryPointVersion].callsExecuteUserOp) return callData;
  const op = [account, 0, '0x', callData, ZeroHash, 0, ZeroHash, '0x', '0x'];
  return execute.encodeFunctionData('executeUserOp', [op, ZeroHash]);
};

const OPERATIONS: Readonly<Record<string, DecodedCall['operation']>> = {
  CALL: 'call',
  DELEGATECALL: 'delegatecall',
  STATICCALL: 'staticcall',
};

/**
 * The calls that an account makes when the EntryPoint calls it with `callData`, in order, as the node runs it; undefined
 * if it reverts. Calls of the calls are not among them.
 */
export const tracedAccountCalls = async (
  provider: JsonRpcProvider,
  made: NpmAccount,
  callData: Hex,
): Promise<DecodedCall[] | undefined> => {
  const { account, entryPoint, machinery } = made;
  const call = { from: entryPoint, to: account, data: inputFor(callData, made), gas: toBeHex(10_000_000) };
  const top = (await provider.send('debug_traceCall', [call, 'latest', { tracer: 'callTracer' }])) as Frame;
  if (top.error !== undefined) return undefined;
  // Some accounts run the callData behind the prefix by a delegatecall to themselves.
  const behindPrefix = call.data === callData ? undefined : `0x${callData.slice(EXECUTE_USER_OP.length)}`;
  const isMachinery = ({ type, from, to, input }: Frame): boolean =>
    from !== account ||
    machinery.has(to ?? account) ||
    (type === 'DELEGATECALL' && to === account && input === behindPrefix);
  return callsOf(top, isMachinery);
};

const callsOf = (frame: Frame, isMachinery: (frame: Frame) => boolean): DecodedCall[] =>
  (frame.calls ?? []).flatMap((inner): DecodedCall[] => {
    if (isMachinery(inner)) return callsOf(inner, isMachinery);
    const operation = OPERATIONS[inner.type];
    if (operation === undefined || inner.to === undefined) throw new Error(`The account makes a ${inner.type}`);
    const value = operation === 'call' ? BigInt(inner.value ?? 0) : 0n;
    return [{ target: inner.to, value, data: inner.input, operation }];
  });
