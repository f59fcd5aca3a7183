import {
  Bundler,
  Paymaster,
  PaymasterMode,
  createECDSAOwnershipValidationModule,
  createSmartAccountClient,
} from '@biconomy/account';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { createWalletClient, http, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { localhost } from 'viem/chains';
import { deployBiconomy } from './biconomy-contracts.mjs';
import { getPaymasterAndData } from './biconomy.mjs';

/** The SDK asks its bundler for fees by a method, and in an answer, of Biconomy's bundler only. */
class AnyBundler extends Bundler {
  async getGasFeeValues() {
    const client = createPimlicoClient({ chain: localhost, transport: http(this.getBundlerUrl()) });
    const { maxFeePerGas, maxPriorityFeePerGas } = (await client.getUserOperationGasPrice()).standard;
    return { maxFeePerGas: toHex(maxFeePerGas), maxPriorityFeePerGas: toHex(maxPriorityFeePerGas) };
  }

  async estimateUserOpGas(userOp) {
    // No one pays at this price: the user has no ether, and the paymaster is not in yet.
    const free = { ...userOp, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' };
    return { ...(await super.estimateUserOpGas(free)), ...(await this.getGasFeeValues()) };
  }
}

let contracts;
const smartAccount = async (task) => {
  contracts ??= deployBiconomy(task);
  const { moduleAddress, addressOf, ...addresses } = await contracts;
  const { bundlerUrl, chainId, entryPoint, paymasterUrl, rpcUrl } = task;
  const owner = privateKeyToAccount(task.ownerKey);
  const signer = createWalletClient({ account: owner, chain: localhost, transport: http(rpcUrl) });
  const defaultValidationModule = await createECDSAOwnershipValidationModule({ signer, moduleAddress });
  return createSmartAccountClient({
    ...{ signer, chainId, rpcUrl, viemChain: localhost, paymasterUrl, defaultValidationModule },
    ...addresses,
    // The SDK works it out from the code of accounts that Biconomy's own compiler made.
    accountAddress: await addressOf(await defaultValidationModule.getInitData()),
    bundler: new AnyBundler({ bundlerUrl, chainId, entryPointAddress: entryPoint.address, viemChain: localhost }),
  });
};

const sendTransaction = async (task) => {
  const { call, token } = task;
  const paymasterServiceData = token
    ? { mode: PaymasterMode.ERC20, preferredToken: token }
    : { mode: PaymasterMode.SPONSORED };
  return (await (await smartAccount(task)).sendTransaction(call, { paymasterServiceData })).userOpHash;
};

export const accountOf = async (task, way) =>
  way === 'sendTransaction' ? (await smartAccount(task)).getAccountAddress() : undefined;

export default { Paymaster: getPaymasterAndData((paymasterUrl) => new Paymaster({ paymasterUrl })), sendTransaction };
