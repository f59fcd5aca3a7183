import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type Version, layoutOf } from './versions.ts';
import type { Dapp } from './desk.ts';
import { checkGain } from './gain.ts';
import type { Bundle } from './bundle.ts';
import { ACCOMPLICE, type FinishedOperation, bundle, burn, finishOperation } from './operation.ts';
import { nth } from './nth.ts';
import { scrambledCall } from '../support/scrambled-bundler.ts';
import { type Run, type StolenDraft, type SubmittedOperation, type Ticket, mineBlock, tankName } from './run.ts';

/** Pays for bundles. */
const BUNDLER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const word = (value: number): string => value.toString(16).padStart(64, '0');
const TANK_WORDS = { '1.1.0': 4, '1.0.0': 2 } as const;

/** Where an ABI-encoded signature begins is for its sender to say: a word of nothing is put in front of it. */
const moveOffset = (data: Hex, words: number): Hex => {
  const offsetAt = 42 + 64 * (words - 1);
  const before = data.slice(0, offsetAt);
  return `${before}${word(32 * (words + 1))}${word(0)}${data.slice(offsetAt + 64)}` as Hex;
};

/** The paymaster's two gas limits, from v0.7 on, raised. */
const raiseLimits = (data: Hex): Hex => `${data.slice(0, 42)}${word(0).slice(0, 26)}0f4240${data.slice(74)}` as Hex;

/** The order of secp256k1. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;
const wide = (value: bigint): string => value.toString(16).padStart(64, '0');

/** The same signature in other bytes, which some libraries accept: in 64 bytes (EIP-2098), or with a mirrored `s`. */
const rewriteSignature = (data: Hex, version: Version, as: 'compact' | 'mirrored'): Hex => {
  const isAbiEncoded = version in TANK_WORDS;
  const at = data.length - (isAbiEncoded ? 192 : 130);
  const [r, s] = [data.slice(at, at + 64), BigInt(`0x${data.slice(at + 64, at + 128)}`)];
  const isOdd = data.slice(at + 128, at + 130) === '1c';
  if (as === 'mirrored') {
    return `${data.slice(0, at)}${r}${wide(ORDER - s)}${isOdd ? '1b' : '1c'}${data.slice(at + 130)}` as Hex;
  }
  const compact = `${r}${wide(s + (isOdd ? 1n << 255n : 0n))}`;
  return `${isAbiEncoded ? data.slice(0, at - 64) + word(64) : data.slice(0, at)}${compact}` as Hex;
};

/** What an attacker makes of `paymasterAndData` before it is mined. */
const alter = (data: Hex, { policy: { version } }: Dapp, alteration: Bundle['alteration']): Hex => {
  if (alteration === 'append word') return `${data}${word(0)}`;
  if (alteration === 'append byte') return `${data}07`;
  if (alteration === 'compact signature') return rewriteSignature(data, version, 'compact');
  if (alteration === 'mirrored s') return rewriteSignature(data, version, 'mirrored');
  if (alteration === 'move offset') {
    return version === '1.1.0' || version === '1.0.0' ? moveOffset(data, TANK_WORDS[version]) : data;
  }
  if (alteration === 'raise limits') {
    return entryPoints[layoutOf(version).entryPointVersion].isPacked ? raiseLimits(data) : data;
  }
  return data;
};

const AS_SIGNED: Bundle = { which: [], alteration: 'none', via: 'bundler', gasPrice: 'least', burns: 0n };

interface PlannedBundle {
  readonly from: Ticket | StolenDraft;
  readonly label: string;
  readonly finished: FinishedOperation;
  readonly submitted: SubmittedOperation;
}

const isTicket = (from: Ticket | StolenDraft): from is Ticket => 'decision' in from;

const plan = (run: Run, from: Ticket | StolenDraft, how: Bundle, gasPrice: bigint): PlannedBundle => {
  const { dapp, sender, op } = from;
  const data = alter(from.data, dapp, how.alteration);
  const own: Hex = how.burns === 0n ? '0x' : burn(how.burns);
  const { entryPointVersion } = layoutOf(dapp.policy.version);
  const isOwn = sender.kind === 'hostile' || sender.kind === 'made';
  const finished = finishOperation(run.chain.chainId, entryPointVersion, op, data, isOwn ? own : undefined);
  const ticket = isTicket(from) ? from : undefined;
  const submitted = { ticket, altered: data !== from.data, gasPrice };
  return { from, label: ticket === undefined ? 'a draft' : `#${ticket.number}`, finished, submitted };
};

/** Sends a bundle, and answers why it failed, if it did. What it brought its bundler is held against what it may. */
const send = async (
  run: Run,
  planned: readonly PlannedBundle[],
  { how, gasPrice }: { how: Bundle; gasPrice: bigint },
): Promise<string | undefined> => {
  const entryPoint = entryPoints[nth(planned, 0).finished.version].address;
  const data = bundle(
    planned.map(({ finished }) => finished),
    ACCOMPLICE,
  );
  const isHidden = how.via === 'scrambler';
  const before = await run.chain.balance(ACCOMPLICE);
  const calling = isHidden
    ? { to: run.chain.scrambler, data: scrambledCall(entryPoint, data) }
    : { to: entryPoint, data };
  const mined = await mineBlock(run, { from: BUNDLER, gasPrice, ...calling });
  if (mined?.succeeded !== true) return run.chain.whyFailing(calling.to, calling.data);
  for (const { finished, submitted } of planned) {
    run.submitted.set(finished.hash, submitted);
    if (submitted.ticket !== undefined) run.seenMined.add(submitted.ticket);
  }
  const receivedWei = (await run.chain.balance(ACCOMPLICE)) - before;
  const tickets = planned.flatMap(({ submitted: { ticket } }) => ticket ?? []);
  if (tickets.length > 0) checkGain(run, mined, receivedWei, tickets);
  return undefined;
};

const priceOf = (run: Run, { op }: Ticket | StolenDraft, wanted: Bundle['gasPrice']): bigint => {
  const own = op.maxFeePerGas < run.baseFeeWei ? run.baseFeeWei : op.maxFeePerGas;
  if (wanted === 'least') return run.baseFeeWei;
  const most = 100n * run.baseFeeWei;
  const price = wanted === 'twenty times' ? 20n * own : own;
  return price > most ? most : price;
};

/** Mines tickets of one EntryPoint as they were signed, in one bundle at the base fee; answers why it failed, if it did. */
export const mineAsSigned = (run: Run, tickets: readonly Ticket[]): Promise<string | undefined> => {
  const gasPrice = run.baseFeeWei;
  const planned = tickets.map((ticket) => plan(run, ticket, AS_SIGNED, gasPrice));
  return send(run, planned, { how: AS_SIGNED, gasPrice });
};

/** Mines signed operations: those of one EntryPoint in one bundle or, where that fails, each by itself and as signed. */
export const mine = async (run: Run, how: Bundle): Promise<string> => {
  const open = [...run.tickets.filter((ticket) => !run.seenMined.has(ticket)), ...run.stolen].reverse();
  // A draft is tried once.
  run.stolen.length = 0;
  const chosen = [...new Set(how.which.flatMap((index) => open[index] ?? []))];
  const [first] = chosen;
  if (first === undefined) return 'nothing to mine';
  const versionOf = ({ dapp }: Ticket | StolenDraft): string => layoutOf(dapp.policy.version).entryPointVersion;
  const gasPrice = priceOf(run, first, how.gasPrice);
  const those = chosen.filter((one) => versionOf(one) === versionOf(first));
  const planned = those.map((one) => plan(run, one, how, gasPrice));
  const labels = planned.map(({ label }) => label);
  const fault = await send(run, planned, { how, gasPrice });
  if (fault === undefined) return `mined ${labels.join(', ')}`;
  if (those.length === 1 && how.alteration === 'none') return `${labels.join()} fails: ${fault}`;
  const asSigned: Bundle = { ...how, alteration: 'none' };
  const words: string[] = [];
  for (const one of those) {
    const alone = plan(run, one, asSigned, gasPrice);
    const own = await send(run, [alone], { how: asSigned, gasPrice });
    words.push(own === undefined ? `mined ${alone.label} by itself` : `${alone.label} fails: ${own}`);
  }
  return `${fault}; ${words.join(', ')}`;
};

/** The owner of a tank takes something out. Contracts without tanks are left alone. */
export const withdraw = async (run: Run, dapp: Dapp, wei: bigint): Promise<string> => {
  if (!layoutOf(dapp.policy.version).hasTanks) return 'nothing: there is no tank';
  const { wallet, paymaster } = dapp;
  // withdrawTo(address, uint256)
  const data = `0x205c2878${wallet.slice(2).padStart(64, '0')}${wei.toString(16).padStart(64, '0')}` as Hex;
  const mined = await mineBlock(run, { from: wallet, to: paymaster, data });
  if (mined?.succeeded !== true) return 'fails';
  run.payments.push({ tank: tankName(dapp), wei: -wei, transactionHash: mined.transactionHash });
  return `${wei} of DApp ${dapp.index}'s tank`;
};
