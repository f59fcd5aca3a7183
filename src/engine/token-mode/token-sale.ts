import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { GasValues } from '../chain/gas/gas-request.ts';
import type { TokenRate } from '../chain/rates/rate.ts';
import type { PaymasterLayout, PromiseTerms, TokenPrice, TokenTerms, TransferGas } from '../paymaster/layout.ts';
import type { ReadyPaymaster, ReadyTokenPaymaster } from '../paymaster/readiness.ts';
import { WEI_PER_COIN } from '../paymaster/token-charge.ts';
import { priceMarkup, rateWithPremium } from './amounts.ts';

/** A user who pays in a token, by whom and at which price. */
export interface TokenSale {
  /** The contract that takes the tokens; what it signs is on the terms of this sale. */
  readonly ready: ReadyPaymaster;
  /**
   * The same to estimate gas with: at its price nothing is taken, so that it makes no difference to the gas what the
   * user has and has approved. Whether he can pay is looked at afterwards, and has reasons of its own.
   */
  readonly estimating: ReadyPaymaster;
  /** Gas limits that were estimated, with what it takes to move tokens. */
  readonly withTransfers: <Gas extends GasValues>(gas: Gas) => Gas;
  /** The least limit with which postOp takes the tokens; 0 where their `transferFrom` was not tried. */
  readonly leastPostOpGas: bigint;
  /** The least with which the paymaster's validation takes them; 0 where it takes none, too. */
  readonly leastValidationGas: bigint;
  /** The same sale, now that it is known what the token's `transferFrom` uses: that is charged for. */
  readonly withTransferGas: (transferGas: TransferGas) => TokenSale;
  readonly token: FeeToken;
  readonly treasury: Address;
  /** The most the user can be charged for an operation, in the token's smallest units. */
  readonly maxUnits: (op: UserOperation) => bigint;
  /** What is taken before the operation runs; undefined where all is taken afterwards. */
  readonly preFund: (op: UserOperation) => bigint | undefined;
}

/** What taking tokens costs beyond taking none: three slots that change, one of them perhaps for the first time. */
const TAKING_GAS = 30_000n;
/** Taking them up front, which is a call that is not even made where there is nothing to take. */
const TAKING_UP_FRONT_GAS = 60_000n;
const UNTRIED: TransferGas = { upFront: 0n, afterwards: 0n };

/** A sale in a token at its rate, with its premium. */
export const tokenSale = (
  paymaster: ReadyTokenPaymaster,
  token: FeeToken,
  tokenRate: TokenRate,
  transferGas = UNTRIED,
): TokenSale => {
  const { layout, treasury, ...contract } = paymaster;
  const { exchangeRate } = tokenRate;
  const preFundGas = token.preFund ? layout.preFundGas : undefined;
  const preFunded = preFundGas !== undefined;
  const { upFront, afterwards } = transferGas;
  const leastPostOpGas = afterwards === 0n ? 0n : layout.postOpGas(afterwards);
  const leastValidationGas = preFundGas === undefined || upFront === 0n ? 0n : preFundGas(upFront);
  const rate = layout.hasMarkup
    ? { exchangeRate, priceMarkup: Number(priceMarkup(token.premium)) }
    : { exchangeRate: rateWithPremium(exchangeRate, token.premium) };
  const price = (op: UserOperation): TokenPrice => ({ ...layout.chargedGas(op, { preFunded, transferGas }), ...rate });
  // Rounded down: one unit more and the contract refuses it (PreFundTooHigh).
  const preFund = (op: UserOperation): bigint | undefined =>
    preFunded ? (layout.reservedCost(op) * rate.exchangeRate) / WEI_PER_COIN : undefined;
  const selling = (otherwise: Partial<TokenTerms> = {}): ReadyPaymaster => {
    const terms = (op: UserOperation, promise: PromiseTerms): TokenTerms => {
      const upFront = preFund(op);
      const paid = { token: token.address, treasury, ...(upFront !== undefined && { preFund: upFront }) };
      return { ...promise, ...price(op), ...paid, ...otherwise };
    };
    const sellingLayout: PaymasterLayout = {
      ...layout,
      hasTanks: false,
      chainReads: [],
      hash: (op, promise) => layout.hash(op, terms(op, promise)),
      getHashCall: (op, promise) => layout.getHashCall(op, terms(op, promise)),
      encode: (op, promise, signature) => layout.encode(op, terms(op, promise), signature),
      reservedCost: (op) => layout.reservedCost(op),
    };
    return { ...contract, layout: sellingLayout, fundingWallet: undefined };
  };
  return {
    ready: selling(),
    // Contracts refuse a rate of 0. A unit per coin is less than one for any operation.
    estimating: selling({ exchangeRate: 1n, ...(preFunded && { preFund: 0n }) }),
    withTransfers: (gas) => {
      const takingGas = max(TAKING_UP_FRONT_GAS, (upFront * 11n) / 10n);
      const least = layout.paymasterGas?.paymasterPostOpGasLimit ?? 0n;
      return { ...gas, ...(preFunded ? withPreFund(gas, takingGas, least) : withTransfer(gas, least)) };
    },
    leastPostOpGas,
    leastValidationGas,
    withTransferGas: (gas) => tokenSale(paymaster, token, tokenRate, gas),
    token,
    treasury,
    maxUnits: (op) => layout.maxTokenCost(op, price(op)),
    preFund,
  };
};

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/**
 * With gas to take tokens after the operation. v0.6 gives validation and postOp the same limit, each; from v0.7 on the
 * paymaster has its own.
 *
 * @param leastPostOpGas whatever a bundler found out where nothing was taken, or an account made it find out
 */
const withTransfer = (gas: GasValues, leastPostOpGas: bigint): Partial<GasValues> => {
  const { verificationGasLimit, paymasterPostOpGasLimit } = gas;
  if (paymasterPostOpGasLimit === undefined) return { verificationGasLimit: verificationGasLimit + TAKING_GAS };
  return { paymasterPostOpGasLimit: max(paymasterPostOpGasLimit + TAKING_GAS, leastPostOpGas) };
};

/**
 * With gas to take tokens before the operation. Giving back what is left of them costs no more than giving back none:
 * their slots have changed already.
 */
const withPreFund = (gas: GasValues, takingGas: bigint, leastPostOpGas: bigint): Partial<GasValues> => {
  const { verificationGasLimit, paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit } = gas;
  if (paymasterPostOpGasLimit === undefined) return { verificationGasLimit: verificationGasLimit + takingGas };
  return {
    paymasterVerificationGasLimit: paymasterVerificationGasLimit + takingGas,
    paymasterPostOpGasLimit: max(paymasterPostOpGasLimit, leastPostOpGas),
  };
};
