import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { UserOperationV07 } from '../../src/shared/schema/user-operation.ts';
import type { Draw } from '../support/draw.ts';

/** The fee token, in which users of some DApps pay, its feeds in USD, and who gets the fees. */
export const TOKEN: Address = `0x${'e2'.repeat(20)}`;
export const FEEDS = { native: `0x${'f1'.repeat(20)}`, token: `0x${'f2'.repeat(20)}` } as const;
export const TREASURY: Address = `0x${'e9'.repeat(20)}`;
export const TOKEN_DECIMALS = 6;
/** The smallest units of one whole token. */
export const ONE_TOKEN = 10n ** BigInt(TOKEN_DECIMALS);
export const FEED_DECIMALS = 8;
export const PREMIUM_PERCENT = 13n;
/** After this, an answer of a feed is too old, s. */
export const MAX_AGE_S = 90_000;
/** How long a price may be used after it was read, ms. */
export const PRICE_KEPT_MS = 10_000;

const ONE_COIN = 10n ** 18n;
/** `uint256` at its most: an approval that is not used up. */
export const WITHOUT_END = 2n ** 256n - 1n;

/** US dollars for a native coin and for a token, with the decimals of the feeds. */
export type Prices = Readonly<Record<keyof typeof FEEDS, bigint>>;

/** A price that a feed has answered. */
export interface ShownPrice {
  readonly of: keyof Prices;
  readonly price: bigint;
  /** In time without the machine's sleep, ms. */
  readonly at: number;
}

export const FIRST_PRICES: Prices = { native: 3_000n * 10n ** 8n, token: 10n ** 8n };

/** Something else than an operation changes the tokens of an account. */
export interface TokenChange {
  readonly account: Address;
  /** What it gets, or loses at most, in smallest units. */
  readonly units: bigint;
  /** What the paymaster contract may take from then on, in smallest units; undefined: as before. */
  readonly allowance?: bigint | undefined;
}

/** What a signature says of a payment in tokens. Amounts are in smallest units. */
export interface TokenPayment {
  /** For 1e18 wei. */
  readonly rate: bigint;
  readonly postOpGas: bigint;
  readonly validationGas: bigint;
  /** What is taken before the operation runs. */
  readonly prefund: bigint;
  readonly treasury: Hex;
}

/** The payment in the data of a SingletonPaymasterV7: read here again. Undefined if the operation is sponsored. */
export const paymentIn = (paymasterAndData: Hex): TokenPayment | undefined => {
  const data = paymasterAndData.slice(2 + 2 * 52);
  const bytes = (from: number, length: number): Hex => `0x${data.slice(2 * from, 2 * (from + length))}`;
  if (Number(bytes(0, 1)) >> 1 !== 1) return undefined;
  const hasPrefund = (Number(bytes(1, 1)) & 4) !== 0;
  return {
    postOpGas: BigInt(bytes(34, 16)),
    rate: BigInt(bytes(50, 32)),
    validationGas: BigInt(bytes(82, 16)),
    treasury: bytes(98, 20),
    prefund: hasPrefund ? BigInt(bytes(118, 16)) : 0n,
  };
};

/** What the contract charges for gas at a price in wei. */
export const unitsOf = ({ rate, postOpGas }: TokenPayment, gas: bigint, price: bigint): bigint =>
  ((gas + postOpGas) * price * rate) / ONE_COIN;

/** The least that wei are worth at these prices, premium included, in smallest units; rounded down. */
export const worthOf = (wei: bigint, { native, token }: Prices): bigint =>
  (wei * native * ONE_TOKEN * (100n + PREMIUM_PERCENT)) / (ONE_COIN * token * 100n);

/** Whether a rate is at least what these prices are worth with the premium, without rounding. */
export const isRateEnough = (rate: bigint, { native, token }: Prices): boolean =>
  rate * token * 100n >= native * ONE_TOKEN * (100n + PREMIUM_PERCENT);

/** Gas of the token's `transferFrom`: the first one of an operation, and one after it. */
export interface TransferGas {
  readonly first: bigint;
  readonly second: bigint;
}

export const drawTransferGas = (draw: Draw): TransferGas => ({
  first: BigInt(draw.pick([32_000, 70_000])),
  second: BigInt(draw.pick([2_000, 20_000])),
});

/** The contract's own gas, and the EntryPoint's around postOp, as measured with the real ones. */
const VALIDATION_GAS = 25_000n;
const POST_OP_GAS = 11_000n;
/** A storage slot that changes and is cold (EIP-2929): the treasury's allowance, from which a surplus is returned. */
const COLD_CHANGE_GAS = 5_000n;
const PENALTY_PERCENT = 10n;

/** What a mined operation uses, and what its contract charges: by EntryPoint v0.7 and SingletonPaymasterV7. */
export const useOf = (
  op: UserOperationV07,
  payment: TokenPayment,
  { first, second }: TransferGas,
  draw: Draw,
): { readonly gasUsed: bigint; readonly units: bigint } => {
  const part = (limit: bigint): bigint => (limit * BigInt(draw.between(20, 100))) / 100n;
  const { preVerificationGas, verificationGasLimit, callGasLimit, paymasterPostOpGasLimit = 0n } = op;
  const isPrefunded = payment.prefund > 0n;
  const call = part(callGasLimit);
  const validation = part(verificationGasLimit) + VALIDATION_GAS + (isPrefunded ? first : 0n);
  const before = preVerificationGas + validation + call;
  const postOp = POST_OP_GAS + (isPrefunded ? second + COLD_CHANGE_GAS : first);
  const penaltyOf = (used: bigint): bigint => {
    const unused = callGasLimit + paymasterPostOpGasLimit - used;
    return unused > 0n ? (unused * PENALTY_PERCENT) / 100n : 0n;
  };
  // The contract knows only the most that validation may have used.
  const executed = before + payment.postOpGas - preVerificationGas - verificationGasLimit - payment.validationGas;
  const charged = before + penaltyOf(executed > 0n ? executed : 0n);
  return { gasUsed: before + postOp + penaltyOf(call + postOp), units: unitsOf(payment, charged, op.maxFeePerGas) };
};
