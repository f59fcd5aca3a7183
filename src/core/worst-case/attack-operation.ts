import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type FinalVerdict, decideVerified } from '../decision/decide-verified.ts';
import { planOperation } from '../decision/decide.ts';
import { entryPoints } from '../entry-points/registry.ts';
import type { Facts } from '../facts/facts.ts';
import type { Reservation } from '../ledger/account.ts';
import { requireLayout } from '../paymaster-layouts/registry.ts';
import type { Policy } from '../policy/policy.ts';
import { identityQuestions } from '../rules/identity/index.ts';
import { preVerificationGas } from '../user-operation/pre-verification.ts';
import { toRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import { largest } from './largest.ts';
import type { GasScheduleName } from '../../shared/schema/gas-schedule.ts';
import type { GasSchedule } from '../gas-schedules/gas-schedule.ts';
import { gasSchedules } from '../gas-schedules/schedules.ts';
import { workGas } from '../gas-schedules/work.ts';
import { max, min } from '../../shared/bigints.ts';

/** The chain's current state, whether the DApp shares its tank, and how many people the attacker has. */
export interface Situation extends Pick<
  Facts,
  'at' | 'chain' | 'gasSchedule' | 'hasNode' | 'contract' | 'shared' | 'price'
> {
  /** People whom the attacker can have verified. Absent: any number. */
  readonly people?: number | undefined;
}

export interface AttackOperation {
  /** In JSON-RPC format. */
  readonly op: Facts['op'];
  readonly callGasLimit: bigint;
  /** The offered price in wei per gas, which every bundle pays. */
  readonly price: bigint;
  /** The amount that is reserved when the operation is signed, in wei. It is also the highest real cost. */
  readonly costWei: bigint;
}

interface Offer {
  readonly callGasLimit: bigint;
  readonly price: bigint;
}

/**
 * An account that the attacker deployed at their own expense and whose code can burn any amount of gas. The attacker
 * has any number of such accounts.
 */
export const ATTACKER: Address = `0x${'a7'.repeat(20)}`;

/** The keyed hash of the attacker's people. The one who sends next is who has sent least. */
export const ATTACKERS_PERSON = 'a7'.repeat(32);

/** The attacker's people are verified by every rule. */
const subjectsOf = ({ rules }: Policy, at: number): Pick<Facts, 'subjects'> => {
  const questions = [...identityQuestions(rules)];
  if (questions.length === 0) return {};
  const expiresAt = Math.ceil(at / 1000) + 1;
  const found = questions.map(([key, { source }]) => [key, { source, id: ATTACKERS_PERSON, expiresAt }]);
  return { subjects: Object.fromEntries(found) as NonNullable<Facts['subjects']> };
};

/**
 * Gasdesk reads the calls from callData, not from the account's code. So the batch is empty, and the account itself
 * burns the gas.
 */
const CALL_DATA = new Interface([
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
]).encodeFunctionData('executeBatch', [[]]) as Hex;

/** What a paymaster contract does to store the operation count of a new sender. Measured: 18,000 gas on Prague. */
const SENDER_NONCE = { gas: 900n, newSlots: 1n };

/** The most gas that fits into one transaction on every chain (EIP-7825). */
const BUNDLE_GAS = gasSchedules.osaka.mostTransactionGas ?? 0n;

/** The facts of an attack. The attacker's account burns all gas it is given, even in simulation. */
const factsOf = (
  policy: Policy,
  { at, chain, gasSchedule, hasNode, contract, shared, price }: Situation,
  op: Facts['op'],
): Facts => ({
  v: 1,
  at,
  stage: 'final',
  op,
  gasSource: 'GAS_GIVEN',
  expiryDuration: 300,
  senderNonce: '0',
  gasSchedule,
  hasNode,
  chain,
  contract,
  shared,
  webhooks: [],
  ...(chain !== null && {
    account: { hasCode: true, nextNonce: '0' },
    gasUsed: { validation: '0', call: String(BigInt(String(op['callGasLimit']))) },
  }),
  ...(price && { price }),
  ...subjectsOf(policy, at),
});

export interface Attempt {
  readonly reservations: readonly Reservation[];
  /** @param held amounts in the ledger accounts; by default 0 */
  readonly decide: (held?: readonly bigint[]) => FinalVerdict;
}

export const attempt = (policy: Policy, situation: Situation, op: Facts['op']): Attempt => {
  const planned = planOperation(factsOf(policy, situation, op), policy);
  const { reservations } = planned;
  const nothing = reservations.map(() => 0n);
  return { reservations, decide: (held = nothing) => decideVerified(planned, policy, held) };
};

export const isSponsored = ({ reason }: FinalVerdict): boolean => reason === undefined;

const template = (version: string, schedule: GasSchedule) => {
  const layout = requireLayout(version);
  const { paymasterGas, chainReads } = layout;
  const entryPoint = entryPoints[layout.entryPointVersion];
  const senderNonceGas = chainReads.includes('senderNonce') ? workGas(schedule, SENDER_NONCE) : 0n;
  const verificationGasLimit = workGas(schedule, entryPoint.leastVerification) + senderNonceGas;
  const op = {
    sender: ATTACKER,
    nonce: 0n,
    callData: CALL_DATA,
    callGasLimit: 0n,
    verificationGasLimit,
    ...paymasterGas,
    preVerificationGas: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    ...entryPoint.emptyFields,
    signature: '0x' as const,
  };
  return { ...op, preVerificationGas: preVerificationGas({ entryPoint, schedule }, op, 0n) };
};

/** Templates by paymaster version and gas schedule. They can be reused because the gas of a bundle does not depend on the offer. */
const templates = new Map<string, ReturnType<typeof template>>();

const templateOf = (version: string, gasSchedule: GasScheduleName): ReturnType<typeof template> => {
  const key = `${version} ${gasSchedule}`;
  const known = templates.get(key) ?? template(version, gasSchedules[gasSchedule]);
  templates.set(key, known);
  return known;
};

export const attackOperation = (
  { dapp: { version } }: Policy,
  { chain, gasSchedule }: Pick<Situation, 'chain' | 'gasSchedule'>,
  { callGasLimit, price }: Offer,
): AttackOperation => {
  const common = templateOf(version, gasSchedule);
  const op = {
    ...common,
    preVerificationGas: common.preVerificationGas + BigInt(chain?.l1DataGas ?? 0),
    callGasLimit,
    maxFeePerGas: price,
    maxPriorityFeePerGas: price,
  };
  return { op: toRpcUserOperation(op), callGasLimit, price, costWei: requireLayout(version).reservedCost(op) };
};

/** An operation with the lowest possible offer: the chain's minimum price, and almost no gas. */
export const cheapest = (policy: Policy, situation: Pick<Situation, 'chain' | 'gasSchedule'>): AttackOperation => {
  const baseFeeWei = BigInt(situation.chain?.baseFeeWei ?? 0);
  return attackOperation(policy, situation, { callGasLimit: 1n, price: baseFeeWei > 0n ? baseFeeWei : 1n });
};

/**
 * The operation with the largest amount of gas that is sponsored at a given price.
 * @param passes whether an operation is sponsored; must be true for an operation with almost no gas
 * @param unit precision in gas
 */
export const withMostGas = (
  policy: Policy,
  situation: Situation,
  price: bigint,
  passes: (one: AttackOperation) => boolean,
  unit = 1n,
): AttackOperation => {
  const at = (units: bigint): AttackOperation =>
    attackOperation(policy, situation, { callGasLimit: 1n + units * unit, price });
  return at(largest(0n, (units) => passes(at(units))) ?? 0n);
};

/**
 * The most expensive operation that is sponsored while all limits are unused; undefined if no operation is sponsored.
 * It uses as much gas as fits into a bundle, at the price that makes its cost highest. At a low price, gas that is
 * reserved but never charged makes the smallest difference.
 */
export const costliest = (policy: Policy, situation: Situation): AttackOperation | undefined => {
  const passes = ({ op }: AttackOperation): boolean => isSponsored(attempt(policy, situation, op).decide());
  const least = cheapest(policy, situation);
  if (!passes(least)) return undefined;
  const isOffered = (price: bigint): boolean => passes(attackOperation(policy, situation, { callGasLimit: 1n, price }));
  const highest = largest(least.price, isOffered) ?? least.price;
  const dearest = withMostGas(policy, situation, highest, passes);
  const wanted = dearest.costWei / BUNDLE_GAS;
  // The next block's base fee may be an eighth higher.
  const lowest = (least.price * 9n) / 8n;
  const roomy = withMostGas(policy, situation, min(highest, max(wanted, lowest)), passes);
  return roomy.costWei * 1_000n >= dearest.costWei * 999n ? roomy : dearest;
};
