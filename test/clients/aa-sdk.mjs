// The SDK's client with a SimpleAccount, for any middleware.
import {
  LocalAccountSigner,
  createSmartAccountClient,
  getEntryPoint,
  split,
  toSmartContractAccount,
} from '@aa-sdk/core';
import { concatHex, encodeFunctionData, http, parseAbi } from 'viem';
import { localhost } from 'viem/chains';

const chain = localhost;
const BUNDLER_METHODS = ['eth_sendUserOperation', 'eth_estimateUserOperationGas', 'eth_getUserOperationReceipt'];
export const PAYMASTER_METHODS = ['pm_getPaymasterStubData', 'pm_getPaymasterData'];
const DUMMY_SIGNATURE =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c';
const abi = parseAbi([
  'function createAccount(address owner, uint256 salt)',
  'function execute(address to, uint256 value, bytes data)',
]);
/** SimpleAccount 0.6 batches without values. */
const batchOf = (version, calls) => {
  const [targets, datas] = [calls.map(({ target }) => target), calls.map(({ data }) => data)];
  return version === '0.6.0'
    ? { abi: parseAbi(['function executeBatch(address[] to, bytes[] data)']), args: [targets, datas] }
    : {
        abi: parseAbi(['function executeBatch(address[] to, uint256[] value, bytes[] data)']),
        args: [targets, calls.map(() => 0n), datas],
      };
};

/** The SDK has no SimpleAccount of its own: as its documentation on other accounts has it. */
const simpleAccount = (task, transport, version) => {
  const signer = LocalAccountSigner.privateKeyToAccountSigner(task.ownerKey);
  return toSmartContractAccount({
    source: 'SimpleAccount',
    chain,
    transport,
    entryPoint: getEntryPoint(chain, { version, addressOverride: task.entryPoint.address }),
    getAccountInitCode: async () => {
      const args = [await signer.getAddress(), 0n];
      return concatHex([task.factory, encodeFunctionData({ abi, functionName: 'createAccount', args })]);
    },
    getDummySignature: () => DUMMY_SIGNATURE,
    encodeExecute: async ({ target, value = 0n, data }) =>
      encodeFunctionData({ abi, functionName: 'execute', args: [target, value, data] }),
    encodeBatchExecute: async (calls) =>
      encodeFunctionData({ functionName: 'executeBatch', ...batchOf(version, calls) }),
    signMessage: ({ message }) => signer.signMessage(message),
    signTypedData: (data) => signer.signTypedData(data),
  });
};

/** Sends a task's calls, with a middleware that asks the desk by some methods. */
export const sendWith = async (task, methods, middlewareOf) => {
  const transport = split({
    overrides: [
      { methods: BUNDLER_METHODS, transport: http(task.bundlerUrl) },
      { methods, transport: http(task.paymasterUrl) },
    ],
    fallback: http(task.rpcUrl),
  });
  const client = createSmartAccountClient({
    chain,
    transport,
    account: await simpleAccount(task, transport, `${task.entryPoint.version}.0`),
    ...middlewareOf(transport),
  });
  const calls = (task.token ? [task.approval, task.call] : [task.call]).map(({ to, data }) => ({ target: to, data }));
  const { hash } = await client.sendUserOperation({ uo: calls.length === 1 ? calls[0] : calls });
  return hash;
};
