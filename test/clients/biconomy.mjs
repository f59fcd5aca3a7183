// The paymaster classes of Biconomy's SDKs of 2023 and 2024, with any account.
import { sliceHex } from 'viem';
import { bundlerClient } from './simple-account.mjs';

const FIELDS = [
  ...['sender', 'nonce', 'initCode', 'factory', 'factoryData', 'callData'],
  ...['maxFeePerGas', 'maxPriorityFeePerGas', 'signature'],
];

/** An operation that neither has gas limits nor a paymaster. */
const unsponsored = async (client, calls) => {
  const parameters = ['factory', 'fees', 'nonce', 'signature'];
  const op = await client.prepareUserOperation({ calls, parameters });
  return Object.fromEntries(FIELDS.filter((name) => op[name] !== undefined).map((name) => [name, op[name]]));
};

/** What EntryPoint 0.6 calls paymasterAndData is four fields from 0.7 on (ERC-4337). */
const paymasterFields = ({ version }, paymasterAndData) =>
  version === '0.6'
    ? { paymasterAndData }
    : {
        paymaster: sliceHex(paymasterAndData, 0, 20),
        paymasterVerificationGasLimit: BigInt(sliceHex(paymasterAndData, 20, 36)),
        paymasterPostOpGasLimit: BigInt(sliceHex(paymasterAndData, 36, 52)),
        paymasterData: sliceHex(paymasterAndData, 52),
      };

/** The approval of what the quote asks for, as the documentation has it. */
const approvalOf = async (paymaster, op, token) => {
  const { feeQuotes, tokenPaymasterAddress } = await paymaster.getPaymasterFeeQuotesOrData(op, {
    mode: 'ERC20',
    tokenList: [token],
  });
  return paymaster.buildTokenApprovalTransaction({ feeQuote: feeQuotes[0], spender: tokenPaymasterAddress });
};

/**
 * Asks for gas limits and data in one, signs and sends.
 * @param gas the limits that the paymaster is to take; without them it estimates
 */
export const getPaymasterAndData = (paymasterAt, gas) => async (task) => {
  const paymaster = paymasterAt(task.paymasterUrl);
  const client = await bundlerClient(task);
  const { call, token } = task;
  const opOf = async (calls) => ({ ...(await unsponsored(client, calls)), ...gas });
  const quoted = token && (await approvalOf(paymaster, await opOf([call]), token));
  const calls = quoted ? [{ to: quoted.to, data: quoted.data }, call] : [call];
  const op = await opOf(calls);
  const options = token ? { mode: 'ERC20', feeTokenAddress: token } : { mode: 'SPONSORED' };
  const answer = await paymaster.getPaymasterAndData(op, options);
  const { paymasterAndData, callGasLimit, verificationGasLimit, preVerificationGas } = answer;
  const paid = {
    ...op,
    callGasLimit: BigInt(callGasLimit),
    verificationGasLimit: BigInt(verificationGasLimit),
    preVerificationGas: BigInt(preVerificationGas),
    ...paymasterFields(task.entryPoint, paymasterAndData),
  };
  return client.sendUserOperation({ ...paid, signature: await client.account.signUserOperation(paid) });
};
