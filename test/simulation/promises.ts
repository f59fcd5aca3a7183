import { payerOf } from './chain.ts';
import { releasedHashes } from './stored-decision.ts';
import { checkPayment } from './token-promises.ts';
import { type Limit, HOUR_MS, type Term, type Ticket, type World } from './world.ts';

/** The window of a limit; the first one also before its start, as the machine's clock may be set back. */
const windowOf = ({ hours, startMs }: Limit, at: number): number =>
  Math.max(0, Math.floor((at - startMs) / (hours * HOUR_MS)));

/** The least that an operation counts for, whatever the desk has seen of the chain: wei. */
const countedOf = (world: World, ticket: Ticket): bigint => {
  const mined = world.everMined.get(ticket.userOpHash);
  const isMined = world.chain.isMined(ticket.userOpHash);
  if (!isMined && ticket.validUntil < world.chain.head.timestamp) return 0n;
  if (mined === undefined) return ticket.maxCostWei;
  return mined.chargedWei < ticket.maxCostWei ? mined.chargedWei : ticket.maxCostWei;
};

/**
 * True if a decision is certainly bound by something that was in force for a time. Not even a decision that started
 * before is signed without it once it is confirmed.
 */
const isWithin = ({ answeredAt }: Ticket, { from, to }: Term): boolean => answeredAt > from && answeredAt < to;

const checkLimit = (world: World, limit: Limit, newest: Ticket): void => {
  if (!isWithin(newest, limit)) return;
  const window = windowOf(limit, newest.decidedAt);
  const counted = world.tickets.filter(
    (ticket) =>
      ticket.dapp === newest.dapp &&
      ticket.payment === undefined &&
      isWithin(ticket, limit) &&
      windowOf(limit, ticket.decidedAt) === window &&
      (limit.per === 'dapp' || ticket[limit.per] === newest[limit.per]),
  );
  const used = counted.reduce((sum, ticket) => {
    const wei = countedOf(world, ticket);
    return sum + (limit.unit === 'NATIVE_ASSET' ? wei : wei > 0n ? 1n : 0n);
  }, 0n);
  if (used <= limit.threshold) return;
  const of = `${used} of ${limit.threshold} ${limit.unit}`;
  world.blame('LIMIT_EXCEEDED', `DApp ${newest.dapp.index}: ${of} with ${newest.decisionId.slice(-8)}`);
};

/** Operations that can be mined, as several DApps may sign the same one. */
const distinct = (tickets: readonly Ticket[]): readonly Ticket[] => [
  ...new Map(tickets.map((one) => [one.userOpHash, one])).values(),
];

/** A tank, or a deposit, can pay for everything that may still be mined, whatever is mined of it. */
const checkTank = (world: World, newest: Ticket): void => {
  if (!world.isBalanceKnown) return;
  const payer = payerOf(newest);
  const open = world.tickets.filter((one) => payerOf(one) === payer && !world.chain.isMined(one.userOpHash));
  const owed = distinct(open).reduce((sum, one) => sum + countedOf(world, one), 0n);
  const left = world.chain.balance(payer);
  if (owed > left) world.blame('TANK_OVERDRAWN', `${payer} has ${left} wei, and has promised ${owed}`);
};

/** Checks the rules of sponsorship, which do not bind users who pay. */
const checkSponsored = (world: World, ticket: Ticket): void => {
  const { dapp, decisionId, person } = ticket;
  for (const limit of dapp.limits) checkLimit(world, limit, ticket);
  if (dapp.hasWebhook && !world.agreed.has(decisionId)) {
    world.blame('SIGNED_WITHOUT_WEBHOOK', `No webhook has agreed to ${decisionId.slice(-8)}`);
  }
  if (dapp.vouching !== undefined && person === undefined) world.blame('SIGNED_WITHOUT_PERSON', decisionId.slice(-8));
};

/** Checks what a new signature was allowed by. */
export const checkTicket = (world: World, ticket: Ticket): void => {
  const name = ticket.decisionId.slice(-8);
  for (const pause of [...world.pauses, ...ticket.dapp.pauses]) {
    if (isWithin(ticket, pause)) world.blame('SIGNED_WHILE_PAUSED', name);
  }
  if (ticket.payment === undefined) checkSponsored(world, ticket);
  else {
    if (ticket.dapp.tokensOff.some((off) => isWithin(ticket, off))) world.blame('PAID_WITHOUT_TOKEN_MODE', name);
    checkPayment(world, ticket);
  }
  checkTank(world, ticket);
  for (const breaker of world.breakers) {
    if (!isWithin(ticket, breaker)) continue;
    const counted = world.tickets.filter(
      (one) => isWithin(one, breaker) && one.decidedAt > ticket.decidedAt - 1_000 * breaker.seconds,
    );
    const spent = distinct(counted).reduce((sum, one) => sum + one.maxCostWei, 0n);
    if (spent > breaker.amountWei) world.blame('BREAKER_EXCEEDED', `${spent} of ${breaker.amountWei} with ${name}`);
  }
};

/** What was mined is not released: the chain knows that its nonce is used, whatever its node leaves out. */
export const checkReleased = (world: World): void => {
  if (!world.desk.isUp) return;
  const mined = releasedHashes(world.desk.database).find((userOpHash) => world.chain.isMined(userOpHash));
  if (mined !== undefined) world.blame('RELEASED_AND_MINED', mined);
};
