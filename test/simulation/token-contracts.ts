import { Interface } from 'ethers';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type Block, type ModelChain, wordOf } from './chain.ts';
import { PAYMASTERS } from './contracts.ts';
import type { VirtualTime } from './time.ts';
import {
  FEEDS,
  FEED_DECIMALS,
  MAX_AGE_S,
  type Prices,
  type ShownPrice,
  TOKEN,
  TOKEN_DECIMALS,
  TREASURY,
  type TransferGas,
  WITHOUT_END,
} from './tokens.ts';

const abi = new Interface([
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function tryPayment(tuple(address, bytes, address sender, bytes, bytes, uint256 callGasLimit) op, tuple(address paymaster, address token, address, uint256 prefund, uint256 afterwards) payment) returns (tuple(bool taken, uint256, uint256, uint256, uint256, uint256, uint256))',
]);

/** Why what a feed answers cannot be trusted. */
export type FeedFault = 'old' | 'repeated' | 'future' | 'worthless';

const HOUR_S = 3_600;

interface TokenOptions {
  readonly chain: ModelChain;
  readonly transferGas: TransferGas;
  readonly feedFault: () => FeedFault | undefined;
  readonly time: VirtualTime;
}

/** The fee token, its feeds, and the contract with which payments are simulated, as a node answers for them. */
export const createTokenContracts = ({ chain, transferGas, feedFault, time }: TokenOptions) => {
  const shown: ShownPrice[] = [];

  const latestRound = (of: keyof Prices, { number, timestamp, prices }: Block): string => {
    const fault = feedFault();
    const price = prices[of];
    if (fault === undefined) shown.push({ of, price, at: time.awake });
    const answer = fault === undefined ? price : fault === 'worthless' ? 0n : (price * 9n) / 10n;
    const updatedAt = timestamp + (fault === 'old' ? -2 * MAX_AGE_S : fault === 'future' ? HOUR_S : 0);
    const answeredIn = fault === 'repeated' ? number - 1 : number;
    return abi.encodeFunctionResult('latestRoundData', [number, answer, updatedAt, updatedAt, answeredIn]);
  };

  /** Whether the parts of a payment can be taken one after the other, and what is then left. */
  const tryPayment = (blocks: readonly Block[], sender: Address, parts: readonly bigint[]): string => {
    let { balance, allowance } = chain.tokens(sender, blocks);
    const gas: bigint[] = [];
    for (const units of parts) {
      if (balance < units || allowance < units) {
        return abi.encodeFunctionResult('tryPayment', [[false, 0, 0, 0, 0, allowance, balance]]);
      }
      balance -= units;
      if (allowance !== WITHOUT_END) allowance -= units;
      gas.push(units === 0n ? 0n : gas.some((used) => used > 0n) ? transferGas.second : transferGas.first);
    }
    return abi.encodeFunctionResult('tryPayment', [[true, ...gas, 0, 0, allowance, balance]]);
  };

  const answerOfToken = (blocks: readonly Block[], name: string, [owner]: readonly unknown[]): string | undefined => {
    const { balance, allowance } = chain.tokens(String(owner).toLowerCase() as Address, blocks);
    if (name === 'balanceOf') return wordOf(balance);
    if (name === 'decimals') return wordOf(BigInt(TOKEN_DECIMALS));
    if (name !== 'allowance') return undefined;
    return wordOf(String(owner).toLowerCase() === TREASURY ? WITHOUT_END : allowance);
  };

  return {
    /** Every price that was answered and can be trusted. */
    shown,
    /** What a call returns; undefined if it is of another contract. */
    answer(blocks: readonly Block[], to: Address, data: Hex): string | undefined {
      const method = abi.parseTransaction({ data });
      if (method === null) return undefined;
      const { name, args } = method;
      const at = to.toLowerCase();
      if (at === TOKEN) return answerOfToken(blocks, name, args);
      const feed = at === FEEDS.native ? 'native' : at === FEEDS.token ? 'token' : undefined;
      if (feed !== undefined) {
        return name === 'decimals' ? wordOf(BigInt(FEED_DECIMALS)) : latestRound(feed, blocks.at(-1) ?? chain.head);
      }
      if (name !== 'tryPayment') return undefined;
      const [{ sender, callGasLimit }, { paymaster, token, prefund, afterwards }] = args as unknown as [
        { readonly sender: Address; readonly callGasLimit: bigint },
        Readonly<Record<'paymaster' | 'token', Address> & Record<'prefund' | 'afterwards', bigint>>,
      ];
      if (token.toLowerCase() === TOKEN) {
        return tryPayment(blocks, sender.toLowerCase() as Address, [prefund, afterwards]);
      }
      // Without a token, only the gas of the operation is simulated: its call uses all.
      if (paymaster.toLowerCase() !== PAYMASTERS['singleton-0.7']) return undefined;
      return abi.encodeFunctionResult('tryPayment', [[true, 0, 0, 0, callGasLimit, 0, 0]]);
    },
  };
};
