import { max, min } from '../../shared/bigints.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { GasValues } from '../user-operation/gas-values.ts';
import type {
  PaymasterLayout,
  PromiseTerms,
  TokenPrice,
  TokenTerms,
  TokenLayout,
  TransferGas,
} from '../paymaster-layouts/layout.ts';
import { WEI_PER_COIN, leastUnits } from '../paymaster-layouts/token-charge.ts';
import { priceMarkup, rateWithPremium } from './amounts.ts';

/** The fields of a token that payment terms depend on. */
export type PaymentToken = Pick<FeeToken, 'address' | 'symbol' | 'decimals' | 'premium' | 'preFund'>;

export interface TokenContract {
  readonly layout: TokenLayout;
  /** The address to which singletons send the tokens. Biconomy's contract has a setting for this. */
  readonly treasury: Address;
}

/** The same contract, with a layout that signs certain payment terms. */
export type ChargingContract<Contract> = Omit<Contract, 'layout' | 'treasury'> & {
  readonly layout: PaymasterLayout;
  readonly fundingWallet: undefined;
};

/** How a user pays for one operation in a token: the contract, the token and the price. */
export interface PaymentTerms<
  Contract extends TokenContract = TokenContract,
  Token extends PaymentToken = PaymentToken,
> {
  /** The contract that takes the tokens. Its signer signs these terms. */
  readonly charging: ChargingContract<Contract>;
  /**
   * The same contract for estimating gas, at a price that takes no tokens, so that the user's balance and allowance do
   * not affect the estimate. Whether the user can pay is checked later, with its own denial codes.
   */
  readonly estimating: ChargingContract<Contract>;
  /** Adds the gas for taking tokens to estimated gas limits. */
  readonly withTransfers: <Gas extends GasValues>(gas: Gas) => Gas;
  /** The lowest limit with which postOp can take the tokens; 0 if their `transferFrom` was not simulated. */
  readonly leastPostOpGas: bigint;
  /**
   * The lowest limit with which the paymaster's validation can take the tokens; 0 also if validation takes no tokens.
   */
  readonly leastValidationGas: bigint;
  /** Gas used by the token's `transferFrom`, which the user is charged for. */
  readonly transferGas: TransferGas;
  /** The same terms, with this transfer gas. */
  readonly withTransferGas: (transferGas: TransferGas) => PaymentTerms<Contract, Token>;
  readonly token: Token;
  /** Token units (the token's smallest) per 1e18 wei, without the premium. */
  readonly exchangeRate: bigint;
  readonly treasury: Address;
  /** The maximum number of token units that the user can be charged for an operation. */
  readonly maxUnits: (op: UserOperation) => bigint;
  /**
   * The minimum number of token units that the user is charged if the operation is mined at this gas price (in wei).
   */
  readonly leastUnits: (op: UserOperation, gasPrice: bigint) => bigint;
  /** The amount taken before the operation runs; undefined if everything is taken afterwards. */
  readonly preFund: (op: UserOperation) => bigint | undefined;
}

/**
 * Additional gas for taking tokens after the operation: three storage slots change, one of them possibly for the first
 * time.
 */
const TAKING_GAS = 30_000n;
/**
 * Additional gas for taking a prefund. The estimate does not contain this call at all, because the estimate takes no
 * tokens.
 */
const PREFUND_GAS = 60_000n;
const UNTRIED: TransferGas = { prefund: 0n, afterwards: 0n };

/** The terms of paying in a token at its exchange rate (token units per 1e18 wei), plus its premium. */
export const paymentTerms = <Contract extends TokenContract, Token extends PaymentToken>(
  paymaster: Contract,
  token: Token,
  exchangeRate: bigint,
  transferGas = UNTRIED,
): PaymentTerms<Contract, Token> => {
  const { layout, treasury, ...contract } = paymaster;
  const preFundGas = token.preFund ? layout.preFundGas : undefined;
  const preFunded = preFundGas !== undefined;
  const { prefund, afterwards } = transferGas;
  const leastPostOpGas = afterwards === 0n ? 0n : layout.postOpGas(afterwards);
  const leastValidationGas = preFundGas === undefined || prefund === 0n ? 0n : preFundGas(prefund);
  const rate = layout.hasMarkup
    ? { exchangeRate, priceMarkup: Number(priceMarkup(token.premium)) }
    : { exchangeRate: rateWithPremium(exchangeRate, token.premium) };
  const price = (op: UserOperation): TokenPrice => ({ ...layout.chargedGas(op, { preFunded, transferGas }), ...rate });
  const maxUnits = (op: UserOperation): bigint => layout.maxTokenCost(op, price(op));
  const least = (op: UserOperation, gasPrice: bigint): bigint =>
    leastUnits({ price: price(op), gas: layout.leastChargedGas(op, price(op)), gasPrice });
  // Rounded down, because the contract refuses even one unit more (PreFundTooHigh). Never more than the charge.
  const preFund = (op: UserOperation): bigint | undefined =>
    preFunded ? min((layout.reservedCost(op) * rate.exchangeRate) / WEI_PER_COIN, maxUnits(op)) : undefined;
  const chargingOn = (otherwise: Partial<TokenTerms> = {}): ChargingContract<Contract> => {
    const terms = (op: UserOperation, promise: PromiseTerms): TokenTerms => {
      const prefund = preFund(op);
      const paid = { token: token.address, treasury, ...(prefund !== undefined && { preFund: prefund }) };
      return { ...promise, ...price(op), ...paid, ...otherwise };
    };
    const chargingLayout: PaymasterLayout = {
      ...layout,
      hasTanks: false,
      chainReads: [],
      hash: (op, promise) => layout.hash(op, terms(op, promise)),
      getHashCall: (op, promise) => layout.getHashCall(op, terms(op, promise)),
      encode: (op, promise, signature) => layout.encode(op, terms(op, promise), signature),
      reservedCost: (op) => layout.reservedCost(op),
    };
    return { ...contract, layout: chargingLayout, fundingWallet: undefined };
  };
  return {
    charging: chargingOn(),
    // Contracts refuse a rate of 0. At one unit per coin, every operation costs less than one unit.
    estimating: chargingOn({ exchangeRate: 1n, ...(preFunded && { preFund: 0n }) }),
    withTransfers: (gas) => {
      const takingGas = max(PREFUND_GAS, (prefund * 11n) / 10n);
      const least = layout.paymasterGas?.paymasterPostOpGasLimit ?? 0n;
      return { ...gas, ...(preFunded ? withPreFund(gas, takingGas, least) : withTransfer(gas, least, leastPostOpGas)) };
    },
    leastPostOpGas,
    leastValidationGas,
    exchangeRate,
    transferGas,
    withTransferGas: (gas) => paymentTerms(paymaster, token, exchangeRate, gas),
    token,
    treasury,
    maxUnits,
    leastUnits: least,
    preFund,
  };
};

/**
 * Adds gas for taking tokens after the operation. From v0.7 on, postOp has a limit of its own. In v0.6, validation and
 * postOp each get verificationGasLimit: one that leaves postOp enough stays as it was estimated, because clients that
 * drop the limits of the answer send what the same bundler estimates for them.
 * @param usualPostOpGas the minimum, even if a bundler estimated less because nothing was taken or an account
 * manipulated the estimate
 * @param leastPostOpGas as it was simulated; else 0
 */
const withTransfer = (gas: GasValues, usualPostOpGas: bigint, leastPostOpGas: bigint): Partial<GasValues> => {
  const { verificationGasLimit, paymasterPostOpGasLimit } = gas;
  if (paymasterPostOpGasLimit !== undefined)
    return { paymasterPostOpGasLimit: max(paymasterPostOpGasLimit + TAKING_GAS, usualPostOpGas) };
  if (leastPostOpGas === 0n) return { verificationGasLimit: verificationGasLimit + TAKING_GAS };
  return { verificationGasLimit: max(verificationGasLimit, leastPostOpGas + TAKING_GAS) };
};

/**
 * Adds gas for taking tokens before the operation. Refunding a surplus in postOp costs nothing more, because the
 * storage slots have already changed.
 */
const withPreFund = (gas: GasValues, takingGas: bigint, leastPostOpGas: bigint): Partial<GasValues> => {
  const { verificationGasLimit, paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit } = gas;
  if (paymasterPostOpGasLimit === undefined) return { verificationGasLimit: verificationGasLimit + takingGas };
  return {
    paymasterVerificationGasLimit: paymasterVerificationGasLimit + takingGas,
    paymasterPostOpGasLimit: max(paymasterPostOpGasLimit, leastPostOpGas),
  };
};
