import { Interface } from 'ethers';
import { expect, it } from 'vitest';
import type { Hex } from '../../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../../shared/schema/user-operation.ts';
import { USER_OPERATION_V06_ABI } from '../../../core/user-operation/abi.ts';
import { verifying06 } from '../../../core/paymaster-layouts/verifying-0.6.ts';
import { RpcError } from '../rpc.ts';
import type { RpcClient } from '../rpc.ts';
import { estimateBySimulation } from './simulation.ts';

const abi = new Interface([
  `function simulateHandleOp(${USER_OPERATION_V06_ABI} op, address target, bytes targetCallData)`,
  'function estimateCallGas(address, bytes, address, bytes, uint256, uint256) returns (bool, uint256, bytes)',
  'error ExecutionResult(uint256, uint256, uint48, uint48, bool, bytes)',
  'error FailedOp(uint256, string)',
]);
const SIMULATE = abi.getFunction('simulateHandleOp')!.selector;

const reverts = (error: string, values: unknown[]) => (): never => {
  throw new RpcError(3, 'execution reverted', abi.encodeErrorResult(error, values) as Hex);
};
const passes = reverts('ExecutionResult', [100_000n, 110_000n, 0, 0, false, '0x']);
const runsOut = reverts('FailedOp', [0n, 'AA40 over verificationGasLimit']);
const callNeeds50k = abi.encodeFunctionResult('estimateCallGas', [true, 50_000n, '0x']);

const op: UserOperationV06 = {
  sender: `0x${'11'.repeat(20)}`,
  nonce: 0n,
  initCode: '0x',
  callData: '0xabcdef',
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: 30_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  paymasterAndData: '0x',
  signature: `0x${'22'.repeat(65)}`,
};

/**
 * A node whose simulations return the given results in order (the last one repeats), and the simulations it received.
 */
const nodeWith = (simulations: (() => unknown)[], probe: unknown = callNeeds50k) => {
  const simulated: UserOperationV06[] = [];
  const send = (method: string, [call]: readonly unknown[]): unknown => {
    if (method === 'eth_getCode') return '0xfe';
    const { data } = call as { data: Hex };
    if (!data.startsWith(SIMULATE)) return probe;
    simulated.push(abi.decodeFunctionData('simulateHandleOp', data)[0] as UserOperationV06);
    return simulations[Math.min(simulated.length, simulations.length) - 1]!();
  };
  const rpc: RpcClient = {
    url: 'http://127.0.0.1',
    send: async (method, params) => send(method, params),
    call: () => Promise.reject(new Error('not asked')),
  };
  return { rpc, simulated };
};

const estimate = (rpc: RpcClient) =>
  estimateBySimulation({
    rpc,
    bundler: undefined,
    chainId: 31337,
    entryPoint: `0x${'44'.repeat(20)}`,
    op,
    sponsor: () => '0x5e',
    layout: verifying06,
    paymaster: `0x${'55'.repeat(20)}`,
  });

it('what the node sees signed before anything is decided sponsors nothing worth having', async () => {
  const { rpc, simulated } = nodeWith([passes]);
  await estimate(rpc);
  expect(simulated.map(({ maxFeePerGas }) => maxFeePerGas)).toEqual([1n, 1n]);
});

it('what is handed out is what passed', async () => {
  const { rpc, simulated } = nodeWith([passes]);
  const gas = await estimate(rpc);
  expect(gas).toMatchObject({ callGasLimit: 55_000n, verificationGasLimit: 121_000n });
  const { callGasLimit, verificationGasLimit, preVerificationGas } = simulated[1]!;
  expect(gas).toEqual({ callGasLimit, verificationGasLimit, preVerificationGas });
});

it('an account that wants more gas at hand than it uses gets more', async () => {
  const { rpc, simulated } = nodeWith([passes, runsOut, runsOut, passes]);
  const gas = await estimate(rpc);
  expect(simulated.map(({ verificationGasLimit }) => verificationGasLimit)).toEqual([
    6_000_000n,
    121_000n,
    181_500n,
    272_250n,
  ]);
  expect(gas.verificationGasLimit).toBe(272_250n);
});

it('an account that is never content is given up', async () => {
  const { rpc, simulated } = nodeWith([passes, runsOut]);
  await expect(estimate(rpc)).rejects.toMatchObject({ code: 'GAS_ESTIMATION_FAILED', data: { aaCode: 'AA40' } });
  expect(simulated).toHaveLength(5);
});

it.each<[string, (() => unknown)[], unknown, string]>([
  ['answers with a number', [() => 5], callNeeds50k, 'CHAIN_UNREACHABLE'],
  ['answers with nothing', [() => '0x'], callNeeds50k, 'GAS_ESTIMATION_FAILED'],
  ['cuts the result', [reverts('FailedOp', [0n, ''])], callNeeds50k, 'GAS_ESTIMATION_FAILED'],
  ['ignores state overrides', [passes], '0x', 'GAS_ESTIMATION_FAILED'],
])('a node that %s is reported as such, not as a bug', async (_, simulations, probe, code) => {
  await expect(estimate(nodeWith(simulations, probe).rpc)).rejects.toMatchObject({ code });
});
