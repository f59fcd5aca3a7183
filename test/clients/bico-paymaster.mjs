// Biconomy's paymaster client of 2025 and later: one request, in which the paymaster is to estimate the gas.
import { encodeFunctionData, parseAbi, parseUnits } from 'viem';
import { bundlerClient, callsOf } from './simple-account.mjs';

const abi = parseAbi(['function approve(address spender, uint256 value)']);

/** The ways of an SDK that exports these three. */
export const bicoPaymasterWays = (sdk) => {
  const clientOf = (task, expiry) => {
    const paymaster = sdk.createBicoPaymasterClient({ paymasterUrl: task.paymasterUrl });
    const context = task.token
      ? sdk.toBiconomyTokenPaymasterContext({ feeTokenAddress: task.token, ...expiry })
      : sdk.biconomySponsoredPaymasterContext;
    return bundlerClient(task, paymaster, context);
  };
  const send = (expiry) => async (task) => (await clientOf(task, expiry)).sendUserOperation({ calls: callsOf(task) });

  /** Approves what the quote asks for. */
  const quoted = async (task) => {
    const client = await clientOf(task, { expiryDuration: 300 });
    const userOp = await client.prepareUserOperation({ calls: callsOf(task) });
    const paymaster = sdk.createBicoPaymasterClient({ paymasterUrl: task.paymasterUrl });
    const quotes = await paymaster.getTokenPaymasterQuotes({ userOp, tokenList: [task.token] });
    const [{ maxGasFee, decimal, tokenAddress: to }] = quotes.feeQuotes;
    const args = [quotes.paymasterAddress, parseUnits(String(maxGasFee), decimal)];
    return client.sendUserOperation({ calls: [{ to, data: encodeFunctionData({ abi, args }) }, task.call] });
  };

  return {
    createBicoPaymasterClient: send({ expiryDuration: 300 }),
    "createBicoPaymasterClient with the SDK's expiry": send({}),
    getTokenPaymasterQuotes: quoted,
  };
};
