import { ethers } from 'ethers';
import { Client, Presets } from 'userop';

const verifyingPaymaster = (contextOf) => async (task) => {
  const { call, approval, bundlerUrl, entryPoint } = task;
  const paymaster = Presets.Middleware.verifyingPaymaster(task.paymasterUrl, contextOf(task));
  const owner = new ethers.Wallet(task.ownerKey);
  const account = await Presets.Builder.SimpleAccount.init(
    owner,
    task.rpcUrl,
    entryPoint.address,
    task.factory,
    paymaster,
  );
  const client = await Client.init(bundlerUrl, entryPoint.address);
  const builder = task.token
    ? account.executeBatch([approval.to, call.to], [approval.data, call.data])
    : account.execute(call.to, 0, call.data);
  return (await client.sendUserOperation(builder)).userOpHash;
};

export default {
  'verifyingPaymaster with {}': verifyingPaymaster(({ token }) => (token ? { token } : {})),
  'verifyingPaymaster with {type}': verifyingPaymaster(({ token }) =>
    token ? { type: 'erc20token', token } : { type: 'payg' },
  ),
};
