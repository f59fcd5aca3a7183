import { Safe4337Pack } from '@safe-global/relay-kit';
import { createTestClient, http, parseEther } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { localhost } from 'viem/chains';
import { deploySafe } from './safe-contracts.mjs';
import { addModulesLibAddress, deployModules02, safe4337ModuleAddress } from './safe-modules-0.2.mjs';

const init = async (task) => {
  await deploySafe(task);
  await deployModules02(task);
  const { paymasterUrl, paymaster: paymasterAddress, token: paymasterTokenAddress } = task;
  return Safe4337Pack.init({
    provider: task.rpcUrl,
    signer: task.ownerKey,
    bundlerUrl: task.bundlerUrl,
    customContracts: { addModulesLibAddress, safe4337ModuleAddress },
    options: { owners: [privateKeyToAddress(task.ownerKey)], threshold: 1 },
    paymasterOptions: paymasterTokenAddress
      ? { paymasterUrl, paymasterAddress, paymasterTokenAddress }
      : { paymasterUrl, isSponsored: true },
  });
};

const send = async (task) => {
  const pack = await init(task);
  const node = createTestClient({ chain: localhost, mode: 'anvil', transport: http(task.rpcUrl) });
  const address = await pack.protocolKit.getAddress();
  // The SDK has the bundler estimate before a paymaster pays. Other bundlers than alto suppose then that the user can.
  await node.setBalance({ address, value: parseEther('1') });
  const operation = await pack.createTransaction({ transactions: [{ ...task.call, value: '0' }] });
  await node.setBalance({ address, value: 0n });
  return pack.executeTransaction({ executable: await pack.signSafeOperation(operation) });
};

export const accountOf = async (task) => (await init(task)).protocolKit.getAddress();

export default { Safe4337Pack: send };
