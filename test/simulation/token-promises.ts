import type { MinedOperation } from './chain.ts';
import { PRICE_KEPT_MS, type Prices, TREASURY, isRateEnough, unitsOf, worthOf } from './tokens.ts';
import type { Ticket, World } from './world.ts';

/** Of the prices that feeds have answered, and that a request may still use, those at which a coin is worth least. */
export const pricesSince = ({ node }: World, askedAt: number): Prices | undefined => {
  const of = (name: keyof Prices): readonly bigint[] =>
    node.shownPrices.filter((one) => one.of === name && one.at >= askedAt - PRICE_KEPT_MS).map(({ price }) => price);
  const [native, token] = [of('native'), of('token')];
  if (native.length === 0 || token.length === 0) return undefined;
  return { native: native.reduce((a, b) => (a < b ? a : b)), token: token.reduce((a, b) => (a > b ? a : b)) };
};

/** The most that an operation can take from its sender, in smallest units. */
export const mostUnits = ({ payment, op, maxCostWei }: Ticket): bigint =>
  payment === undefined ? 0n : unitsOf(payment, maxCostWei / op.maxFeePerGas, op.maxFeePerGas);

/** The least that an operation takes, whatever the desk has seen of the chain. */
const countedOf = ({ chain, everMined }: World, ticket: Ticket): bigint => {
  if (chain.isMined(ticket.userOpHash) || ticket.validUntil < chain.head.timestamp) return 0n;
  return everMined.get(ticket.userOpHash)?.units ?? mostUnits(ticket);
};

/** The sender can pay for a new signature besides everything that may still be mined. */
const checkTokens = (world: World, newest: Ticket): void => {
  const { chain, tickets, changedAt } = world;
  const { sender, askedAt } = newest;
  // What the account does while the desk decides, the desk need not know.
  if (!world.isBalanceKnown || (changedAt.get(sender) ?? -Infinity) >= askedAt) return;
  const open = new Map(tickets.filter((one) => one.sender === sender).map((one) => [one.userOpHash, one]));
  const owed = [...open.values()].reduce((sum, one) => sum + countedOf(world, one), 0n);
  const { balance, allowance } = chain.tokens(sender);
  if (owed <= balance && owed <= allowance) return;
  const has = `has ${balance} units, of which ${allowance} may be taken, and has promised ${owed}`;
  world.blame('TOKENS_OVERDRAWN', `${sender} ${has} with ${newest.decisionId.slice(-8)}`);
};

/** Checks the payment of a new signature. */
export const checkPayment = (world: World, ticket: Ticket): void => {
  const { payment, prices } = ticket;
  if (payment === undefined) return;
  const name = ticket.decisionId.slice(-8);
  if (payment.treasury !== TREASURY) world.blame('WRONG_TREASURY', name);
  if (prices === undefined) world.blame('RATE_WITHOUT_PRICE', name);
  else if (!isRateEnough(payment.rate, prices)) {
    world.blame('RATE_TOO_LOW', `${name}: ${payment.rate} at ${prices.native} and ${prices.token}`);
  }
  checkTokens(world, ticket);
};

/** The treasury gets what the paymaster's deposit has paid, with the premium. Only a prefund makes that certain. */
export const checkPaid = (world: World, { payment, prices, decisionId }: Ticket, mined: MinedOperation): void => {
  if (payment === undefined || prices === undefined) return;
  const { units, costWei } = mined;
  const worth = worthOf(costWei, prices);
  if (units >= worth) return;
  if (payment.prefund === 0n && units === 0n) world.count('mined: not paid');
  else world.blame('TREASURY_SHORT', `${decisionId.slice(-8)} has cost ${worth} units, and ${units} were taken`);
};
