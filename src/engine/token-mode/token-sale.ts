import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { TokenRate } from '../chain/rates/rate.ts';
import type { PaymasterLayout, PromiseTerms, TokenPrice, TokenTerms } from '../paymaster/layout.ts';
import type { ReadyPaymaster, ReadyTokenPaymaster } from '../paymaster/readiness.ts';
import { WEI_PER_COIN } from '../paymaster/token-charge.ts';
import { priceMarkup, rateWithPremium } from './amounts.ts';

/** A user who pays in a token, by whom and at which price. */
export interface TokenSale {
  /** The contract that takes the tokens; what it signs is on the terms of this sale. */
  readonly ready: ReadyPaymaster;
  readonly token: FeeToken;
  readonly treasury: Address;
  /** The most the user can be charged for an operation, in the token's smallest units. */
  readonly maxUnits: (op: UserOperation) => bigint;
  /** What is taken before the operation runs; undefined where all is taken afterwards. */
  readonly preFund: (op: UserOperation) => bigint | undefined;
}

/** A sale in a token at its rate, with its premium. */
export const tokenSale = (
  { layout, treasury, ...contract }: ReadyTokenPaymaster,
  token: FeeToken,
  { exchangeRate }: TokenRate,
): TokenSale => {
  const preFunded = layout.takesPreFund && token.preFund;
  const rate = layout.hasMarkup
    ? { exchangeRate, priceMarkup: Number(priceMarkup(token.premium)) }
    : { exchangeRate: rateWithPremium(exchangeRate, token.premium) };
  const price = (op: UserOperation): TokenPrice => ({ ...layout.chargedGas(op, { preFunded }), ...rate });
  // Rounded down: one unit more and the contract refuses it (PreFundTooHigh).
  const preFund = (op: UserOperation): bigint | undefined =>
    preFunded ? (layout.reservedCost(op) * rate.exchangeRate) / WEI_PER_COIN : undefined;
  const terms = (op: UserOperation, promise: PromiseTerms): TokenTerms => {
    const upFront = preFund(op);
    const paid = { token: token.address, treasury, ...(upFront !== undefined && { preFund: upFront }) };
    return { ...promise, ...price(op), ...paid };
  };
  const selling: PaymasterLayout = {
    ...layout,
    hasTanks: false,
    chainReads: [],
    hash: (op, promise) => layout.hash(op, terms(op, promise)),
    getHashCall: (op, promise) => layout.getHashCall(op, terms(op, promise)),
    encode: (op, promise, signature) => layout.encode(op, terms(op, promise), signature),
    reservedCost: (op) => layout.reservedCost(op),
  };
  return {
    ready: { ...contract, layout: selling, fundingWallet: undefined },
    token,
    treasury,
    maxUnits: (op) => layout.maxTokenCost(op, price(op)),
    preFund,
  };
};
