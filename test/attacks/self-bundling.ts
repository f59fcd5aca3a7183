import fc from 'fast-check';
import { type EntryPointVersion, type UserOperation, isV06 } from '../../src/shared/schema/user-operation.ts';
import type { Behaviour } from './account-code.ts';
import { type AttackRequest, type Outcome, askFor } from './asking.ts';
import type { Sender } from './chain.ts';
import type { Dapp } from './desk.ts';
import { mineAsSigned } from './mining.ts';
import { nth } from './nth.ts';
import { wishedOperation } from './operation.ts';
import { type Push, moveBaseFee, push, pushPrice, settlePrices, toldPrices } from './pushing.ts';
import { type Run, type Ticket, entryPointVersionOf, mineBlock } from './run.ts';
import type { Wish } from './wish.ts';

/** Accounts by which an attacker who bundles takes more out of a tank than it costs. */
const ACCOUNTS = ['usual', 'deploying', 'idle', 'burning'] as const;

/** Nothing that anyone needs: what is not drawn otherwise. */
const PLAIN = {
  nonce: 'next',
  call: 'mint',
  expiryDuration: 300,
  letters: 'lower',
  estimates: false,
  dialect: 'biconomy',
  verificationGasLimit: 150_000n,
} as const;

const nothingElse = {
  dapp: fc.nat(7),
  account: fc.constantFrom<(Behaviour | 'usual' | 'deploying')[]>(...ACCOUNTS),
  operations: fc.integer({ min: 1, max: 5 }),
  /** In one bundle, or each in its own. */
  together: fc.boolean(),
  callGasLimit: fc.constantFrom<bigint[]>(60_000n, 100_000n, 1_000_000n, 9_800_000n),
  /** How much more is offered than the chain asks for, hundredths, and whether all of it is the bundler's. */
  price: fc.constantFrom<{ times: bigint; isTip: boolean }[]>(
    { times: 200n, isTip: false },
    { times: 100n, isTip: true },
    { times: 200n, isTip: true },
    { times: 900n, isTip: true },
  ),
  padding: fc.constantFrom<Padding[]>('none', 'none', 'preVerificationGas', 'dummy', 'authorisation', 'everything'),
  push: fc.constant<Push | null>(null),
  /** Empty blocks between signing and bundling, by which the base fee falls. */
  emptyBlocks: fc.constant(0),
};

/** What someone has sponsored to bundle it themselves, by what they do besides. */
export const selfBundling = {
  'nothing else': fc.record(nothingElse),
  'prices pushed': fc.record({ ...nothingElse, push: push.map((pushed): Push | null => pushed) }),
  'base fee falls': fc.record({ ...nothingElse, emptyBlocks: fc.integer({ min: 1, max: 5 }) }),
  'accounts with another face': fc.record({ ...nothingElse, account: fc.constant<SelfBundling['account']>('fickle') }),
};
/** What someone has sponsored to bundle it themselves. */
export interface SelfBundling {
  readonly dapp: number;
  readonly account: Behaviour | 'usual' | 'deploying';
  readonly operations: number;
  readonly together: boolean;
  readonly callGasLimit: bigint;
  readonly price: { readonly times: bigint; readonly isTip: boolean };
  readonly padding: Padding;
  readonly push: Push | null;
  readonly emptyBlocks: number;
}

type Padding = 'none' | 'preVerificationGas' | 'dummy' | 'authorisation' | 'everything';

/** A dummy signature as long as any that counts. */
const DUMMY_BYTES = 2_048;
/** More than any desk allows: what it hints at is taken. */
const GREEDY_GAS = 6_000_000n;

const authorization = ({ chainId, gameItems }: Run['chain']) => ({
  chainId: `0x${chainId.toString(16)}`,
  address: gameItems,
  nonce: '0x0',
  yParity: '0x0',
  r: `0x${'00'.repeat(32)}`,
  s: `0x${'00'.repeat(32)}`,
});

const senderFor = async (
  { chain }: Run,
  version: EntryPointVersion,
  account: SelfBundling['account'],
): Promise<Sender> => {
  if (account === 'usual') return nth(chain.senders[version], 0);
  return account === 'deploying' ? chain.newAccount(version) : chain.makeAccount(version, account);
};

const abilityOf = ({ account, padding, push: pushed, emptyBlocks }: SelfBundling): string =>
  [
    `bundles for itself: ${account}`,
    padding === 'none' ? [] : `padded by ${padding}`,
    pushed === null ? [] : `${pushed.kind} pushed`,
    emptyBlocks === 0 ? [] : 'base fee falls',
  ]
    .flat()
    .join(', ');

const prepare = async (run: Run, dapp: Dapp, wanted: SelfBundling, index: number): Promise<AttackRequest> => {
  const version = entryPointVersionOf(dapp);
  const { account, padding, price } = wanted;
  const sender = await senderFor(run, version, account);
  const told = await toldPrices(run);
  const fee = ((told.baseFeeWei + told.tipWei) * price.times) / 100n;
  const isGreedy = padding !== 'none';
  const isLong = padding === 'dummy' || padding === 'everything';
  const wish: Wish = {
    ...PLAIN,
    dapp: wanted.dapp,
    sender: 0,
    callGasLimit: wanted.callGasLimit,
    nonceKey: account === 'usual' ? 1_000 + run.tickets.length * 10 + index : 0,
    given: { preVerificationGas: isGreedy ? GREEDY_GAS : 60_000n, signatureBytes: isLong ? DUMMY_BYTES : 65 },
    fees: { maxFeePerGas: fee, maxPriorityFeePerGas: price.isTip ? fee : told.tipWei },
  };
  const nonce = await run.chain.nonce(version, sender.address, BigInt(wish.nonceKey));
  const op = wishedOperation(run.chain, version, sender, nonce, wish);
  const isAuthorised = !isV06(op) && (padding === 'authorisation' || padding === 'everything');
  const more = isAuthorised ? { eip7702Auth: authorization(run.chain) } : {};
  return { dapp, sender, op, wish, from: run.time.now(), ability: abilityOf(wanted), more };
};

const FIELDS = ['preVerificationGas', 'callGasLimit', 'maxFeePerGas'] as const;
const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The operation with what the desk says would do; one that costs too much otherwise has half of its gas. */
const asHinted = (op: UserOperation, { words, hint = '' }: Outcome): UserOperation => {
  const lowered = FIELDS.flatMap((field) => {
    const most = new RegExp(`${field} of at most (\\d+)`).exec(hint)?.[1];
    return most === undefined ? [] : [[field, BigInt(most)] as const];
  });
  const gas = words.startsWith('PRE_VERIFICATION') ? /send at most (\d+)/.exec(hint)?.[1] : undefined;
  if (gas !== undefined) lowered.push(['preVerificationGas', BigInt(gas)]);
  const isDear = /^OPERATION_COST|^GAS_ABOVE|^GAS_TANK|^LIMIT|^BURN_RATE|SHARE/.test(words);
  if (lowered.length === 0 && isDear) lowered.push(['callGasLimit', op.callGasLimit / 2n]);
  const then = { ...op, ...Object.fromEntries(lowered) };
  // A lower tip would do as well as a lower fee; but a fee that is all tip stays when the base fee falls.
  return { ...then, maxPriorityFeePerGas: least(then.maxPriorityFeePerGas, then.maxFeePerGas) };
};

/** How often what is denied is asked for again as the desk hints. */
const TRIES = 6;

/** Asks, and asks again with the most that the desk says it would sign. */
const takeMost = async (run: Run, wanted: AttackRequest): Promise<Outcome> => {
  let asked = wanted;
  let outcome: Outcome = { words: 'nothing' };
  for (let tries = 0; tries < TRIES; tries += 1) {
    [outcome = outcome] = await askFor(run, [asked]);
    if (outcome.ticket !== undefined) return outcome;
    const op = asHinted(asked.op, outcome);
    if (FIELDS.every((field) => op[field] === asked.op[field])) return outcome;
    asked = { ...asked, op, from: run.time.now() };
  }
  return outcome;
};

/** Has operations sponsored for all that they may give their bundler, and bundles them. */
export const bundleForItself = async (run: Run, wanted: SelfBundling): Promise<string> => {
  const dapp = nth(run.desk.dapps, wanted.dapp);
  const words: string[] = [];
  if (wanted.push !== null) words.push(await pushPrice(run, wanted.push));
  const tickets: Ticket[] = [];
  for (let index = 0; index < wanted.operations; index += 1) {
    const outcome = await takeMost(run, await prepare(run, dapp, wanted, index));
    words.push(outcome.words);
    if (outcome.ticket === undefined) break;
    tickets.push(outcome.ticket);
  }
  settlePrices(run);
  // A fickle account shows its other face from the next block but one on.
  await mineBlock(run);
  if (wanted.emptyBlocks > 0) words.push(await moveBaseFee(run, { kind: 'falls', blocks: wanted.emptyBlocks }));
  const bundles = wanted.together ? [tickets] : tickets.map((ticket) => [ticket]);
  for (const bundle of bundles.filter(({ length }) => length > 0)) {
    const fault = await mineAsSigned(run, bundle);
    words.push(
      fault === undefined ? `mined ${bundle.map(({ number }) => `#${number}`).join(', ')}` : `fails: ${fault}`,
    );
  }
  return words.join(', ');
};
