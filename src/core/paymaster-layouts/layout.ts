import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation } from '../../shared/schema/user-operation.ts';
import { byteLength, digits } from '../user-operation/hex-digits.ts';
import type { PaymasterGas } from '../user-operation/paymaster-fields.ts';
import type { Misfit, ReadData } from './data-fields.ts';

/** What every paymaster promises besides the operation itself, whoever pays in the end. */
export interface PromiseTerms {
  chainId: number;
  /** The paymaster contract. */
  paymaster: Address;
  /** Unix seconds, up to 48 bits; 0: no expiry. Not held by contracts without a window (1.0.0). */
  validUntil: number;
  /** Unix seconds, up to 48 bits. */
  validAfter: number;
  /** Singletons: false lets only bundlers of the contract's own list send the operation. Default true. */
  allowAllBundlers?: boolean;
  /** Where the sender's code points (EIP-7702); needed by `singleton-0.8-eip7702` for operations that say so. */
  eip7702Delegate?: Address;
}

/** What a sponsorship promises. */
export interface SponsorshipTerms extends PromiseTerms {
  /** Whose tank pays: the id on chain of layouts with tanks, which need it. */
  fundingWallet?: Address;
  /** `senderNonce(op.sender)` of the paymaster at signing; needed where `chainReads` names it. */
  senderNonce?: bigint;
  /** 2.0.0: millionths of the cost that the tank is charged, 1,000,000 (default: at cost) to 2,000,000. */
  priceMarkup?: number;
}

/** Gas that a contract charges for in token mode although the EntryPoint has not counted it by then. */
export interface ChargedGas {
  /** What taking the tokens costs, in gas. */
  postOpGas: bigint;
  /** Singletons of v0.7: what the paymaster's validation may have used, for their guess at the unused-gas penalty. */
  paymasterValidationGasLimit: bigint;
}

/** What a contract charges by. Amounts are in the token's smallest units. */
export interface TokenPrice extends ChargedGas {
  /** Units for 1e18 wei. */
  exchangeRate: bigint;
  /** Biconomy: millionths of the rate that are charged, 1,000,000 (default) to 2,000,000. */
  priceMarkup?: number;
  /** Singletons: added to every charge. */
  constantFee?: bigint;
}

/** What the sender of an operation pays in a token. */
export interface TokenTerms extends PromiseTerms, TokenPrice {
  token: Address;
  /** Biconomy: asks this aggregator for the rate on chain, instead of `exchangeRate`. */
  oracleAggregator?: Address;
  /** Singletons need it: who receives the tokens. Elsewhere it is a setting of the contract. */
  treasury?: Address;
  /** Singletons: taken in validation, settled in postOp; a surplus flows back by the treasury's allowance. */
  preFund?: bigint;
  /** Singletons: receives what is left of the operation's maximum cost after the charge. */
  recipient?: Address;
}

/** The terms that are read from the paymaster contract just before signing. */
export type ChainRead = 'senderNonce';

/** The contracts whose code comes with a package, by the names of their artifacts. */
export type DeployableContract =
  | 'VerifyingPaymaster'
  | 'VerifyingPaymaster-0.7'
  | 'VerifyingSingletonPaymaster'
  | 'SingletonPaymasterV6'
  | 'SingletonPaymasterV7'
  | 'SingletonPaymasterV8';

/** How a contract whose code comes with a package is deployed. */
export interface Deployment {
  readonly artifact: DeployableContract;
  constructorArguments(wiring: {
    owner: Address;
    entryPoint: Address;
    signer: Address;
  }): readonly (Address | readonly Address[])[];
}

/**
 * `paymasterAndData` of one contract in one of its modes, and what its signer signs. The operation's own paymaster,
 * paymaster data and `signature` are never read: a layout puts its own in their place. Functions throw when the
 * operation is one of another EntryPoint generation, when the layout needs a term that is not there, or when a value
 * does not fit its field.
 */
export interface ModeLayout<Terms> {
  /** From v0.7 on: enough for the contract; what an operation that has no limits of its own gets. */
  readonly paymasterGas?: PaymasterGas;
  /** What the contract's `getHash` returns for the finished operation; the signer signs its EIP-191 digest. */
  hash(op: UserOperation, terms: Terms): Hex;
  /** Calldata that asks the contract itself for `hash`. */
  getHashCall(op: UserOperation, terms: Terms): Hex;
  /** The final `paymasterAndData` (packed from v0.7 on), with the signer's 65-byte signature. */
  encode(op: UserOperation, terms: Terms, signature: Hex): Hex;
  /** Takes a final `paymasterAndData` apart. Never throws: what is none of this mode's is a misfit, which says why. */
  read(paymasterAndData: Hex): ReadData<Terms> | Misfit;
  /** Wei to reserve: the EntryPoint's maximum for the finished operation and what the contract takes on top. */
  reservedCost(op: UserOperation, terms?: Partial<Terms>): bigint;
}

/** A paymaster contract and one of its modes. */
export interface ContractLayout<Terms> extends ModeLayout<Terms> {
  /** The key under which it is attached to a chain; for sponsorship also the one by which DApps choose it (behaviour 3.2). */
  readonly version: string;
  /** The contract's name for people. */
  readonly title: string;
  readonly entryPointVersion: EntryPointVersion;
  /** The getter that tells whose signatures it accepts: one address, or whether an address is one of them. */
  readonly signerGetter: 'verifyingSigner' | 'signers';
  /**
   * The owner's function that puts another signer in the place of the one there is; absent where the only signer is
   * fixed for good, and where there are several (`addSigner`, `removeSigner`).
   */
  readonly signerSetter?: 'setSigner' | 'setVerifyingSigner';
  /** Absent where the contract's code comes with no package: it can be attached, not deployed. */
  readonly deployment?: Deployment;
}

/** What a token's `transferFrom` uses, in gas; 0 where it was not tried. */
export interface TransferGas {
  /** In validation. */
  readonly prefund: bigint;
  /** In postOp. */
  readonly afterwards: bigint;
}

/** What the gas that is charged depends on, besides the operation. */
export interface ChargeOptions {
  /** True: the maximum is taken up front. */
  readonly preFunded?: boolean;
  /** Where it was not tried: that of a plain ERC-20. */
  readonly transferGas?: TransferGas;
}

/** Token mode of a contract. */
export interface TokenLayout extends ContractLayout<TokenTerms> {
  /** True: a premium is a term of its own, `priceMarkup`. False: it is part of the rate. */
  readonly hasMarkup: boolean;
  /** What the terms of an operation say, so that the charge covers what the EntryPoint takes from the paymaster. */
  chargedGas(op: UserOperation, options?: ChargeOptions): ChargedGas;
  /** The least limit with which postOp takes tokens whose `transferFrom` uses so much gas. */
  postOpGas(transferGas: bigint): bigint;
  /** The same of the paymaster's validation; absent where the contract cannot take the maximum up front (`preFund`). */
  readonly preFundGas?: (transferGas: bigint) => bigint;
  /** The most units the contract can take from the sender, rounded as the contract rounds. Without an oracle. */
  maxTokenCost(op: UserOperation, price: TokenPrice): bigint;
  /** The gas for which the contract charges whatever the operation uses: what that costs is the least it can take. */
  leastChargedGas(op: UserOperation, charged: ChargedGas): bigint;
}

/** A contract that sponsors, and whose version DApps choose. */
export interface PaymasterLayout extends ContractLayout<SponsorshipTerms> {
  /** True: the contract keeps a balance per funding wallet. False: the EntryPoint deposit pays. */
  readonly hasTanks: boolean;
  /**
   * Wei that a tank has paid for a mined operation, of which the contract said that it deducted so much; undefined where
   * that depends on the operation, and it is not known. Absent where the contract has no tanks.
   */
  readonly tankCharge?: (deductedWei: bigint, op: () => UserOperation | undefined) => bigint | undefined;
  /** True: the contract knows no validity window. What is signed for it can be mined for as long as its nonce is unused. */
  readonly neverExpires?: boolean;
  /** True: a withdrawal is asked for first, and carried out by a second transaction after a delay. */
  readonly delayedWithdrawal?: boolean;
  readonly chainReads: readonly ChainRead[];
  /** How users pay in a token: by the same contract or, if its `version` differs, by another one, attached as that. */
  readonly token?: TokenLayout;
}

/** What can be attached to a chain. */
export type AttachableLayout = PaymasterLayout | TokenLayout;

/** Whose signatures a contract accepts: `many` keys at a time, `one` that can be replaced, or one `fixed` for good. */
export type SignerKind = 'many' | 'one' | 'fixed';

/** What the functions of a contract make of its signers. */
export const signerKind = ({
  signerGetter,
  signerSetter,
}: Pick<AttachableLayout, 'signerGetter' | 'signerSetter'>): SignerKind => {
  if (signerGetter === 'signers') return 'many';
  return signerSetter === undefined ? 'fixed' : 'one';
};

/** A signature of the right length that no key has made, and that recovers to some address. */
export const STUB_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

/** `paymasterAndData` with all but the signature final: for estimates, and for `getHash`. */
export const stubPaymasterAndData = <Terms>(
  layout: Pick<ModeLayout<Terms>, 'encode'>,
  op: UserOperation,
  terms: Terms,
): Hex => layout.encode(op, terms, STUB_SIGNATURE);

/** The digits of a signature of 65 bytes, the length every layout has room for. Throws RangeError on any other. */
export function signatureDigits(signature: Hex): string {
  if (byteLength(signature) !== 65) throw new RangeError(`a signature has 65 bytes, not ${byteLength(signature)}`);
  return digits(signature);
}

/** A term the layout cannot do without. Throws if it is missing. */
export function neededTerm<Terms, Key extends keyof Terms & string>(terms: Terms, key: Key): NonNullable<Terms[Key]> {
  const value = terms[key];
  if (value === undefined || value === null) throw new Error(`this paymaster layout needs the term ${key}`);
  return value;
}
