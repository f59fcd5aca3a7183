import { createKernelAccountClient, createZeroDevPaymasterClient } from '@zerodev/sdk';
import { signerToSimpleSmartAccount } from 'permissionless/accounts';
import { createPimlicoBundlerClient } from 'permissionless/clients/pimlico';
import { createPublicClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { localhost as chain } from 'viem/chains';

/** Sends with a middleware of the SDK's paymaster client. */
const send = (sponsorWith) => async (task) => {
  const entryPoint = task.entryPoint.address;
  const bundlerTransport = http(task.bundlerUrl);
  const bundler = createPimlicoBundlerClient({ chain, transport: bundlerTransport, entryPoint });
  const paymaster = createZeroDevPaymasterClient({ chain, transport: http(task.paymasterUrl), entryPoint });
  const account = await signerToSimpleSmartAccount(createPublicClient({ chain, transport: http(task.rpcUrl) }), {
    signer: privateKeyToAccount(task.ownerKey),
    factoryAddress: task.factory,
    entryPoint,
  });
  const client = createKernelAccountClient({
    account,
    entryPoint,
    chain,
    bundlerTransport,
    middleware: {
      gasPrice: async () => (await bundler.getUserOperationGasPrice()).standard,
      sponsorUserOperation: ({ userOperation }) => sponsorWith({ task, paymaster, bundler, userOperation }),
    },
  });
  const calls = (task.token ? [task.approval, task.call] : [task.call]).map(({ to, data }) => ({
    to,
    data,
    value: 0n,
  }));
  const callData = await account.encodeCallData(calls.length === 1 ? calls[0] : calls);
  return client.sendUserOperation({ userOperation: { callData } });
};

// It cannot say that tokens are to pay.
const eip7677 = send(({ task, paymaster, bundler, userOperation }) =>
  paymaster.sponsorUserOperationEip7677({ userOperation, entryPoint: task.entryPoint.address }, bundler),
);

export default {
  sponsorUserOperation: send(({ task, paymaster, userOperation }) =>
    paymaster.sponsorUserOperation({ userOperation, ...(task.token && { gasToken: task.token }) }),
  ),
  sponsorUserOperationEip7677: eip7677,
  'sponsorUserOperationEip7677, with a sponsor that is hidden': eip7677,
};
