import type { ProcedureOutput } from '../../src/api/index.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import type { PaidOperation } from './chain.ts';
import { type Version, layoutOf } from './versions.ts';
import { thresholdOf, windowOf } from './policy.ts';
import { release } from './asking.ts';
import { checkGainOfAll } from './gain.ts';
import { settlePrices } from './pushing.ts';
import { type Run, type SubmittedOperation, type Ticket, letPass, mineBlock, poll, tankName } from './run.ts';
import { blame } from './violation.ts';

/** A mined operation, what the attacker submitted it as, and the decision by which it was signed. */
interface PaidTicket {
  readonly paid: PaidOperation;
  readonly submitted: SubmittedOperation;
  readonly ticket: Ticket;
}

/** Gas that contracts with tanks debit on top, at the price that the bundler pays and not the operation offers. */
const OVERHEAD_GAS = 9_600n;

/**
 * What a tank is debited because the bundler pays more for gas than the operation offers. No one gains by it: the
 * bundler pays the same price for the whole of its transaction, and the coins stay in the contract's deposit.
 */
const bundlersOwnPrice = ({ paid, submitted, ticket }: PaidTicket): bigint => {
  const above = submitted.gasPrice - ticket.op.maxFeePerGas;
  return paid.debit === undefined || above <= 0n ? 0n : OVERHEAD_GAS * above;
};

/** More blocks than any re-org takes back. */
const FINAL_BLOCKS = 15;

/** What the operator lost by an operation, wei: what its tank was debited, or left the deposit. */
const lostBy = ({ debit, actualGasCost }: PaidOperation): bigint => debit?.wei ?? actualGasCost;

/** The same, as the desk counts it: what a bundler wastes beyond what was reserved is in no limit. */
const countedOf = ({ paid, ticket }: PaidTicket): bigint =>
  lostBy(paid) < ticket.maxCostWei ? lostBy(paid) : ticket.maxCostWei;

const match = (run: Run, paid: PaidOperation): PaidTicket[] => {
  const submitted = run.submitted.get(paid.userOpHash);
  const ticket = submitted?.ticket;
  if (submitted === undefined || ticket === undefined) {
    blame(run, 'PAID_UNSIGNED', `${paid.userOpHash} took ${lostBy(paid)} wei`);
    return [];
  }
  return [{ paid, submitted, ticket }];
};

const checkOperation = (run: Run, one: PaidTicket): void => {
  const { paid, ticket } = one;
  const name = `#${ticket.number}`;
  run.tally.mined += 1;
  run.tally.paidWei += lostBy(paid);
  const own = bundlersOwnPrice(one);
  run.tally.bundlersOwnPriceWei += own;
  if (lostBy(paid) - own > ticket.maxCostWei) {
    blame(run, 'PAID_ABOVE_MAXIMUM', `${name}: ${lostBy(paid)} of ${ticket.maxCostWei}`);
  }
  if (paid.debit !== undefined && paid.debit.wallet !== ticket.inForce.wallet) {
    blame(run, 'PAID_BY_ANOTHER_WALLET', `${name}: ${paid.debit.wallet}`);
  }
};

/** What was mined of the operations that were signed in each window of each limit. */
const checkLimits = (run: Run, mined: readonly PaidTicket[]): void => {
  const windows = new Map<string, { used: bigint; threshold: bigint; words: string[] }>();
  for (const one of mined) {
    const { ticket } = one;
    for (const limit of ticket.inForce.limits) {
      const { ruleId, cycle, name, policy } = limit;
      const user = policy.type === 'SMART_ACCOUNT' ? ticket.sender.address : '';
      const key = [ruleId, cycle, windowOf(limit, ticket.decision.at), user].join(' ');
      const window = windows.get(key) ?? { used: 0n, threshold: thresholdOf(limit), words: [name] };
      window.used += policy.thresholdType === 'COUNT' ? 1n : countedOf(one);
      window.words.push(`#${ticket.number}`);
      windows.set(key, window);
    }
  }
  for (const { used, threshold, words } of windows.values()) {
    if (used > threshold) blame(run, 'LIMIT_EXCEEDED', `${words.join(' ')}: ${used} of ${threshold}`);
  }
};

/** Each tank holds what went in, less what the operator took out and what its operations cost. */
const checkTanks = async (run: Run, mined: readonly PaidTicket[]): Promise<void> => {
  const left = new Map<string, bigint>();
  // What a re-org took back and was sent again may be the same transaction.
  const payments = new Map(run.payments.map((payment) => [payment.transactionHash, payment]));
  for (const { tank, wei, transactionHash } of payments.values()) {
    if (await run.chain.isMined(transactionHash)) left.set(tank, (left.get(tank) ?? 0n) + wei);
  }
  for (const { paid, ticket } of mined) {
    const name = tankName({ policy: ticket.dapp.policy, wallet: ticket.inForce.wallet });
    left.set(name, (left.get(name) ?? 0n) - lostBy(paid));
  }
  for (const [name, wei] of left) {
    const [version = '', wallet = '0x'] = name.split(' ');
    const held = await run.chain.tank(version as Version, wallet as `0x${string}`);
    if (held !== wei) blame(run, 'TANK_MISCOUNTED', `${name} holds ${held} in place of ${wei}`);
  }
};

const decisionsOf = async (run: Run): Promise<Map<string, DecisionRecord>> => {
  const decisions = new Map<string, DecisionRecord>();
  for (let page = { upTo: 0, more: true }; page.more;) {
    const read = await run.desk.call<ProcedureOutput<'decisions.page'>>('decisions.page', { after: page.upTo });
    for (const decision of read.decisions) decisions.set(decision.id, decision);
    page = read;
  }
  return decisions;
};

/**
 * Tickets for the same bytes are the same promise twice: which of them an operation is booked to is for the desk to say.
 * So the mined operations of a promise are compared with all its decisions.
 */
const byPromise = (run: Run): Ticket[][] => [...Map.groupBy(run.tickets, ({ data }) => data).values()];

/** Each mined operation is booked, at its cost, to a decision that signed it; and no other is booked. */
const checkBooked = async (run: Run, mined: readonly PaidTicket[]): Promise<void> => {
  const decisions = await decisionsOf(run);
  for (const same of byPromise(run)) {
    const costs = mined.filter(({ ticket }) => same.includes(ticket));
    const settled = same
      .flatMap(({ decision: { id } }) => decisions.get(id) ?? [])
      .filter((one) => one.settlement === 'settled');
    const names = same.map(({ number }) => `#${number}`).join(' and ');
    const booked = settled.map((one) => one.actualCostWei).join(', ');
    const actual = costs.map((one) => String(countedOf(one))).join(', ');
    if (booked === actual) continue;
    // Where nothing shows for certain which one it was, its maximum has to count.
    const isUncertain = run.wereLogsBehind || costs.some(({ submitted }) => submitted.altered);
    const states = same.map(({ decision: { id } }) => decisions.get(id)?.settlement);
    if (isUncertain && settled.length === 0 && !states.includes('released')) continue;
    blame(
      run,
      'SETTLED_WRONGLY',
      `${names}: ${booked || 'nothing'} in place of ${actual || 'nothing'} (${states.join(', ')})`,
    );
  }
};

/** Without a window a signature is good until its nonce is used. */
const mayStillBeMined = async (run: Run, { dapp, op }: Ticket): Promise<boolean> => {
  if (dapp.policy.version !== '1.0.0') return false;
  const { entryPointVersion } = layoutOf(dapp.policy.version);
  return (await run.chain.nonce(entryPointVersion, op.sender, op.nonce >> 64n)) <= op.nonce;
};

/** When everything is past, nothing is outstanding but what can still be mined. */
const checkReleased = async (run: Run, mined: readonly PaidTicket[]): Promise<void> => {
  const decisions = await decisionsOf(run);
  const minedTickets = new Set(mined.map(({ ticket }) => ticket.data));
  let outstanding = 0n;
  for (const ticket of run.tickets) {
    const decision = decisions.get(ticket.decision.id);
    if (decision?.settlement !== 'reserved') continue;
    outstanding += ticket.maxCostWei;
    if (minedTickets.has(ticket.data) || (await mayStillBeMined(run, ticket))) continue;
    blame(run, 'NEVER_RELEASED', `#${ticket.number} is reserved still`);
  }
  const exposure = await run.desk.call<{ chains: { reservedWei: string }[] }>('exposure.get', {});
  const told = exposure.chains.reduce((sum, { reservedWei }) => sum + BigInt(reservedWei), 0n);
  if (told !== outstanding) blame(run, 'EXPOSURE_WRONG', `${told} in place of ${outstanding}`);
};

/** Lets everything in flight end, then checks on the chain what was lost, and whether the desk knows. @throws Violation */
export const audit = async (run: Run): Promise<void> => {
  await release(run);
  run.crowd.leave();
  run.line.fault = undefined;
  run.line.lies.logsBehind = 0;
  settlePrices(run);
  run.time.step(-run.time.ahead());
  // After an outage the desk may wait up to a minute.
  await letPass(run, 61_000);
  await poll(run);

  const mined = (await run.chain.paid()).flatMap((paid) => match(run, paid));
  for (const one of mined) checkOperation(run, one);
  checkLimits(run, mined);
  await checkTanks(run, mined);
  await checkBooked(run, mined);
  await checkGainOfAll(run);

  await letPass(run, 2 * 86_400_000);
  for (let blocks = 0; blocks < FINAL_BLOCKS; blocks += 1) await mineBlock(run);
  for (let times = 0; times < 3; times += 1) await letPass(run, 120_000);
  await checkReleased(run, mined);
  if (run.wereLogsBehind) await checkBooked(run, mined);
};
