import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { TokenRate } from '../chain/rates/rate.ts';
import { priceMarkup, rateWithPremium, tokenCost } from './amounts.ts';
import { PAYMASTER_VALIDATION_GAS, POST_OP_GAS, mostChargedWei, requiredPreFund } from './charge.ts';
import type { TokenContract } from './token-contract.ts';

interface CommonTerms {
  readonly token: Address;
  /** Smallest units for 1e18 wei, as the contract is told. */
  readonly exchangeRate: bigint;
  /** The most the user can be charged, in smallest units: what has to be approved and held. */
  readonly maxUnits: bigint;
}

/** What a paymaster signs about a payment in tokens, besides validity; field names as in test/vectors. */
export type TokenTerms =
  | (CommonTerms & {
      /** Pimlico's singletons: the exchange rate includes the premium. */
      readonly layout: 'singleton';
      /** The layout's `paymasterPostOpGasLimit` must be at least this, where there is one. */
      readonly postOpGas: bigint;
      readonly paymasterValidationGasLimit: bigint;
      readonly treasury: Address;
      /** Units taken from the user before the operation runs; absent: all is taken after. */
      readonly preFund?: bigint;
    })
  | (CommonTerms & {
      /** Biconomy's token paymaster (rate from the data, price source 0): the premium is the markup. It has no preFund. */
      readonly layout: 'biconomy-token';
      /** uint32, 1,000,000 is no premium. */
      readonly priceMarkup: bigint;
    });

/** What is charged for an operation, by whom, in which token at which price. */
export interface TokenSale {
  readonly contract: TokenContract;
  /** With final gas and fees, the paymaster's own two gas limits included where the EntryPoint has them. */
  readonly op: UserOperation;
  readonly token: FeeToken;
  readonly rate: TokenRate;
}

/** The terms on which a user pays for an operation in a token. */
export const tokenTerms = ({ contract, op, token, rate }: TokenSale): TokenTerms => {
  const wei = mostChargedWei(contract, op);
  if (contract.kind === 'biconomy-token-0.6') {
    const { exchangeRate } = rate;
    const markup = priceMarkup(token.premium);
    const maxUnits = tokenCost(wei, exchangeRate, markup);
    return { layout: 'biconomy-token', token: token.address, exchangeRate, priceMarkup: markup, maxUnits };
  }
  const exchangeRate = rateWithPremium(rate.exchangeRate, token.premium);
  return {
    layout: 'singleton',
    token: token.address,
    exchangeRate,
    maxUnits: tokenCost(wei, exchangeRate),
    postOpGas: POST_OP_GAS,
    paymasterValidationGasLimit: PAYMASTER_VALIDATION_GAS,
    treasury: contract.treasury,
    // Rounded down: one unit more and the contract refuses it (PreFundTooHigh).
    ...(token.preFund && { preFund: (requiredPreFund(op, contract) * exchangeRate) / 10n ** 18n }),
  };
};
