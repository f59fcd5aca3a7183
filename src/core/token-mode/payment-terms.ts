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

/** The token's fields that payment terms depend on. */
export type PaymentToken = Pick<FeeToken, 'address' | 'symbol' | 'decimals' | 'premium' | 'preFund'>;

export interface TokenContract {
  readonly layout: TokenLayout;
  /** Singletons send the tokens there; Biconomy's contract has a receiver of its own. */
  readonly treasury: Address;
}

/** The same contract as one that signs on certain terms. */
export type ChargingContract<Contract> = Omit<Contract, 'layout' | 'treasury'> & {
  readonly layout: PaymasterLayout;
  readonly fundingWallet: undefined;
};

/** How a user pays for one operation in a token: by which contract, in which token and at which price. */
export interface PaymentTerms<
  Contract extends TokenContract = TokenContract,
  Token extends PaymentToken = PaymentToken,
> {
  /** The contract that takes the tokens; it signs these terms. */
  readonly charging: ChargingContract<Contract>;
  /**
   * The same for estimating gas: its price takes nothing, so the user's balance and allowance do not affect the gas.
   * Whether the user can pay is checked afterwards, with reasons of its own.
   */
  readonly estimating: ChargingContract<Contract>;
  /** Estimated gas limits, plus the gas to transfer tokens. */
  readonly withTransfers: <Gas extends GasValues>(gas: Gas) => Gas;
  /** The least limit with which postOp takes the tokens; 0 if their `transferFrom` was not tried. */
  readonly leastPostOpGas: bigint;
  /** The least with which the paymaster's validation takes them; 0 also if it takes no tokens. */
  readonly leastValidationGas: bigint;
  /** Gas that the token's `transferFrom` uses; it is charged for. */
  readonly transferGas: TransferGas;
  /** The same terms with this transfer gas. */
  readonly withTransferGas: (transferGas: TransferGas) => PaymentTerms<Contract, Token>;
  readonly token: Token;
  /** The token's smallest units for 1e18 wei, without the premium. */
  readonly exchangeRate: bigint;
  readonly treasury: Address;
  /** The most the user can be charged for an operation, in the token's smallest units. */
  readonly maxUnits: (op: UserOperation) => bigint;
  /** The least the user is charged for an operation mined at that price (wei), in the token's smallest units. */
  readonly leastUnits: (op: UserOperation, gasPrice: bigint) => bigint;
  /** Taken before the operation runs; undefined if everything is taken afterwards. */
  readonly preFund: (op: UserOperation) => bigint | undefined;
}

/** The additional gas of taking tokens: three slots that change, one of them perhaps for the first time. */
const TAKING_GAS = 30_000n;
/** The same for the prefund, a call that is not even made if nothing is taken. */
const PREFUND_GAS = 60_000n;
const UNTRIED: TransferGas = { prefund: 0n, afterwards: 0n };

/** The terms of paying in a token at its rate (the token's smallest units for 1e18 wei), with its premium. */
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
  // Rounded down: the contract refuses one unit more (PreFundTooHigh). Never takes more than the charge.
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
    // Contracts refuse a rate of 0. At one unit per coin, any operation costs less than one unit.
    estimating: chargingOn({ exchangeRate: 1n, ...(preFunded && { preFund: 0n }) }),
    withTransfers: (gas) => {
      const takingGas = max(PREFUND_GAS, (prefund * 11n) / 10n);
      const least = layout.paymasterGas?.paymasterPostOpGasLimit ?? 0n;
      return { ...gas, ...(preFunded ? withPreFund(gas, takingGas, least) : withTransfer(gas, least)) };
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
 * With gas to take tokens after the operation. v0.6 gives validation and postOp the same limit, each; from v0.7 on the
 * paymaster has its own.
 * @param leastPostOpGas the minimum, whatever a bundler estimated while nothing was taken, or an account caused it to
 * estimate
 */
const withTransfer = (gas: GasValues, leastPostOpGas: bigint): Partial<GasValues> => {
  const { verificationGasLimit, paymasterPostOpGasLimit } = gas;
  if (paymasterPostOpGasLimit === undefined) return { verificationGasLimit: verificationGasLimit + TAKING_GAS };
  return { paymasterPostOpGasLimit: max(paymasterPostOpGasLimit + TAKING_GAS, leastPostOpGas) };
};

/**
 * With gas to take tokens before the operation. Refunding the rest costs no more than refunding nothing: the slots have
 * changed already.
 */
const withPreFund = (gas: GasValues, takingGas: bigint, leastPostOpGas: bigint): Partial<GasValues> => {
  const { verificationGasLimit, paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit } = gas;
  if (paymasterPostOpGasLimit === undefined) return { verificationGasLimit: verificationGasLimit + takingGas };
  return {
    paymasterVerificationGasLimit: paymasterVerificationGasLimit + takingGas,
    paymasterPostOpGasLimit: max(paymasterPostOpGasLimit, leastPostOpGas),
  };
};
