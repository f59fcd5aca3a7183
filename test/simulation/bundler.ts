import { id } from 'ethers';
import type { Hex } from '../../src/shared/schema/hex.ts';
import { min } from '../../src/shared/bigints.ts';
import { isV06 } from '../../src/shared/schema/user-operation.ts';
import { type Block, type MinedOperation, payerOf } from './chain.ts';
import type { Draw } from '../support/draw.ts';
import { checkPaid } from './token-promises.ts';
import { storedDecision } from './stored-decision.ts';
import { useOf } from './tokens.ts';
import { type Ticket, type World } from './world.ts';

const GWEI = 10n ** 9n;
/** Gas that contract 1.1.0 charges a tank for its own work. */
const CHARGED_OVERHEAD = 9_600n;

/** What an operation turns out to cost: the same whenever it is mined. */
const mine = (world: World, draw: Draw, ticket: Ticket): MinedOperation => {
  const { userOpHash, op, wallet, payment } = ticket;
  const known = world.everMined.get(userOpHash);
  if (known !== undefined) return known;
  const limits = op.callGasLimit + op.verificationGasLimit * (isV06(op) ? 2n : 1n) + op.preVerificationGas;
  const { gasUsed, units } =
    payment === undefined || isV06(op)
      ? { gasUsed: (limits * BigInt(draw.between(20, 100))) / 100n, units: 0n }
      : useOf(op, payment, world.transferGas, draw);
  const price = op.maxFeePerGas;
  const costWei = gasUsed * price;
  return {
    ...ticket,
    success: draw.chance(85),
    gasUsed,
    costWei,
    units,
    chargedWei: wallet === undefined ? costWei : (gasUsed + CHARGED_OVERHEAD) * price,
    transactionHash: id(`transaction ${userOpHash}`) as Hex,
  };
};

/** What the next block says of tokens. */
const tokensOf = ({ tokenChanges, changedAt, prices, time }: World): Pick<Block, 'tokenChanges' | 'prices'> => {
  const changes = tokenChanges.splice(0);
  for (const { account } of changes) changedAt.set(account, time.awake);
  return { tokenChanges: changes, prices };
};

/**
 * What becomes of the payment of an operation: its contract takes the prefund before it runs, and the rest afterwards;
 * if there is no rest, postOp fails, and the operation with it. @returns undefined if the prefund cannot be taken
 */
const paid = (world: World, mined: MinedOperation): MinedOperation | undefined => {
  if (mined.payment === undefined) return mined;
  const { prefund } = mined.payment;
  const { balance, allowance } = world.chain.tokens(mined.sender);
  const most = min(balance, allowance);
  if (prefund > most) return undefined;
  return mined.units > most ? { ...mined, success: false, units: prefund } : mined;
};

/** Puts into a block what can be mined in it. */
export const mineBlock = (world: World, draw: Draw): void => {
  const { chain, mempool, time } = world;
  const timestamp = Math.max(Math.floor(time.now / 1_000), chain.head.timestamp + 1);
  const operations: MinedOperation[] = [];
  const senders = new Set<string>();
  for (const ticket of [...mempool]) {
    const { validUntil, sender, nonce, maxCostWei, userOpHash } = ticket;
    const leave = (): unknown => mempool.splice(mempool.indexOf(ticket), 1);
    const isUsed = chain.nextNonce(sender, nonce >> 64n) > nonce;
    if (validUntil < timestamp || isUsed) leave();
    // A bundle has one operation of a sender.
    else if (world.kinds.has('bundler') && !senders.has(sender) && draw.chance(world.eagerness)) {
      leave();
      if (chain.nextNonce(sender, nonce >> 64n) !== nonce) continue;
      senders.add(sender);
      const spent = operations
        .filter((one) => payerOf(one) === payerOf(ticket))
        .reduce((sum, one) => sum + one.chargedWei, 0n);
      const left = chain.balance(payerOf(ticket)) - spent;
      if (left < maxCostWei) {
        world.blame('TANK_OVERDRAWN', `${userOpHash} may cost ${maxCostWei} wei, and ${payerOf(ticket)} has ${left}`);
        return;
      }
      const used = mine(world, draw, ticket);
      const mined = paid(world, used);
      if (mined === undefined) {
        world.count('not mined: no tokens');
        continue;
      }
      world.everMined.set(userOpHash, used);
      checkPaid(world, ticket, mined);
      operations.push(mined);
      world.count(mined.success ? 'mined' : 'mined: reverted');
      world.tell(`${ticket.decisionId.slice(-8)} mined in block ${chain.head.number + 1} for ${mined.chargedWei} wei`);
    }
  }
  chain.mine(timestamp, operations, world.payments.splice(0), tokensOf(world));
  world.baseFeeWei = (world.baseFeeWei * BigInt(draw.between(90, 112))) / 100n;
  if (world.baseFeeWei < GWEI / 2n || world.baseFeeWei > 5n * GWEI) world.baseFeeWei = GWEI;
};

/** The chain takes its newest blocks back; bundlers mine most of what was in them again, some of it at once. */
export const reorganise = (world: World, draw: Draw): void => {
  const { chain, mempool, time } = world;
  const depth = draw.between(1, 8);
  const number = chain.head.number;
  const removed = chain.takeBack(depth);
  const first = chain.head.timestamp;
  for (const { payments, tokenChanges } of removed) {
    world.payments.push(...payments);
    world.tokenChanges.push(...tokenChanges);
  }
  for (const { operations } of removed) {
    for (const { userOpHash } of operations) {
      const ticket = world.tickets.find((one) => one.userOpHash === userOpHash);
      if (ticket !== undefined && draw.chance(80)) mempool.push(ticket);
    }
  }
  world.count('re-orgs');
  world.tell(`re-org of ${depth} blocks from ${number - depth + 1} on`);
  // The other branch is at least as long.
  chain.mine(first + 1, [], world.payments.splice(0), tokensOf(world));
  while (chain.head.number < number) chain.mine(chain.head.timestamp + 1, [], []);
  mineBlock(world, draw);
  const lost = removed.flatMap(({ operations }) => operations.map(({ userOpHash }) => userOpHash));
  world.reorgs += 1;
  world.reorgedAt = time.now;
  const { reorgs } = world;
  time.after(world.seenMs, () => {
    // A later re-org may have removed them again.
    if (world.reorgs === reorgs) checkTakenBack(world, lost);
  });
};

/** The desk soon sees what a re-org has removed, if nothing keeps it from looking. */
const checkTakenBack = (world: World, lost: readonly Hex[]): void => {
  const { chain, desk } = world;
  if (!world.isSeen) return;
  for (const userOpHash of lost) {
    const stored = chain.isMined(userOpHash) ? undefined : storedDecision(desk.database, userOpHash);
    if (stored?.settlement === 'settled')
      world.blame('SETTLED_WRONGLY', `${userOpHash}, ${stored.id.slice(-8)}, is in no block any more`);
  }
};
