// What the clients that take any smart account of viem's share: permissionless' SimpleAccount and alto's gas price.
import { toSimpleSmartAccount } from 'permissionless/accounts';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { createPublicClient, http } from 'viem';
import { createBundlerClient } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { localhost } from 'viem/chains';

export const setUp = async ({ rpcUrl, bundlerUrl, entryPoint, factory, ownerKey }) => {
  const client = createPublicClient({ chain: localhost, transport: http(rpcUrl) });
  const owner = privateKeyToAccount(ownerKey);
  const account = await toSimpleSmartAccount({ client, owner, factoryAddress: factory, entryPoint });
  const bundler = createPimlicoClient({ chain: localhost, transport: http(bundlerUrl), entryPoint });
  const estimateFeesPerGas = async () => (await bundler.getUserOperationGasPrice()).standard;
  return { client, account, estimateFeesPerGas };
};

/** A call, and before it the approval of the paymaster where tokens pay. */
export const callsOf = ({ call, approval, token }) => (token ? [approval, call] : [call]);

/** viem's bundler client with a paymaster of the SDK. */
export const bundlerClient = async (task, paymaster, paymasterContext) => {
  const { client, account, estimateFeesPerGas } = await setUp(task);
  return createBundlerClient({
    account,
    client,
    chain: localhost,
    transport: http(task.bundlerUrl),
    paymaster,
    paymasterContext,
    userOperation: { estimateFeesPerGas },
  });
};
