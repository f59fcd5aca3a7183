import { weiToDecimal } from './schema/decimal.ts';
import { tokenDenials } from './token-denials.ts';
import { webhookDenials } from './webhook-denials.ts';
import { spanWords } from './words/span.ts';

/** Values a rule compared; wei and other large numbers as decimal strings. */
export type Evidence = Record<string, string | number | boolean | null>;

/** What a denial says to the DApp's developer: what happened, and the smallest change that would let the op pass. */
export interface Explanation {
  readonly message: string;
  readonly hint: string;
}

const units = (evidence: Evidence, key: 'threshold' | 'used' | 'amount'): string => {
  const value = String(evidence[key]);
  if (evidence.unit === 'wei') return `${weiToDecimal(BigInt(value))} of the native coin`;
  return value === '1' ? '1 operation' : `${value} operations`;
};

const areUsed = (evidence: Evidence): string => {
  const one = evidence.unit === 'wei' || evidence.used === '1';
  return `${units(evidence, 'used')} ${one ? 'is' : 'are'} used`;
};

const scopeOf = ({ scope }: Evidence): string =>
  scope === 'SMART_ACCOUNT' ? 'per user and window' : 'per window, of all users together';

const MINUTE_MS = 60_000;

/** `2026-11-21 14:30 UTC`, from epoch ms. Rounded up, as the duration is: a wait that is too short would be a lie. */
const clockTime = (at: number): string => {
  const minute = new Date(Math.ceil(at / MINUTE_MS) * MINUTE_MS);
  return `${minute.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
};

const duration = (ms: number): string => {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
};

type Row = (evidence: Evidence) => Explanation;

const undecodable =
  (hint: string): Row =>
  ({ detail }) => ({
    message: `The calls of this operation cannot be told from its callData. ${String(detail)}`,
    hint,
  });

const SIMPLER = 'Send the calls through a plain execute or executeBatch of the account.';

const rows = {
  SPONSORSHIP_PAUSED: ({ pausedAt }) => ({
    message: `All sponsorship is paused since ${clockTime(Number(pausedAt))}; nothing is signed until the operator resumes it.`,
    hint: 'Resume in the top bar of the console, or run "gasdesk resume"; then send the operation again.',
  }),
  UNKNOWN_SELECTOR: undecodable('Use an account type Gasdesk knows, and call its execute or executeBatch.'),
  MALFORMED_CALL_DATA: undecodable('Encode the callData with the ABI of the account; do not edit it by hand.'),
  NESTED_EXECUTE_USER_OP: undecodable('Put the call behind one executeUserOp prefix only.'),
  HIDDEN_CALLS: undecodable('Encode the batch with the ABI of the account, with every call inside its declared bytes.'),
  UNKNOWN_EXECUTION_MODE: undecodable(SIMPLER),
  AMBIGUOUS_TARGET: undecodable('Name the target of every call instead of address zero.'),
  NESTED_TOO_DEEP: undecodable('Send the calls as one flat batch.'),
  TOO_MANY_CALLS: undecodable('Split the batch into several user operations.'),
  DELEGATECALL_NOT_ALLOWED: ({ target }) => ({
    message: `The operation makes a delegatecall to ${String(target)}, which could do anything in the account's name.`,
    hint: 'Use a plain call; only known MultiSend contracts may be delegatecalled.',
  }),
  SELF_CALL_NOT_ALLOWED: ({ target }) => ({
    message: `The account ${String(target)} calls itself, which may hide further calls or change who owns it.`,
    hint: 'Put the calls into the batch directly.',
  }),
  CONTRACT_NOT_REGISTERED: ({ target }) => ({
    message: `The operation calls ${String(target)}, which is not a registered contract of this DApp.`,
    hint: `Register ${String(target)} with the methods to sponsor, or leave this call out.`,
  }),
  CONTRACT_PAUSED: ({ target, contract }) => ({
    message: `The operation calls ${String(contract)} (${String(target)}), whose sponsoring is paused.`,
    hint: `Activate the rule "${String(contract)}" again.`,
  }),
  METHOD_NOT_WHITELISTED: ({ target, contract, method }) => ({
    message: `The operation calls ${String(method)} on ${String(contract)} (${String(target)}), which is not whitelisted.`,
    hint: `Add ${String(method)} on ${String(target)} to the contract's whitelisted methods.`,
  }),
  METHOD_NOT_IN_ABI: ({ target, contract, selector }) => ({
    message: `The operation calls ${String(selector)} on ${String(contract)} (${String(target)}), which is no method of its registered ABI.`,
    hint: `Call a method of the ABI, or register ${String(target)} anew with an ABI that has this one and whitelist it.`,
  }),
  PLAIN_TRANSFER: ({ target, valueWei }) => ({
    message: `The operation sends ${weiToDecimal(BigInt(String(valueWei)))} of the native coin to ${String(target)} without calling a method.`,
    hint: 'Leave the plain transfer out: only whitelisted methods of registered contracts are sponsored.',
  }),
  WALLET_DEPLOYMENT_NOT_SPONSORED: ({ paused }) => ({
    message: `The operation deploys its account, which this DApp does not sponsor${paused === true ? ' while its rule is paused' : ''}.`,
    hint: `${paused === true ? 'Activate the WALLET_DEPLOYMENT rule of the DApp again' : 'Add a WALLET_DEPLOYMENT rule to the DApp'}, or send an operation of an account that is deployed already.`,
  }),
  LIMIT_REACHED: (evidence) => ({
    message:
      `The limit "${String(evidence.name)}" allows ${units(evidence, 'threshold')} ${scopeOf(evidence)}; ` +
      `${areUsed(evidence)}, and this operation takes ${units(evidence, 'amount')}.`,
    hint: `The window rolls at ${clockTime(Number(evidence.windowEndsAt))}, in ${duration(Number(evidence.windowEndsAt) - Number(evidence.now))}; or raise the limit's threshold.`,
  }),
  LIMIT_TOO_SMALL: (evidence) => ({
    message:
      `The limit "${String(evidence.name)}" allows ${units(evidence, 'threshold')} ${scopeOf(evidence)}, ` +
      `less than the ${units(evidence, 'amount')} that this operation may take.`,
    hint: 'Raise the threshold of the limit, or send the operation with lower gas limits and fees. Waiting does not help.',
  }),
  FEE_TOO_LOW: ({ maxFeePerGasWei, baseFeeWei }) => ({
    message: `The operation offers ${String(maxFeePerGasWei)} wei per gas, the chain asks for at least ${String(baseFeeWei)}.`,
    hint: `Send it with a maxFeePerGas of at least ${String(baseFeeWei)} wei.`,
  }),
  FEE_TOO_HIGH: ({ pricePerGasWei, mostWei, baseFeeWei, suggestedTipWei }) => ({
    message:
      `The operation pays up to ${String(pricePerGasWei)} wei per gas where the chain asks for ${String(baseFeeWei)}` +
      `${suggestedTipWei === undefined ? '' : ` and a tip of ${String(suggestedTipWei)}`}: ` +
      `more than the ${String(mostWei)} that are sponsored.`,
    hint: `Send it with a maxFeePerGas, or a maxPriorityFeePerGas, that comes to at most ${String(mostWei)} wei per gas.`,
  }),
  GAS_ABOVE_BLOCK: ({ gas, blockGasLimit }) => ({
    message: `The gas limits of the operation come to ${String(gas)}, and a block holds ${String(blockGasLimit)}.`,
    hint: 'Have the gas estimated (calculateGasLimits: true), or send lower limits.',
  }),
  PRE_VERIFICATION_GAS_TOO_HIGH: ({ preVerificationGas, most }) => ({
    message: `The operation gives its bundler ${String(preVerificationGas)} preVerificationGas; its calldata is worth ${String(most)} at most.`,
    hint: `Have the gas estimated (calculateGasLimits: true), or send at most ${String(most)}.`,
  }),
  GAS_TANK_EMPTY: (evidence) => {
    const wei = (key: string): bigint => BigInt(String(evidence[key] ?? 0));
    const coins = (amount: bigint): string =>
      `${weiToDecimal(amount)} ${String(evidence.symbol ?? 'of the native coin')}`;
    const [balance, promised, leaving, needed] = [
      wei('balanceWei'),
      wei('promisedWei'),
      wei('leavingWei'),
      wei('neededWei'),
    ];
    const out = leaving === 0n ? '' : `, and ${coins(leaving)} is on its way out by a withdrawal`;
    return {
      message:
        `The gas tank holds ${coins(balance)}, of which ${coins(promised)} is promised to operations not yet mined${out}; ` +
        `this operation may cost ${coins(needed)}.`,
      hint: `Top up the tank by at least ${coins(needed + promised + leaving - balance)}.`,
    };
  },
  BURN_RATE_EXCEEDED: (evidence) => ({
    message:
      `The burn-rate breaker of the chain allows ${units(evidence, 'threshold')} to be signed for per ${spanWords(Number(evidence.seconds))}; ` +
      `${areUsed(evidence)}, and this operation takes ${units(evidence, 'amount')}. All sponsorship is paused.`,
    hint: 'The operator looks what came to so much, resumes (the count then begins anew), and where it is right raises the breaker.',
  }),
  BURN_RATE_TOO_SMALL: (evidence) => ({
    message:
      `The burn-rate breaker of the chain allows ${units(evidence, 'threshold')} to be signed for per ${spanWords(Number(evidence.seconds))}, ` +
      `less than the ${units(evidence, 'amount')} that this operation may take.`,
    hint: 'Raise the breaker, or send the operation with lower gas limits and fees. Waiting does not help.',
  }),
  ...tokenDenials,
  ...webhookDenials,
} as const satisfies Record<string, Row>;

/** Why an operation is not sponsored. */
export type DenialCode = keyof typeof rows;

/** The words for a denial, made from the values that were compared. */
export const explainDenial = (code: DenialCode, evidence: Evidence): Explanation => rows[code](evidence);
