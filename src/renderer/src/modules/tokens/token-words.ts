import { decimalToUnits, positiveDecimal, unitsToDecimal } from '../../../../shared/schema/decimal.ts';
import type { FeeToken } from '../../../../shared/schema/fee-token.ts';
import { shownDecimal } from '../../../../shared/words/amount.ts';

/** The cost of the operation for which a price is shown, in the native coin. */
const SAMPLE_COST = '0.001';
const SAMPLES_PER_COIN = 1000n;
/** A percentage has at most four decimals. */
const PERCENT_DECIMALS = 4;
const WHOLE = 1_000_000n;

/**
 * What a user pays for an operation, as a sentence; undefined if the rate or the premium is no number. The premium is
 * in percent, the rate in whole tokens per native coin; both are decimal digits.
 */
export const priceSentence = (
  { symbol, decimals, premium }: Pick<FeeToken, 'symbol' | 'decimals' | 'premium'>,
  tokensPerCoin: string,
  coin: string,
): string | undefined => {
  const rate = positiveDecimal(tokensPerCoin.trim());
  if (rate === undefined || !/^\d+(\.\d{1,4})?$/.test(premium)) return undefined;
  if ((rate.split('.')[1] ?? '').length > decimals) return undefined;
  const markup = WHOLE + decimalToUnits(premium, PERCENT_DECIMALS);
  const units = decimalToUnits(rate, decimals) * markup;
  const divisor = SAMPLES_PER_COIN * WHOLE;
  const charged = unitsToDecimal((units + divisor - 1n) / divisor, decimals);
  return `A user pays about ${shownDecimal(charged)} ${symbol} for an operation that costs ${SAMPLE_COST} ${coin}.`;
};

export const sourceWords = ({ rate }: Pick<FeeToken, 'rate'>): string =>
  rate.source === 'static' ? 'Rate set by you' : 'Rate from Chainlink';

export const chargeSentence = ({ preFund }: Pick<FeeToken, 'preFund'>): string =>
  preFund
    ? 'Contracts of versions singleton-… take the maximum before the operation runs and return the rest. So the user and the treasury of the chain must have approved the contract; set a wallet of yours as the treasury with "gasdesk chain set CHAIN --treasury 0x…".'
    : 'The user is charged after the operation runs, for its actual cost. An account that moves its tokens away makes you pay.';
