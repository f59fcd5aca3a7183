import { Interface } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { type FinalVerdict, decideVerified } from '../decide-verified.ts';
import { plan } from '../decide.ts';
import { entryPoints } from '../entry-points/registry.ts';
import type { Facts } from '../facts.ts';
import type { Reservation } from '../ledger/account.ts';
import { requireLayout } from '../paymaster-layouts/registry.ts';
import type { Policy } from '../policy.ts';
import { preVerificationGas } from '../user-operation/pre-verification.ts';
import { toRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import { largest } from './largest.ts';

/** What a desk is attacked in: what the chain says now, and who else uses what the DApp uses. */
export type Situation = Pick<Facts, 'at' | 'chain' | 'hasNode' | 'contract' | 'shared' | 'price'>;

/** An operation of the attacker. */
export interface AttackOperation {
  /** In the form of JSON-RPC. */
  readonly op: Facts['op'];
  readonly callGasLimit: bigint;
  /** Wei per gas: offered, and paid in any bundle. */
  readonly price: bigint;
  /** What signing it reserves, and what it can really cost, wei. */
  readonly costWei: bigint;
}

/** What an operation offers. */
interface Offer {
  readonly callGasLimit: bigint;
  readonly price: bigint;
}

/**
 * An account of the attacker, deployed at the attacker's own expense: a contract that does what it likes with the gas it
 * is given. There are as many as the attacker wants.
 */
export const ATTACKER: Address = `0x${'a7'.repeat(20)}`;

/**
 * The calls of an operation are what its callData says to the desk, not what the account's code does. So the batch is
 * empty, and the account burns the gas by itself.
 */
const CALL_DATA = new Interface([
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
]).encodeFunctionData('executeBatch', [[]]) as Hex;

/** What a paymaster contract that counts the operations of a sender writes that down with: measured with a new account. */
const SENDER_NONCE_GAS = 18_000n;

/** What fits into one transaction everywhere (EIP-7825: 16,777,216). */
const BUNDLE_GAS = 16_000_000n;

/** The attacker's account burns all the gas it is given, also where it is simulated. */
const factsOf = ({ at, chain, hasNode, contract, shared, price }: Situation, op: Facts['op']): Facts => ({
  ...{ v: 1, at, stage: 'final', op, gasSource: 'GAS_GIVEN', expiryDuration: 300, senderNonce: '0' },
  ...{ hasNode, chain, contract, shared, webhooks: [] },
  ...(chain !== null && {
    account: { hasCode: true, nextNonce: '0' },
    gasUsed: { validation: '0', call: String(BigInt(String(op['callGasLimit']))) },
  }),
  ...(price && { price }),
});

/** What an operation is decided by, and what it would take from the ledger. */
export interface Attempt {
  readonly reservations: readonly Reservation[];
  /** Decides it. @param held what the accounts hold; absent: nothing */
  readonly decide: (held?: readonly bigint[]) => FinalVerdict;
}

/** An operation of the attacker in front of the desk. */
export const attempt = (policy: Policy, situation: Situation, op: Facts['op']): Attempt => {
  const facts = factsOf(situation, op);
  const reservations = plan(facts, policy);
  const nothing = reservations.map(() => 0n);
  return { reservations, decide: (held = nothing) => decideVerified(facts, policy, held) };
};

/** True if nothing denies. */
export const isSponsored = ({ reason }: FinalVerdict): boolean => reason === undefined;

/** An operation without what it offers. */
const template = (version: string) => {
  const layout = requireLayout(version);
  const { paymasterGas, chainReads } = layout;
  const entryPoint = entryPoints[layout.entryPointVersion];
  const verificationGasLimit =
    entryPoint.leastVerificationGas + (chainReads.includes('senderNonce') ? SENDER_NONCE_GAS : 0n);
  const op = {
    ...{ sender: ATTACKER, nonce: 0n, callData: CALL_DATA, callGasLimit: 0n },
    ...{ verificationGasLimit, ...paymasterGas, preVerificationGas: 0n },
    ...{ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
    ...entryPoint.emptyFields,
    signature: '0x' as const,
  };
  return { ...op, preVerificationGas: preVerificationGas(entryPoint, op, 0n) };
};

/** Templates by paymaster version: the bundle's gas does not depend on what is offered. */
const templates = new Map<string, ReturnType<typeof template>>();

const templateOf = (version: string): ReturnType<typeof template> => {
  const known = templates.get(version) ?? template(version);
  templates.set(version, known);
  return known;
};

/** An operation with that call gas and price. */
export const attackOperation = (
  { dapp: { version } }: Policy,
  { chain }: Pick<Situation, 'chain'>,
  { callGasLimit, price }: Offer,
): AttackOperation => {
  const common = templateOf(version);
  const op = {
    ...common,
    preVerificationGas: common.preVerificationGas + BigInt(chain?.l1DataGas ?? 0),
    ...{ callGasLimit, maxFeePerGas: price, maxPriorityFeePerGas: price },
  };
  return { op: toRpcUserOperation(op), callGasLimit, price, costWei: requireLayout(version).reservedCost(op) };
};

/** The least that an operation can offer: the price the chain asks, and hardly any gas. */
export const cheapest = (policy: Policy, situation: Pick<Situation, 'chain'>): AttackOperation => {
  const baseFeeWei = BigInt(situation.chain?.baseFeeWei ?? 0);
  return attackOperation(policy, situation, { callGasLimit: 1n, price: baseFeeWei > 0n ? baseFeeWei : 1n });
};

/**
 * The operation with the most gas that is sponsored at a price.
 *
 * @param passes whether an operation is sponsored; the one with hardly any gas is
 * @param unit how exactly, in gas
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
 * The operation that costs most of those that are sponsored where nothing is used of any limit; undefined where none is. It
 * has as much gas as fits into a bundle, at the price at which it comes to the most: at a low price the gas that is
 * reserved and never charged counts least.
 */
export const costliest = (policy: Policy, situation: Situation): AttackOperation | undefined => {
  const passes = ({ op }: AttackOperation): boolean => isSponsored(attempt(policy, situation, op).decide());
  const least = cheapest(policy, situation);
  if (!passes(least)) return undefined;
  const isOffered = (price: bigint): boolean => passes(attackOperation(policy, situation, { callGasLimit: 1n, price }));
  const highest = largest(least.price, isOffered) ?? least.price;
  const dearest = withMostGas(policy, situation, highest, passes);
  const wanted = dearest.costWei / BUNDLE_GAS;
  // The base fee of the next block may be an eighth higher.
  const lowest = (least.price * 9n) / 8n;
  const price = wanted < lowest ? lowest : wanted;
  if (price >= highest) return dearest;
  const roomy = withMostGas(policy, situation, price, passes);
  return roomy.costWei * 1_000n >= dearest.costWei * 999n ? roomy : dearest;
};
