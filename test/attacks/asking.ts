import type { Facts } from '../../src/core/facts/facts.ts';
import { max, min } from '../../src/shared/bigints.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { DecisionRecord, DecisionRow } from '../../src/shared/schema/decision.ts';
import type { Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperation } from '../../src/shared/schema/user-operation.ts';
import type { Sender } from './chain.ts';
import type { Dapp } from './desk.ts';
import { nth } from './nth.ts';
import { type SignedAnswer, asJson, signedOperation, wishedOperation } from './operation.ts';
import { type InForce, type Run, type Ticket, entryPointVersionOf, patiently } from './run.ts';
import { checkSigned } from './signed.ts';
import { tallyOf } from './tally.ts';
import type { Wish } from './wish.ts';

const biconomyOptions = (wanted: Wish) => ({
  mode: 'SPONSORED',
  calculateGasLimits: wanted.estimates,
  expiryDuration: wanted.expiryDuration,
  sponsorshipInfo: { webhookData: { level: 3 } },
});

/** The request in the dialect that is wished for. */
export const requestOf = (chainId: number, dapp: Dapp, op: Record<string, unknown>, wanted: Wish) => {
  const entryPoint = entryPoints[entryPointVersionOf(dapp)].address;
  const context = { validForSeconds: wanted.expiryDuration };
  if (wanted.dialect === 'biconomy') {
    return { method: 'pm_sponsorUserOperation', params: [op, biconomyOptions(wanted)] };
  }
  if (wanted.dialect === 'pimlico') return { method: 'pm_sponsorUserOperation', params: [op, entryPoint, context] };
  return { method: 'pm_getPaymasterData', params: [op, entryPoint, `0x${chainId.toString(16)}`, context] };
};

/** The base fee after this many full blocks (EIP-1559), with a wei for what each rounds. Wei per gas. */
const raised = (wei: bigint, blocks: number): bigint => (blocks <= 0 ? wei : raised(wei + wei / 8n + 1n, blocks - 1));

/**
 * The base fee that an operation was signed at, wei per gas: the chain's, or the desk's belief if that is higher. The
 * belief counts only as far as the previous one can have risen since, whatever the desk read in between.
 */
const believedBaseFee = async (run: Run, { facts }: DecisionRecord): Promise<bigint> => {
  const { chain } = facts as Pick<Facts, 'chain'>;
  const block = (await run.chain.head()).number;
  const mostWei = raised(run.believed.wei, block - run.believed.block);
  const wei = min(BigInt(chain?.believedBaseFeeWei ?? 0), mostWei);
  run.believed = { block, wei };
  return max(run.baseFeeWei, wei);
};

const inForceOf = (run: Run, dapp: Dapp): InForce => ({
  wallet: dapp.wallet,
  limits: dapp.limits,
  paused: run.paused,
  lineFault: run.line.fault,
  baseFeeWei: run.baseFeeWei,
  leaptMs: run.leaptMs,
  behaviour: dapp.policy.webhook === null ? undefined : (run.receivers.behaviours.get(dapp.index) ?? 'true'),
  nameState: dapp.policy.webhook?.byName === true ? (run.receivers.names.get(dapp.index) ?? 'right') : 'right',
});

/** The decision by which it was signed: the newest that no other ticket has. */
const decisionOf = async (run: Run, dapp: Dapp, data: Hex): Promise<DecisionRecord | undefined> => {
  const { paymasterId } = dapp;
  const rows = await run.desk.call<DecisionRow[]>('decisions.list', { paymasterId, outcome: 'sponsored', limit: 100 });
  const taken = new Set(run.tickets.map(({ decision }) => decision.id));
  for (const { id } of rows) {
    if (taken.has(id)) continue;
    const decision = await run.desk.call<DecisionRecord>('decisions.show', { decisionId: id });
    if (decision.paymasterAndData.toLowerCase() === data) return decision;
  }
  return undefined;
};

interface Answer {
  result?: SignedAnswer & { reason?: { code: string; hint: string } };
  error?: { code: number; message: string; data?: { code?: string } };
}

const refusalIn = ({ result, error }: Answer): string =>
  result?.reason?.code ?? error?.data?.code ?? error?.message ?? 'nothing';

/** What someone asks for. */
export interface AttackRequest {
  readonly dapp: Dapp;
  readonly sender: Sender;
  readonly op: UserOperation;
  readonly wish: Wish;
  /** When, epoch ms. */
  readonly from: number;
  /** What it is counted as. */
  readonly ability?: string;
  /** Fields of the request in addition to the operation's. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** What came of it. */
export interface Outcome {
  readonly words: string;
  readonly ticket?: Ticket;
  /** What the desk says would do. */
  readonly hint?: string;
}

/** Writes down what came of a request, and holds what was signed against the policy. */
const note = async (run: Run, asked: AttackRequest, text: string, held?: 'answered' | 'too long'): Promise<Outcome> => {
  const { dapp, sender, op, wish, ability = 'any operation' } = asked;
  const inForce = inForceOf(run, dapp);
  const answer = JSON.parse(text) as Answer;
  const signed = answer.result && signedOperation(op, answer.result);
  const code = signed === undefined ? refusalIn(answer) : 'signed';
  run.tally.answers.set(code, (run.tally.answers.get(code) ?? 0) + 1);
  if (signed === undefined) return { words: code, hint: answer.result?.reason?.hint ?? '' };
  const decision = await decisionOf(run, dapp, signed.data);
  if (decision === undefined) throw new Error('The desk has no decision for what it signed');
  const ticket: Ticket = {
    number: run.tickets.length,
    dapp,
    sender,
    wish,
    decision,
    ability,
    ...signed,
    maxCostWei: BigInt(decision.maxCostWei ?? 0),
    // A receiver that is held until the desk's patience ends is one that does not answer.
    inForce: {
      ...inForce,
      baseFeeWei: await believedBaseFee(run, decision),
      ...(held === 'too long' && { behaviour: 'silent' }),
      // Its name was known when it was called.
      ...(held !== undefined && { nameState: 'right' }),
    },
    between: [asked.from, run.time.now()],
  };
  run.tickets.push(ticket);
  run.tally.signed += 1;
  tallyOf(run.tally, ability).signed += 1;
  checkSigned(run, ticket);
  return { words: `signed as #${ticket.number} for at most ${decision.maxCostWei}`, ticket };
};

/** The operation that is wished for, with the nonce that its sender has now. */
export const prepare = async (run: Run, wish: Wish) => {
  const dapp = nth(run.desk.dapps, wish.dapp);
  const version = entryPointVersionOf(dapp);
  const sender = nth(run.chain.senders[version], wish.sender);
  const key = BigInt(wish.nonceKey);
  const next = await run.chain.nonce(version, sender.address, key);
  const nonce = { next, queued: next + 1n, used: next === 0n ? 0n : next - 1n }[wish.nonce];
  const op = wishedOperation(run.chain, version, sender, nonce, wish);
  return { dapp, sender, op, wish, version, from: run.time.now() };
};

/** Asks for several at once. */
export const askFor = async (run: Run, all: readonly AttackRequest[]): Promise<Outcome[]> => {
  const replies = all.map(async ({ dapp, op, wish, more, ability = 'any operation' }) => {
    run.tally.asked += 1;
    tallyOf(run.tally, ability).played += 1;
    const { method, params } = requestOf(run.chain.chainId, dapp, { ...asJson(op, wish.letters), ...more }, wish);
    return (await run.desk.post(dapp, method, params)).text;
  });
  let done = false;
  const ended = Promise.all(replies).finally(() => (done = true));
  ended.catch(() => undefined);
  await patiently(run, () => done);
  const texts = await ended;
  const outcomes: Outcome[] = [];
  for (const [index, text] of texts.entries()) outcomes.push(await note(run, nth(all, index), text));
  return outcomes;
};

/** Asks for sponsorship; the words say what the desk answered. */
export const ask = async (run: Run, wish: Wish): Promise<string> => (await askAll(run, [wish])).join();

/** Asks for what is wished for, all at once. */
export const askAll = async (run: Run, wishes: readonly Wish[]): Promise<string[]> => {
  const all = await Promise.all(wishes.map((wish) => prepare(run, wish)));
  return (await askFor(run, all)).map(({ words }) => words);
};

/** Asks, and answers the webhook only when `release` is called, or when the desk's patience ends. */
export const askAndWait = async (run: Run, wish: Wish): Promise<string> => {
  if (run.waiting !== undefined) return 'nothing: another one waits';
  const asked = await prepare(run, wish);
  run.tally.asked += 1;
  run.receivers.hold();
  const { method, params } = requestOf(run.chain.chainId, asked.dapp, asJson(asked.op, wish.letters), wish);
  const answered = run.desk.post(asked.dapp, method, params);
  const ended = answered.then(() => true).catch(() => true);
  const isHeld = async (): Promise<boolean> => {
    while (!run.receivers.isHolding()) if (await Promise.race([ended, sleep(1)])) return false;
    return true;
  };
  if (!(await isHeld())) {
    run.receivers.letGo();
    return (await note(run, asked, (await answered).text)).words;
  }
  run.waiting = answered.then(async ({ text }) => {
    await note(run, asked, text, run.receivers.isHolding() ? 'too long' : 'answered');
  });
  run.waiting.catch(() => undefined);
  return 'waits for the webhook';
};

/** Lets the webhook answer for which a request waits. */
export const release = async (run: Run): Promise<string> => {
  const { waiting } = run;
  if (waiting === undefined) return 'nothing waits';
  const before = run.tickets.length;
  run.receivers.letGo();
  let done = false;
  const ended = waiting.finally(() => (done = true));
  ended.catch(() => undefined);
  await patiently(run, () => done);
  run.waiting = undefined;
  await ended;
  return run.tickets.length > before ? `signed as #${run.tickets.length - 1}` : 'not signed';
};
