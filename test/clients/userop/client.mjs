import { ethers } from 'ethers';
import { Client, Presets } from 'userop';

const verifyingPaymaster = (contextOf) => async (task) => {
  const urls = { overrideBundlerRpc: task.bundlerUrl, entryPoint: task.entryPoint.address };
  const account = await Presets.Builder.SimpleAccount.init(new ethers.Wallet(task.ownerKey), task.rpcUrl, {
    ...urls,
    factory: task.factory,
    paymasterMiddleware: Presets.Middleware.verifyingPaymaster(task.paymasterUrl, contextOf(task)),
  });
  const client = await Client.init(task.rpcUrl, urls);
  const { call, approval } = task;
  const builder = task.token
    ? account.executeBatch([approval.to, call.to], [approval.data, call.data])
    : account.execute(call.to, 0, call.data);
  return (await client.sendUserOperation(builder)).userOpHash;
};

export default {
  'verifyingPaymaster with {}': verifyingPaymaster(({ token }) => (token ? { token } : {})),
  // As Stackup's documentation has it.
  'verifyingPaymaster with {type}': verifyingPaymaster(({ token }) =>
    token ? { type: 'erc20token', token } : { type: 'payg' },
  ),
};
