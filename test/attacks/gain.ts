import { max, min } from '../../src/shared/bigints.ts';
import type { Facts } from '../../src/core/facts/facts.ts';
import type { MinedOperation } from './chain.ts';
import type { Run, Ticket } from './run.ts';
import { tallyOf } from './tally.ts';
import { blame } from './violation.ts';

/** Most that attackers who bundle their own operations keep of what tanks pay, percent. */
const MAX_GAIN_PERCENT = 15n;

/**
 * What an operation saves by sharing a bundle: 21,000 gas of the transaction, and what the EntryPoint does once. 33,357 to
 * 36,453 gas were measured. Each operation pays for a bundle of its own, as the formulas of all bundlers have it, so what
 * several save together is not counted as gained.
 */
const SHARED_GAS = 36_500n;

/** What a bundle brought who mined it, all wei. */
interface Gain {
  readonly operations: bigint;
  readonly paidWei: bigint;
  readonly gainWei: bigint;
  /** The part that could not be known when the operations were signed. */
  readonly unknowableWei: bigint;
}

/** Costs are rounded: a wei for each operation makes no difference. */
const isTooMuch = ({ operations, paidWei, gainWei, unknowableWei }: Gain): boolean =>
  (gainWei - unknowableWei) * 100n > MAX_GAIN_PERCENT * paidWei + 100n * operations;

/** What left the tank, or the deposit of a contract without tanks, for the operations of a transaction. Wei. */
const paidIn = ({ paid }: MinedOperation): bigint =>
  paid.reduce((sum, { debit, actualGasCost }) => sum + (debit?.wei ?? actualGasCost), 0n);

/** Of the gas that a simulation used, at most this much raises what may be gained (`core/user-operation/bundler-surplus.ts`). */
const MAX_METERED_GAS = 500_000n;

/** EIP-2929: how much more the first write to a slot costs than the next. */
const FIRST_WRITE_GAS = 17_100n;

/** By how much an operation may use less gas on the chain than where it was simulated. */
const overestimatedGas = (run: Run, ticket: Ticket): bigint => {
  const { sender, decision } = ticket;
  const facts = decision.facts as Pick<Facts, 'gasUsed'> | undefined;
  const used = BigInt(facts?.gasUsed?.call ?? 0);
  if (sender.behaviour === 'fickle') return used;
  // Another operation of its account may have been mined since, and have made the first write.
  const isSecond = run.tickets.some(
    (other) => other !== ticket && other.sender.address === sender.address && run.seenMined.has(other),
  );
  return isSecond && sender.behaviour === undefined ? min(used, FIRST_WRITE_GAS) : 0n;
};

/** What that brings a bundler, wei: the EntryPoint's penalty for it, and a share like that of other gas. */
const overestimatedWei = (run: Run, ticket: Ticket): bigint => {
  const gas = overestimatedGas(run, ticket);
  return (gas / 10n + (min(gas, MAX_METERED_GAS) * 15n) / 100n) * ticket.op.maxFeePerGas;
};

/**
 * What a bundler gained by a transaction.
 *
 * What it cost is its gas at the base fee and the tip that bundlers have to pay, whether it was mined for less: who has a
 * builder mine it for no tip has paid for that otherwise.
 *
 * @param receivedWei what the beneficiary got
 */
const gainOf = (run: Run, mined: MinedOperation, receivedWei: bigint, tickets: readonly Ticket[]): Gain => {
  const priceWei = max(mined.gasPrice, run.baseFeeWei + run.tipWei);
  const operations = BigInt(mined.paid.length);
  const shared = operations === 0n ? 0n : (operations - 1n) * SHARED_GAS;
  const gas = mined.gasUsed + shared;
  const signedAtWei = tickets.map(({ inForce }) => inForce.baseFeeWei + run.tipWei).reduce(max, priceWei);
  const unknowableWei = tickets.reduce(
    (sum, ticket) => sum + overestimatedWei(run, ticket),
    gas * (signedAtWei - priceWei),
  );
  return { operations, paidWei: paidIn(mined), gainWei: receivedWei - gas * priceWei, unknowableWei };
};

const percent = ({ gainWei, paidWei }: Gain): string => `${(Number((gainWei * 1_000n) / paidWei) / 10).toFixed(1)} %`;

/** Notes what a mined bundle brought, and holds it against what it may. @throws Violation */
export const checkGain = (run: Run, mined: MinedOperation, receivedWei: bigint, tickets: readonly Ticket[]): void => {
  const gain = gainOf(run, mined, receivedWei, tickets);
  const { paidWei, gainWei, unknowableWei } = gain;
  if (paidWei === 0n) return;
  run.bundles.push({ transactionHash: mined.transactionHash, ...gain });
  const perMille = (gainWei * 1_000n) / paidWei;
  for (const ability of new Set(tickets.map((ticket) => ticket.ability))) {
    const tally = tallyOf(run.tally, ability);
    const those = BigInt(tickets.filter((ticket) => ticket.ability === ability).length);
    tally.mined += Number(those);
    tally.lostWei += (paidWei * those) / BigInt(tickets.length);
    tally.gainedWei += (gainWei * those) / BigInt(tickets.length);
    if (perMille > tally.worstPerMille) tally.worstPerMille = perMille;
  }
  if (!isTooMuch(gain)) return;
  const names = tickets.map(({ number, ability }) => `#${number} (${ability})`).join(', ');
  const unknowable = unknowableWei === 0n ? '' : `, ${unknowableWei} of them unknowable`;
  blame(run, 'BUNDLER_GAIN', `${names}: ${gainWei} of ${paidWei} wei${unknowable}, ${percent(gain)}`);
};

/** Holds what all bundles brought that stayed on the chain against what they may. @throws Violation */
export const checkGainOfAll = async (run: Run): Promise<void> => {
  const all = { operations: 0n, paidWei: 0n, gainWei: 0n, unknowableWei: 0n };
  // What a re-org took back and was sent again may be the same transaction.
  const bundles = new Map(run.bundles.map((bundle) => [bundle.transactionHash, bundle]));
  for (const { transactionHash, operations, paidWei, gainWei, unknowableWei } of bundles.values()) {
    if (!(await run.chain.isMined(transactionHash))) continue;
    all.operations += operations;
    all.paidWei += paidWei;
    all.gainWei += gainWei;
    all.unknowableWei += unknowableWei;
  }
  if (isTooMuch(all)) blame(run, 'BUNDLER_GAIN', `all bundles: ${all.gainWei} of ${all.paidWei} wei, ${percent(all)}`);
};
