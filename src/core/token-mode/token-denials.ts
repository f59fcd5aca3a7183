import { unitsToDecimal } from '../../shared/schema/decimal.ts';

/** The evidence of a token check, by name. */
type Values = Readonly<Record<string, unknown>>;

type Row = (evidence: Values) => { readonly message: string; readonly hint: string };

/** `2.5 USDC (2500000 units)`: whole tokens for people, and units for use in a call. */
const amount = (evidence: Values, key: 'needed' | 'held' | 'before' | 'missing' | 'reserved'): string =>
  inUnits(evidence, BigInt(String(evidence[`${key}Units`])));

const inUnits = (evidence: Values, units: bigint): string => {
  const whole = unitsToDecimal(units, Number(evidence['decimals']));
  return `${whole} ${String(evidence['symbol'])} (${units} ${units === 1n ? 'unit' : 'units'})`;
};

const besides = (evidence: Values): string =>
  evidence['reservedUnits'] === '0'
    ? ''
    : ` besides the ${amount(evidence, 'reserved')} reserved for operations not yet mined`;

/** The balance that can be used for payment: the balance minus what the operation's own calls send away first. */
const spendable = (evidence: Values): string => {
  if (evidence['beforeUnits'] === undefined) return `${amount(evidence, 'held')} to pay with${besides(evidence)}`;
  const left = evidence['heldUnits'] === '0' ? 'nothing' : amount(evidence, 'held');
  return `${amount(evidence, 'before')}${besides(evidence)}; after the calls of this operation ${left} is left to pay with`;
};

/** The units to state: `prefundUnits` must be available before the operation runs, `afterUnits` afterwards. */
const unitsOf = (
  key: 'neededUnits' | 'missingUnits' | 'reservedUnits' | 'prefundUnits' | 'afterUnits',
  { [key]: units = '0' }: Values,
): bigint => BigInt(String(units));

/**
 * The required approval. It must also cover reserved operations, because it replaces the approval that they rely on.
 */
const approval = (evidence: Values): string =>
  inUnits(
    evidence,
    unitsOf('neededUnits', evidence) +
      unitsOf('reservedUnits', evidence) +
      unitsOf('prefundUnits', evidence) +
      unitsOf('afterUnits', evidence),
  );

/** Explains why a user cannot pay in the chosen token. Part of the table in denials.ts. */
export const tokenDenials = {
  TOKEN_ALLOWANCE_SHORT: (evidence) => ({
    message:
      `The paymaster ${String(evidence['spender'])} may take ${amount(evidence, 'held')} from ${String(evidence['sender'])}${besides(evidence)}, ` +
      `but this operation may cost ${amount(evidence, 'needed')}: ${amount(evidence, 'missing')} is missing.`,
    hint:
      `Approve ${String(evidence['spender'])} for at least ${approval(evidence)} on the token ${String(evidence['token'])}, ` +
      (evidence['prefund'] === true
        ? 'before this operation: the fee is taken before its batch runs.'
        : 'in the batch of this operation or before it.'),
  }),
  TOKEN_BALANCE_SHORT: (evidence) => ({
    message:
      `The account ${String(evidence['sender'])} has ${spendable(evidence)}, ` +
      `but this operation may cost ${amount(evidence, 'needed')}: ${amount(evidence, 'missing')} is missing.`,
    hint: `Send at least ${inUnits(evidence, unitsOf('missingUnits', evidence) + unitsOf('afterUnits', evidence))} to ${String(evidence['sender'])}, or pay in another token.`,
  }),
  TOKEN_CALL_OUT_OF_GAS: ({ symbol, sender, callGasLimit, callGasUsed }) => ({
    message: `The calls of ${String(sender)} run out of gas, so the paymaster cannot take ${String(symbol)}: callGasLimit is ${String(callGasLimit)}, and with enough they used ${String(callGasUsed)} gas, besides what every call holds back (EIP-150).`,
    hint: `Estimate callGasLimit for exactly the calls you send, including an approval, or raise callGasLimit well above ${String(callGasUsed)}.`,
  }),
  TOKEN_CALLS_REVERT: ({ symbol, sender, spender }) => ({
    message: `In a simulation, the calls of ${String(sender)} revert or its deployment fails, so the operation does not approve ${String(spender)} for ${String(symbol)}.`,
    hint: "Correct the call or the deployment that fails: a bundler's eth_estimateUserOperationGas for the operation without a paymaster says why.",
  }),
  TOKEN_TRANSFER_REFUSED: ({ symbol, token, sender }) => ({
    message: `The contract ${String(token)} of the fee token ${String(symbol)} does not hand over all tokens that ${String(sender)} would pay.`,
    hint: 'Pay in another token: this one blocks the account, its transfers are paused, or it keeps a part of each transfer.',
  }),
  TOKEN_TOO_COARSE: ({ symbol, token, gasPriceWei }) => ({
    message: `The operation can be mined at ${String(gasPriceWei)} wei per gas, where it may cost less than the smallest unit of the fee token ${String(symbol)} (${String(token)}): nothing would be charged.`,
    hint: 'Pay in a token with more decimals, or of lower value.',
  }),
  TOKEN_UNREADABLE: ({ symbol, token }) => ({
    message: `The contract ${String(token)} of the fee token ${String(symbol)} returns neither a balance nor an allowance.`,
    hint: 'Pay in another token. The operator should check the address of this one.',
  }),
} as const satisfies Record<string, Row>;
