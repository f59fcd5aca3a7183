import { createThirdwebClient, defineChain, prepareContractCall, readContract } from 'thirdweb';
import { setThirdwebDomains, toHex } from 'thirdweb/utils';
import { privateKeyToAccount, smartWallet } from 'thirdweb/wallets';
import { createPublicClient, hexToBigInt, http, isHex, parseEventLogs } from 'viem';
import { entryPoint06Abi } from 'viem/account-abstraction';

// It counts transactions at home, even those of a local chain: this port no fetch will connect to.
setThirdwebDomains({ analytics: 'localhost:1' });
const client = createThirdwebClient({ clientId: 'any' });
const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, v]) => [key, change(v, key)]));

/** Asks as the SDK asks its own paymaster, whose address cannot be set. */
const paymasterAt =
  ({ paymasterUrl, entryPoint, token }) =>
  async (userOp) => {
    const op = mapValues(userOp, (value) => (typeof value === 'bigint' ? toHex(value) : value));
    const params = [op, entryPoint.address, ...(token ? [{ token }] : [])];
    const desk = createPublicClient({ transport: http(paymasterUrl) });
    const result = await desk.request({ method: 'pm_sponsorUserOperation', params });
    return mapValues(result, (value, key) => (isHex(value) && /Gas/.test(key) ? hexToBigInt(value) : value));
  };

/** SimpleAccount in place of the SDK's own: other arguments of the factory, and on 0.6 of batches. */
const simpleAccount = ({ version }) => ({
  predictAddress: (contract, owner) =>
    readContract({ contract, method: 'function getAddress(address, uint256) returns (address)', params: [owner, 0n] }),
  createAccount: (contract, owner) =>
    prepareContractCall({ contract, method: 'function createAccount(address, uint256)', params: [owner, 0n] }),
  ...(version === '0.6' && {
    executeBatch: (contract, calls) =>
      prepareContractCall({
        contract,
        method: 'function executeBatch(address[], bytes[])',
        params: [calls.map(({ to }) => to), calls.map(({ data }) => data)],
      }),
  }),
});

const sponsorGas = async (task) => {
  const wallet = smartWallet({
    chain: defineChain({ id: task.chainId, rpc: task.rpcUrl }),
    factoryAddress: task.factory,
    sponsorGas: true,
    overrides: {
      ...simpleAccount(task.entryPoint),
      entrypointAddress: task.entryPoint.address,
      bundlerUrl: task.bundlerUrl,
      paymaster: paymasterAt(task),
    },
  });
  const personalAccount = privateKeyToAccount({ client, privateKey: task.ownerKey });
  const account = await wallet.connect({ client, personalAccount });
  const { call, approval, chainId, token } = task;
  const { transactionHash: hash } = token
    ? await account.sendBatchTransaction([approval, call].map((each) => ({ ...each, chainId })))
    : await account.sendTransaction({ ...call, chainId });
  const { logs } = await createPublicClient({ transport: http(task.rpcUrl) }).getTransactionReceipt({ hash });
  return parseEventLogs({ abi: entryPoint06Abi, eventName: 'UserOperationEvent', logs })[0].args.userOpHash;
};

export default { 'sponsorGas with overrides.paymaster': sponsorGas };
