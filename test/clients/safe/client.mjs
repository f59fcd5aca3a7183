import { GenericFeeEstimator, Safe4337Pack } from '@safe-global/relay-kit';
import { privateKeyToAddress } from 'viem/accounts';
import { MODULES_VERSION, deploySafe, safe4337ModuleAddress, safeModulesSetupAddress } from './safe-contracts.mjs';

const init = async (task) => {
  await deploySafe(task);
  const { paymasterUrl, paymaster: paymasterAddress, token: paymasterTokenAddress } = task;
  return Safe4337Pack.init({
    provider: task.rpcUrl,
    signer: task.ownerKey,
    bundlerUrl: task.bundlerUrl,
    safeModulesVersion: MODULES_VERSION,
    customContracts: { entryPointAddress: task.entryPoint.address, safe4337ModuleAddress, safeModulesSetupAddress },
    options: { owners: [privateKeyToAddress(task.ownerKey)], threshold: 1 },
    paymasterOptions: paymasterTokenAddress
      ? { paymasterUrl, paymasterAddress, paymasterTokenAddress }
      : { paymasterUrl, isSponsored: true },
  });
};

const send = (feeEstimatorOf) => async (task) => {
  const pack = await init(task);
  const transactions = [{ ...task.call, value: '0' }];
  const options = { feeEstimator: feeEstimatorOf?.(task) };
  const operation = await pack.createTransaction({ transactions, options });
  return pack.executeTransaction({ executable: await pack.signSafeOperation(operation) });
};

export const accountOf = async (task) => (await init(task)).protocolKit.getAddress();

export default {
  Safe4337Pack: send(),
  'Safe4337Pack with GenericFeeEstimator': send(({ rpcUrl }) => new GenericFeeEstimator(rpcUrl)),
};
