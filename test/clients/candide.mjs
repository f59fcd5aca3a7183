// abstractionkit's paymaster client with a SimpleAccount.
import { CandidePaymaster } from 'abstractionkit';
import { encodeFunctionData, parseAbi } from 'viem';
import { bundlerClient } from './simple-account.mjs';

const NO_GAS = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n };
const FIELDS = ['sender', 'nonce', 'callData', 'maxFeePerGas', 'maxPriorityFeePerGas', 'signature'];

/** An operation as abstractionkit's accounts make them: without gas and paymaster. */
const createUserOperation = async (client, { version }, calls) => {
  const op = await client.prepareUserOperation({ calls, parameters: ['factory', 'fees', 'nonce', 'signature'] });
  const common = Object.fromEntries(FIELDS.map((name) => [name, op[name]]));
  return version === '0.6'
    ? { ...common, ...NO_GAS, initCode: op.initCode, paymasterAndData: '0x' }
    : {
        ...{ ...common, ...NO_GAS, factory: op.factory ?? null, factoryData: op.factoryData ?? null },
        ...{ paymaster: null, paymasterVerificationGasLimit: null },
        ...{ paymasterPostOpGasLimit: null, paymasterData: null },
      };
};

/** What CandidePaymaster asks of an account; the SDK has no SimpleAccount. */
const accountOf = (task) => ({
  entrypointAddress: task.entryPoint.address,
  prependTokenPaymasterApproveToCallData: (_callData, to, paymaster, amount) => {
    const abi = parseAbi(['function approve(address spender, uint256 value)']);
    const approval = { to, data: encodeFunctionData({ abi, args: [paymaster, amount] }) };
    return encodeBatch(task.entryPoint, [approval, task.call]);
  },
});

/** SimpleAccount 0.6 batches without values, 0.8 takes calls. */
const encodeBatch = ({ version }, calls) => {
  const [to, data] = [calls.map((call) => call.to), calls.map((call) => call.data)];
  const [signature, args] = {
    0.6: ['function executeBatch(address[] to, bytes[] data)', [to, data]],
    0.7: ['function executeBatch(address[] to, uint256[] values, bytes[] data)', [to, to.map(() => 0n), data]],
    0.8: [
      'function executeBatch((address target, uint256 value, bytes data)[] calls)',
      [calls.map((call) => ({ target: call.to, value: 0n, data: call.data }))],
    ],
  }[version];
  return encodeFunctionData({ abi: parseAbi([signature]), args });
};

/**
 * Has the operation paid by a paymaster of the SDK, signs and sends it.
 * @param pay `{ account, op, token, bundlerUrl }` → the operation with paymaster and gas; without a token, sponsored
 */
export const candidePaymaster = (pay) => async (task) => {
  const { bundlerUrl, call, entryPoint, token } = task;
  const client = await bundlerClient(task);
  const op = await createUserOperation(client, entryPoint, [call]);
  const paymaster = new CandidePaymaster(task.paymasterUrl);
  const paid = await pay(paymaster, { account: accountOf(task), op, token, bundlerUrl });
  const set = Object.fromEntries(Object.entries(paid).filter(([, value]) => value !== null));
  return client.sendUserOperation({ ...set, signature: await client.account.signUserOperation(set) });
};
