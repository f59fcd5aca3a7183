import type { Draw } from '../support/draw.ts';
import { FIRST_PRICES, ONE_TOKEN, type Prices, WITHOUT_END } from './tokens.ts';
import type { FeedFault } from './token-contracts.ts';
import { type World, senderAt } from './world.ts';

const FEED_FAULTS: readonly FeedFault[] = ['old', 'repeated', 'future', 'worthless'];

/** An account gets tokens if it has few, else mostly gives some away; and it approves another amount. */
export const moveTokens = (world: World, draw: Draw): void => {
  const account = senderAt(draw.below(world.senders));
  const { balance, allowance } = world.chain.tokens(account);
  const some = BigInt(draw.between(1, 8_000)) * (ONE_TOKEN / 1_000n);
  const units = balance < 8n * ONE_TOKEN || draw.chance(20) ? some : -some;
  const isApproving = allowance === 0n || draw.chance(20);
  const approved = isApproving ? draw.pick([WITHOUT_END, WITHOUT_END, some, 4n * some]) : undefined;
  world.tokenChanges.push({ account, units, allowance: approved });
  world.count('moves of tokens');
  world.tell(`${account.slice(-2)} gets ${units} units${approved === undefined ? '' : `, and approves ${approved}`}`);
};

/** Prices move by some percent, within bounds; and at times the answers of feeds cannot be trusted. */
export const movePrices = (world: World, draw: Draw): void => {
  const { native, token } = world.prices;
  const prices: Prices = {
    native: (native * BigInt(draw.between(97_000, 103_000))) / 100_000n,
    token: (token * BigInt(draw.between(99_500, 100_500))) / 100_000n,
  };
  const isUsual = prices.native > FIRST_PRICES.native / 2n && prices.native < 2n * FIRST_PRICES.native;
  world.prices = isUsual ? prices : FIRST_PRICES;
  world.node.faults.feed = draw.chance(85) ? undefined : draw.pick(FEED_FAULTS);
  world.count(`feeds: ${world.node.faults.feed ?? 'sound'}`);
};
