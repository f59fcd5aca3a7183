import { createSmartAccountClient } from 'permissionless';
import { signerToSimpleSmartAccount } from 'permissionless/accounts';
import { createPimlicoBundlerClient, createPimlicoPaymasterClient } from 'permissionless/clients/pimlico';
import { createStackupPaymasterClient } from 'permissionless/clients/stackup';
import { paymasterActionsEip7677 } from 'permissionless/experimental';
import { createClient, createPublicClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { localhost } from 'viem/chains';

const send = async (task, sponsorUserOperation) => {
  const entryPoint = task.entryPoint.address;
  const publicClient = createPublicClient({ chain: localhost, transport: http(task.rpcUrl) });
  const bundlerTransport = http(task.bundlerUrl);
  const bundler = createPimlicoBundlerClient({ chain: localhost, transport: bundlerTransport, entryPoint });
  const account = await signerToSimpleSmartAccount(publicClient, {
    signer: privateKeyToAccount(task.ownerKey),
    factoryAddress: task.factory,
    entryPoint,
  });
  const client = createSmartAccountClient({
    account,
    entryPoint,
    chain: localhost,
    bundlerTransport,
    middleware: {
      gasPrice: async () => (await bundler.getUserOperationGasPrice()).standard,
      sponsorUserOperation: (args) => sponsorUserOperation({ ...args, bundler }),
    },
  });
  const { to, data, value = 0n } = task.call;
  const callData = task.token
    ? await account.encodeCallData([
        { ...task.approval, value: 0n },
        { to, data, value },
      ])
    : await account.encodeCallData({ to, data, value });
  return client.sendUserOperation({ userOperation: { callData } });
};

const pimlico = (task) => {
  const entryPoint = task.entryPoint.address;
  const paymaster = createPimlicoPaymasterClient({ chain: localhost, transport: http(task.paymasterUrl), entryPoint });
  return send(task, ({ userOperation }) => paymaster.sponsorUserOperation({ userOperation }));
};

/** A stub, the bundler's estimate with it, and then the data, as ERC-7677 has it. */
const eip7677 = (task) => {
  const paymaster = createClient({ chain: localhost, transport: http(task.paymasterUrl) }).extend(
    paymasterActionsEip7677(task.entryPoint.address),
  );
  const context = task.token && { token: task.token };
  return send(task, async ({ userOperation, bundler }) => {
    const answer = await paymaster.getPaymasterStubData({ userOperation, chain: localhost, context });
    const { sponsor: _sponsor, isFinal: _isFinal, ...stub } = answer;
    const gas = await bundler.estimateUserOperationGas({ userOperation: { ...userOperation, ...stub } });
    const estimated = { ...userOperation, ...stub, ...gas };
    const data = await paymaster.getPaymasterData({ userOperation: estimated, chain: localhost, context });
    return { ...stub, ...gas, ...data };
  });
};

const stackup = (task) => {
  const entryPoint = task.entryPoint.address;
  const paymaster = createStackupPaymasterClient({ chain: localhost, transport: http(task.paymasterUrl), entryPoint });
  const context = task.token ? { type: 'erc20token', token: task.token } : { type: 'payg' };
  return send(task, ({ userOperation }) => paymaster.sponsorUserOperation({ userOperation, context }));
};

export default {
  createPimlicoPaymasterClient: pimlico,
  paymasterActionsEip7677: eip7677,
  createStackupPaymasterClient: stackup,
};
