// The class behind `estimate({ paymasterDetails })`; Etherspot's own accounts need its contracts.
import base from '@etherspot/modular-sdk/dist/cjs/sdk/base/VerifyingPaymasterAPI.js';
import { bundlerClient, callsOf } from './simple-account.mjs';

const LIMITS = [
  ...['callGasLimit', 'verificationGasLimit', 'preVerificationGas'],
  ...['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'],
];

const verifyingPaymaster = async (task) => {
  const context = task.token ? { mode: 'erc20', token: task.token } : { mode: 'sponsor' };
  const paymaster = base.getVerifyingPaymaster(task.paymasterUrl, task.entryPoint.address, context);
  const client = await bundlerClient(task);
  const parameters = ['factory', 'fees', 'nonce', 'signature'];
  const prepared = await client.prepareUserOperation({ calls: callsOf(task), parameters });
  const { sender, nonce, factory, factoryData, callData, maxFeePerGas, maxPriorityFeePerGas } = prepared;
  const op = { sender, nonce, factory, factoryData, callData, maxFeePerGas, maxPriorityFeePerGas };
  // As the SDK's estimate does.
  const { result } = await paymaster.getPaymasterData({ ...op, callGasLimit: 35_000n, verificationGasLimit: 100_000n });
  const limits = Object.fromEntries(LIMITS.map((name) => [name, BigInt(result[name])]));
  const paid = { ...op, ...limits, paymaster: result.paymaster, paymasterData: result.paymasterData };
  return client.sendUserOperation({ ...paid, signature: await client.account.signUserOperation(paid) });
};

export default { VerifyingPaymasterAPI: verifyingPaymaster };
