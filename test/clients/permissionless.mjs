// permissionless 0.2 to 0.4, and viem.
import { createSmartAccountClient } from 'permissionless';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { prepareUserOperationForErc20Paymaster } from 'permissionless/experimental/pimlico';
import { http } from 'viem';
import { createPaymasterClient } from 'viem/account-abstraction';
import { localhost } from 'viem/chains';
import { bundlerClient, callsOf, setUp } from './simple-account.mjs';

const viem = async (task) => {
  const paymaster = createPaymasterClient({ transport: http(task.paymasterUrl) });
  const client = await bundlerClient(task, paymaster, task.token && { token: task.token });
  return client.sendUserOperation({ calls: callsOf(task) });
};

const smartAccountClient = async (task, prepareUserOperationWith) => {
  const { client, account, estimateFeesPerGas } = await setUp(task);
  const pimlico = createPimlicoClient({
    chain: localhost,
    transport: http(task.paymasterUrl),
    entryPoint: task.entryPoint,
  });
  return createSmartAccountClient({
    client,
    account,
    chain: localhost,
    bundlerTransport: http(task.bundlerUrl),
    paymaster: pimlico,
    paymasterContext: task.token ? { token: task.token } : { sponsorshipPolicyId: 'sp_any' },
    userOperation: { estimateFeesPerGas, prepareUserOperation: prepareUserOperationWith?.(pimlico) },
  });
};

const pimlico = async (task) => (await smartAccountClient(task)).sendUserOperation({ calls: callsOf(task) });

/** It approves what it works out from the quote, by itself. */
const erc20Paymaster = async (task) => {
  const client = await smartAccountClient(task, prepareUserOperationForErc20Paymaster);
  return client.sendUserOperation({ calls: [task.call] });
};

export default {
  "viem's createPaymasterClient": viem,
  createPimlicoClient: pimlico,
  prepareUserOperationForErc20Paymaster: erc20Paymaster,
};
