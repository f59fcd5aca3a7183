// @alchemy/aa-core before its version 3: a provider whose middleware asks for the paymaster's data.
import {
  LocalAccountSigner,
  SimpleSmartContractAccount,
  SmartAccountProvider,
  createPublicErc4337FromClient,
  deepHexlify,
  resolveProperties,
} from '@alchemy/aa-core';
import { createClient, createPublicClient, custom, http, toHex } from 'viem';
import { localhost as chain } from 'viem/chains';

const BUNDLER_METHODS = ['eth_sendUserOperation', 'eth_estimateUserOperationGas'];

/** One client of the node and the bundler, as the SDK has a single URL for both. */
const rpcOf = ({ rpcUrl, bundlerUrl }) => {
  const [node, bundler] = [rpcUrl, bundlerUrl].map((url) => createClient({ chain, transport: http(url) }));
  const request = (body) => (BUNDLER_METHODS.includes(body.method) ? bundler : node).request(body);
  return createPublicErc4337FromClient(createPublicClient({ chain, transport: custom({ request }) }));
};

const withPaymasterMiddleware = async (task) => {
  const entryPointAddress = task.entryPoint.address;
  const rpcProvider = rpcOf(task);
  const account = new SimpleSmartContractAccount({
    entryPointAddress,
    chain,
    factoryAddress: task.factory,
    rpcClient: rpcProvider,
    owner: LocalAccountSigner.privateKeyToAccountSigner(task.ownerKey),
  });
  const desk = createClient({ chain, transport: http(task.paymasterUrl) });
  const ask = async (method, op) => {
    const context = task.token ? { token: task.token } : {};
    const params = [deepHexlify(await resolveProperties(op)), entryPointAddress, toHex(chain.id), context];
    return { paymasterAndData: (await desk.request({ method, params })).paymasterAndData };
  };
  const provider = new SmartAccountProvider({ rpcProvider, entryPointAddress, chain })
    .connect(() => account)
    .withPaymasterMiddleware({
      dummyPaymasterDataMiddleware: (op) => ask('pm_getPaymasterStubData', op),
      paymasterDataMiddleware: (op) => ask('pm_getPaymasterData', op),
    });
  const calls = (task.token ? [task.approval, task.call] : [task.call]).map(({ to, data }) => ({ target: to, data }));
  return (await provider.sendUserOperation(calls.length === 1 ? calls[0] : calls)).hash;
};

export default { withPaymasterMiddleware };
