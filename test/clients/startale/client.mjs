import {
  createSCSPaymasterClient,
  toSCSSponsoredPaymasterContext,
  toSCSTokenPaymasterContext,
} from '@startale-scs/aa-sdk';
import { encodeFunctionData, parseAbi, toHex } from 'viem';
import { bundlerClient, callsOf } from './simple-account.mjs';

const abi = parseAbi(['function approve(address spender, uint256 value)']);

const clientOf = (task, more) => {
  const paymaster = createSCSPaymasterClient({ paymasterUrl: task.paymasterUrl });
  const context = task.token
    ? toSCSTokenPaymasterContext({ token: task.token, ...more })
    : toSCSSponsoredPaymasterContext({ paymasterId: 'any', ...more });
  return bundlerClient(task, paymaster, context);
};

const send = (more) => async (task) => (await clientOf(task, more)).sendUserOperation({ calls: callsOf(task) });

/** Approves what the quote asks for. */
const quoted = async (task) => {
  const client = await clientOf(task);
  const userOp = await client.prepareUserOperation({ calls: callsOf(task) });
  const paymaster = createSCSPaymasterClient({ paymasterUrl: task.paymasterUrl });
  const quotes = await paymaster.getTokenPaymasterQuotes({ userOp, chainId: toHex(task.chainId) });
  const { requiredAmount } = quotes.feeQuotes.find(({ tokenAddress }) => tokenAddress === task.token);
  const data = encodeFunctionData({ abi, args: [quotes.paymasterAddress, BigInt(requiredAmount)] });
  return client.sendUserOperation({ calls: [{ to: task.token, data }, task.call] });
};

export default {
  createSCSPaymasterClient: send({}),
  'createSCSPaymasterClient with calculateGasLimits': send({ calculateGasLimits: true }),
  getTokenPaymasterQuotes: quoted,
};
