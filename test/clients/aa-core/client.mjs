import {
  LocalAccountSigner,
  createSimpleSmartAccount,
  createSmartAccountClient,
  deepHexlify,
  getEntryPoint,
  resolveProperties,
  split,
} from '@alchemy/aa-core';
import { createClient, http, toHex } from 'viem';
import { localhost } from 'viem/chains';

const BUNDLER_METHODS = ['eth_sendUserOperation', 'eth_estimateUserOperationGas', 'eth_getUserOperationReceipt'];

/** Its middleware for one's own paymaster: a dummy that is known beforehand, and what asks for the data. */
const paymasterAndData = async (task) => {
  const chain = localhost;
  const transport = split({
    overrides: [{ methods: BUNDLER_METHODS, transport: http(task.bundlerUrl) }],
    fallback: http(task.rpcUrl),
  });
  const version = `${task.entryPoint.version}.0`;
  const account = await createSimpleSmartAccount({
    chain,
    transport,
    entryPoint: getEntryPoint(chain, { version, addressOverride: task.entryPoint.address }),
    factoryAddress: task.factory,
    signer: LocalAccountSigner.privateKeyToAccountSigner(task.ownerKey),
  });
  const desk = createClient({ chain, transport: http(task.paymasterUrl) });
  const context = task.token ? { token: task.token } : {};
  const ask = (method, op) => desk.request({ method, params: [op, task.entryPoint.address, toHex(chain.id), context] });
  const hexOf = async (op) => deepHexlify(await resolveProperties(op));
  const { call, approval } = task;
  const calls = (task.token ? [approval, call] : [call]).map(({ to, data }) => ({ target: to, data, value: 0n }));
  const callData = await (calls.length === 1 ? account.encodeExecute(calls[0]) : account.encodeBatchExecute(calls));
  const initCode = await account.getInitCode();
  const created =
    version === '0.6.0' ? { initCode } : { factory: task.factory, factoryData: `0x${initCode.slice(42)}` };
  const {
    sponsor: _sponsor,
    isFinal: _isFinal,
    ...stub
  } = await ask('pm_getPaymasterStubData', { sender: account.address, nonce: '0x0', callData, ...created });
  const client = createSmartAccountClient({
    chain,
    transport,
    account,
    paymasterAndData: {
      dummyPaymasterAndData: () => stub.paymasterAndData ?? stub,
      paymasterAndData: async (op) => ({ ...op, ...(await ask('pm_getPaymasterData', await hexOf(op))) }),
    },
  });
  const { hash } = await client.sendUserOperation({ uo: calls.length === 1 ? calls[0] : calls });
  return hash;
};

export default { 'paymasterAndData middleware': paymasterAndData };
