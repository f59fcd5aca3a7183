import { HttpRpcClient, PaymasterAPI, SimpleAccountAPI } from '@account-abstraction/sdk';
import { ethers } from 'ethers';

const { hexValue, hexlify, resolveProperties } = ethers.utils;
const { StaticJsonRpcProvider } = ethers.providers;

const toHex = (op) =>
  Object.fromEntries(Object.entries(op).map(([name, value]) => [name, hexlify(value, { hexPad: 'left' })]));

/** The SDK leaves it to a subclass to ask a paymaster, which gets the operation's gas as it is to be. */
class Gasdesk extends PaymasterAPI {
  constructor({ paymasterUrl, entryPoint, chainId }) {
    super();
    this.provider = new StaticJsonRpcProvider(paymasterUrl, chainId);
    this.params = [entryPoint.address, hexValue(chainId), {}];
  }

  async getPaymasterAndData(userOp) {
    const params = [toHex(await resolveProperties(userOp)), ...this.params];
    return (await this.provider.send('pm_getPaymasterData', params)).paymasterAndData;
  }
}

/** Counts as many bytes of a paymaster before they are known as afterwards. */
class CountingAccountAPI extends SimpleAccountAPI {
  getPreVerificationGas(userOp) {
    return super.getPreVerificationGas({ ...userOp, paymasterAndData: `0x${'ff'.repeat(256)}` });
  }
}

const send = (AccountAPI) => async (task) => {
  const { bundlerUrl, call, chainId, entryPoint } = task;
  const account = new AccountAPI({
    provider: new StaticJsonRpcProvider(task.rpcUrl, chainId),
    owner: new ethers.Wallet(task.ownerKey),
    entryPointAddress: entryPoint.address,
    factoryAddress: task.factory,
    paymasterAPI: new Gasdesk(task),
  });
  const bundler = new StaticJsonRpcProvider(bundlerUrl, chainId);
  const { standard } = await bundler.send('pimlico_getUserOperationGasPrice', []);
  const op = await account.createSignedUserOp({ target: call.to, data: call.data, gasLimit: 200_000, ...standard });
  return new HttpRpcClient(bundlerUrl, entryPoint.address, chainId).sendUserOpToBundler(op);
};

export default {
  PaymasterAPI: send(SimpleAccountAPI),
  'PaymasterAPI with its own getPreVerificationGas': send(CountingAccountAPI),
};
