import { type Limit, HOUR_MS, type Ticket, type World } from './world.ts';

/** Seconds after the end of its validity in which an operation may count still. */
const windowOf = ({ hours, startMs }: Limit, at: number): number => Math.floor((at - startMs) / (hours * HOUR_MS));

/** The least that an operation counts for, whatever the desk has seen of the chain: wei. */
const countedOf = (world: World, ticket: Ticket): bigint => {
  const mined = world.everMined.get(ticket.userOpHash);
  const isMined = world.chain.isMined(ticket.userOpHash);
  if (!isMined && ticket.validUntil < world.chain.head.timestamp) return 0n;
  if (mined === undefined) return ticket.maxCostWei;
  return mined.chargedWei < ticket.maxCostWei ? mined.chargedWei : ticket.maxCostWei;
};

/** True if a decision was requested and made in the time of something: it is then certainly bound by it. */
const isWithin = ({ askedAt, decidedAt }: Ticket, { from, to }: { readonly from: number; readonly to: number }) =>
  askedAt >= from && decidedAt < to;

const checkLimit = (world: World, limit: Limit, newest: Ticket): void => {
  if (!isWithin(newest, limit)) return;
  const window = windowOf(limit, newest.decidedAt);
  const counted = world.tickets.filter(
    (ticket) =>
      ticket.dapp === newest.dapp &&
      isWithin(ticket, limit) &&
      windowOf(limit, ticket.decidedAt) === window &&
      (!limit.perUser || ticket.sender === newest.sender),
  );
  const used = counted.reduce((sum, ticket) => {
    const wei = countedOf(world, ticket);
    return sum + (limit.unit === 'NATIVE_ASSET' ? wei : wei > 0n ? 1n : 0n);
  }, 0n);
  if (used <= limit.threshold) return;
  const of = `${used} of ${limit.threshold} ${limit.unit}`;
  world.blame('LIMIT_EXCEEDED', `DApp ${newest.dapp.index}: ${of} with ${newest.decisionId.slice(0, 8)}`);
};

/** Checks what a new signature was allowed by. */
export const checkTicket = (world: World, ticket: Ticket): void => {
  const name = ticket.decisionId.slice(0, 8);
  for (const limit of ticket.dapp.limits) checkLimit(world, limit, ticket);
  for (const pause of [...world.pauses, ...ticket.dapp.pauses]) {
    // Not even a decision that started before is signed after a pause is confirmed.
    if (ticket.answeredAt > pause.from && ticket.decidedAt < pause.to) world.blame('SIGNED_WHILE_PAUSED', name);
  }
  if (ticket.dapp.hasWebhook && !world.agreed.has(ticket.decisionId)) {
    world.blame('SIGNED_WITHOUT_WEBHOOK', `No webhook has agreed to ${name}`);
  }
  for (const breaker of world.breakers) {
    if (!isWithin(ticket, breaker)) continue;
    const spent = world.tickets
      .filter((one) => isWithin(one, breaker) && one.decidedAt > ticket.decidedAt - 1_000 * breaker.seconds)
      .reduce((sum, one) => sum + one.maxCostWei, 0n);
    if (spent > breaker.amountWei) world.blame('BREAKER_EXCEEDED', `${spent} of ${breaker.amountWei} with ${name}`);
  }
};
