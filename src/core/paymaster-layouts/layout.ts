import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation } from '../../shared/schema/user-operation.ts';
import { byteLength, digits } from '../user-operation/hex-digits.ts';
import type { PaymasterGas } from '../user-operation/paymaster-fields.ts';
import type { Misfit, ReadData } from './data-fields.ts';

/** Terms of every paymaster besides the operation itself, whether it sponsors or takes tokens. */
export interface PromiseTerms {
  chainId: number;
  paymaster: Address;
  /** Unix seconds, up to 48 bits; 0: no expiry. Absent in contracts without a window (1.0.0). */
  validUntil: number;
  /** Unix seconds, up to 48 bits. */
  validAfter: number;
  /** Singletons: false lets only bundlers on the contract's own list send the operation. Default true. */
  allowAllBundlers?: boolean;
  /**
   * The target of the sender's delegation (EIP-7702); `singleton-0.8-eip7702` needs it for operations that name
   * EIP-7702.
   */
  eip7702Delegate?: Address;
}

export interface SponsorshipTerms extends PromiseTerms {
  /** The tank that pays: its id on chain. Layouts with tanks need it. */
  fundingWallet?: Address;
  /** `senderNonce(op.sender)` of the paymaster at signing; needed if `chainReads` names it. */
  senderNonce?: bigint;
  /** 2.0.0: millionths of the cost that the tank is charged, 1,000,000 (default: at cost) to 2,000,000. */
  priceMarkup?: number;
}

/** Gas that a contract charges for in token mode although the EntryPoint has not counted it by then. */
export interface ChargedGas {
  /** Gas of taking the tokens. */
  postOpGas: bigint;
  /**
   * Singletons of v0.7: the most that the paymaster's validation may have used, for their estimate of the unused-gas
   * penalty.
   */
  paymasterValidationGasLimit: bigint;
}

/** What a token-mode contract charges. Amounts are in the token's smallest units. */
export interface TokenPrice extends ChargedGas {
  /** Units for 1e18 wei. */
  exchangeRate: bigint;
  /** Biconomy: millionths of the rate that are charged, 1,000,000 (default) to 2,000,000. */
  priceMarkup?: number;
  /** Singletons: added to every charge. */
  constantFee?: bigint;
}

export interface TokenTerms extends PromiseTerms, TokenPrice {
  token: Address;
  /** Biconomy: asks this aggregator for the rate on chain, instead of `exchangeRate`. */
  oracleAggregator?: Address;
  /** Singletons need it: the receiver of the tokens. Elsewhere it is a setting of the contract. */
  treasury?: Address;
  /** Singletons: taken in validation, settled in postOp; the treasury's allowance pays a surplus back. */
  preFund?: bigint;
  /** Singletons: receives the rest of the operation's maximum cost after the charge. */
  recipient?: Address;
}

/** Terms that are read from the paymaster contract just before signing. */
export type ChainRead = 'senderNonce';

/** The contracts whose code comes with a package, by the names of their artifacts. */
export type DeployableContract =
  | 'VerifyingPaymaster'
  | 'VerifyingPaymaster-0.7'
  | 'VerifyingSingletonPaymaster'
  | 'SingletonPaymasterV6'
  | 'SingletonPaymasterV7'
  | 'SingletonPaymasterV8';

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
 * paymaster data and `signature` are never read: a layout replaces them. Functions throw if the operation is of another
 * EntryPoint generation, if a term is missing, or if a value does not fit its field.
 */
export interface ModeLayout<Terms> {
  /** From v0.7 on: limits that suffice for the contract; an operation without limits of its own gets them. */
  readonly paymasterGas?: PaymasterGas;
  /** What the contract's `getHash` returns for the finished operation; the signer signs its EIP-191 digest. */
  hash(op: UserOperation, terms: Terms): Hex;
  /** Calldata that asks the contract itself for `hash`. */
  getHashCall(op: UserOperation, terms: Terms): Hex;
  /** The final `paymasterAndData` (packed from v0.7 on), with the signer's 65-byte signature. */
  encode(op: UserOperation, terms: Terms, signature: Hex): Hex;
  /** Takes a final `paymasterAndData` apart. Never throws: data of another mode is a misfit, which says why. */
  read(paymasterAndData: Hex): ReadData<Terms> | Misfit;
  /** Wei to reserve: the EntryPoint's maximum for the finished operation and what the contract takes on top. */
  reservedCost(op: UserOperation, terms?: Partial<Terms>): bigint;
}

/** A paymaster contract and one of its modes. */
export interface ContractLayout<Terms> extends ModeLayout<Terms> {
  /**
   * The key under which it is attached to a chain; for sponsorship also the one by which DApps choose it (behaviour
   * 3.2).
   */
  readonly version: string;
  /** The contract's name for people. */
  readonly title: string;
  readonly entryPointVersion: EntryPointVersion;
  /** The getter of its signers: it returns one address, or whether an address is one of them. */
  readonly signerGetter: 'verifyingSigner' | 'signers';
  /**
   * The owner's function that replaces the signer; absent if the only signer is permanent, or if the contract has
   * several (`addSigner`, `removeSigner`).
   */
  readonly signerSetter?: 'setSigner' | 'setVerifyingSigner';
  /** Absent if no package has the contract's code: it can be attached, not deployed. */
  readonly deployment?: Deployment;
}

/** Gas that a token's `transferFrom` uses; 0 if it was not tried. */
export interface TransferGas {
  /** In validation. */
  readonly prefund: bigint;
  /** In postOp. */
  readonly afterwards: bigint;
}

/** What the charged gas depends on, besides the operation. */
export interface ChargeOptions {
  /** True: the maximum is taken as a prefund. */
  readonly preFunded?: boolean;
  /** Default, if it was not tried: that of a plain ERC-20. */
  readonly transferGas?: TransferGas;
}

export interface TokenLayout extends ContractLayout<TokenTerms> {
  /** True: a premium is a term of its own, `priceMarkup`. False: it is part of the rate. */
  readonly hasMarkup: boolean;
  /** The gas to put in an operation's terms, so that the charge covers what the EntryPoint takes from the paymaster. */
  chargedGas(op: UserOperation, options?: ChargeOptions): ChargedGas;
  /** The least limit with which postOp takes tokens whose `transferFrom` uses this gas. */
  postOpGas(transferGas: bigint): bigint;
  /** The same for the paymaster's validation; absent if the contract cannot take a prefund (`preFund`). */
  readonly preFundGas?: (transferGas: bigint) => bigint;
  /** The most units the contract can take from the sender, rounded as the contract rounds. Without an oracle. */
  maxTokenCost(op: UserOperation, price: TokenPrice): bigint;
  /** The gas that the contract charges for whatever the operation uses: its cost is the least it can take. */
  leastChargedGas(op: UserOperation, charged: ChargedGas): bigint;
}

/** A contract that sponsors; DApps choose its version. */
export interface PaymasterLayout extends ContractLayout<SponsorshipTerms> {
  /** True: the contract keeps a balance per funding wallet. False: the EntryPoint deposit pays. */
  readonly hasTanks: boolean;
  /**
   * Wei that a tank has paid for a mined operation, given the deduction that the contract reported; undefined if it
   * depends on the operation and that is unknown. Absent if the contract has no tanks.
   */
  readonly tankCharge?: (deductedWei: bigint, op: () => UserOperation | undefined) => bigint | undefined;
  /** True: the contract has no validity window. A signed operation can be mined for as long as its nonce is unused. */
  readonly neverExpires?: boolean;
  /** True: a withdrawal is requested first; a second transaction executes it after a delay. */
  readonly delayedWithdrawal?: boolean;
  readonly chainReads: readonly ChainRead[];
  /**
   * How users pay in a token: by the same contract or, if its `version` differs, by another one, attached under that
   * version.
   */
  readonly token?: TokenLayout;
}

export type AttachableLayout = PaymasterLayout | TokenLayout;

/**
 * Whose signatures a contract accepts: `many` keys at a time, `one` that can be replaced, or one that is permanently
 * `fixed`.
 */
export type SignerKind = 'many' | 'one' | 'fixed';

/** The kind of signers that a contract's functions allow. */
export const signerKind = ({
  signerGetter,
  signerSetter,
}: Pick<AttachableLayout, 'signerGetter' | 'signerSetter'>): SignerKind => {
  if (signerGetter === 'signers') return 'many';
  return signerSetter === undefined ? 'fixed' : 'one';
};

/** A signature of the right length that no key has made, but that recovers to some address. */
export const STUB_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

/** `paymasterAndData` with all but the signature final: for estimates, and for `getHash`. */
export const stubPaymasterAndData = <Terms>(
  layout: Pick<ModeLayout<Terms>, 'encode'>,
  op: UserOperation,
  terms: Terms,
): Hex => layout.encode(op, terms, STUB_SIGNATURE);

/** The digits of a signature of 65 bytes, for which every layout has room. @throws RangeError for any other length */
export function signatureDigits(signature: Hex): string {
  if (byteLength(signature) !== 65) throw new RangeError(`a signature has 65 bytes, not ${byteLength(signature)}`);
  return digits(signature);
}

/** A term that the layout needs. @throws Error if it is missing */
export function neededTerm<Terms, Key extends keyof Terms & string>(terms: Terms, key: Key): NonNullable<Terms[Key]> {
  const value = terms[key];
  if (value === undefined || value === null) throw new Error(`this paymaster layout needs the term ${key}`);
  return value;
}
