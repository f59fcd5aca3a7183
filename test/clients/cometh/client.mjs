import { createComethPaymasterClient, createSmartAccountClient } from '@cometh/connect-sdk-4337';
import { http } from 'viem';
import { localhost } from 'viem/chains';
import { callsOf, setUp } from './simple-account.mjs';

const comethPaymaster = async (task) => {
  const { client: publicClient, account, estimateFeesPerGas } = await setUp(task);
  const client = createSmartAccountClient({
    account,
    chain: localhost,
    publicClient,
    bundlerTransport: http(task.bundlerUrl),
    paymaster: createComethPaymasterClient({ transport: http(task.paymasterUrl), chain: localhost, publicClient }),
    paymasterContext: task.token && { token: task.token },
    userOperation: { estimateFeesPerGas },
  });
  return client.sendUserOperation({ calls: callsOf(task) });
};

export default { createComethPaymasterClient: comethPaymaster };
