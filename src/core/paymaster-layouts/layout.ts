import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation } from '../../shared/schema/user-operation.ts';
import { byteLength, digits } from '../user-operation/hex-digits.ts';
import type { PaymasterGas } from '../user-operation/paymaster-fields.ts';
import type { Misfit, ReadData } from './data-fields.ts';

/**
 * The terms of every signature, apart from the operation itself. They are the same whether the paymaster sponsors or
 * takes tokens.
 */
export interface PromiseTerms {
  chainId: number;
  paymaster: Address;
  /** Unix seconds, up to 48 bits; 0 means no expiry. Contracts without a validity window (1.0.0) ignore it. */
  validUntil: number;
  /** Unix seconds, up to 48 bits. */
  validAfter: number;
  /** Singletons: if false, only bundlers on the contract's own list may submit the operation. Default: true. */
  allowAllBundlers?: boolean;
  /**
   * The contract that the sender delegates to by EIP-7702. `singleton-0.8-eip7702` and `parallel-0.9` need it for
   * operations of EIP-7702 accounts.
   */
  eip7702Delegate?: Address;
}

export interface SponsorshipTerms extends PromiseTerms {
  /** The on-chain id of the tank that pays. Required by layouts with tanks. */
  fundingWallet?: Address;
  /** The paymaster's `senderNonce(op.sender)` when signing. Required if `chainReads` names it. */
  senderNonce?: bigint;
  /**
   * 2.0.0: the charge to the tank, in millionths of the cost, from 1,000,000 (the default: the cost itself) to
   * 2,000,000.
   */
  priceMarkup?: number;
}

/** Gas that a token-mode contract charges for, although the EntryPoint has not counted it yet when postOp runs. */
export interface ChargedGas {
  /** Gas for taking the tokens. */
  postOpGas: bigint;
  /**
   * Singletons of v0.7 and later: the most gas that the paymaster's validation may have used. The contract uses it to
   * estimate the penalty for unused gas.
   */
  paymasterValidationGasLimit: bigint;
}

/** What a token-mode contract charges. Amounts are in the token's smallest unit. */
export interface TokenPrice extends ChargedGas {
  /** Token units per 1e18 wei. */
  exchangeRate: bigint;
  /** Biconomy: the charge in millionths of the rate, from 1,000,000 (the default) to 2,000,000. */
  priceMarkup?: number;
  /** Singletons: added to every charge. */
  constantFee?: bigint;
}

export interface TokenTerms extends PromiseTerms, TokenPrice {
  token: Address;
  /** Biconomy: the contract takes the rate from this oracle aggregator, instead of from `exchangeRate`. */
  oracleAggregator?: Address;
  /** The receiver of the tokens. Required by singletons; in other contracts it is a setting of the contract. */
  treasury?: Address;
  /**
   * Singletons: units taken in validation and settled in postOp. A surplus is refunded from the treasury through its
   * allowance.
   */
  preFund?: bigint;
  /** Singletons: receives the operation's maximum cost minus the charge. */
  recipient?: Address;
}

/** Terms that must be read from the paymaster contract right before signing. */
export type ChainRead = 'senderNonce';

/** The contracts whose code the build contains, from an npm package or from this repository, by artifact name. */
export type DeployableContract =
  | 'VerifyingPaymaster'
  | 'VerifyingPaymaster-0.7'
  | 'VerifyingSingletonPaymaster'
  | 'SingletonPaymasterV6'
  | 'SingletonPaymasterV7'
  | 'SingletonPaymasterV8'
  | 'ParallelPaymaster';

export interface Deployment {
  readonly artifact: DeployableContract;
  constructorArguments(wiring: {
    owner: Address;
    entryPoint: Address;
    signer: Address;
  }): readonly (Address | readonly Address[])[];
}

/**
 * Builds and parses `paymasterAndData` for one contract in one of its modes, and computes what the signer signs. The
 * operation's own paymaster fields and `signature` are ignored, because a layout replaces them. Functions throw if the
 * operation belongs to another EntryPoint version, if a term is missing, or if a value does not fit its field.
 */
export interface ModeLayout<Terms> {
  /** From v0.7 on: paymaster gas limits that suffice for the contract, used if an operation sets none. */
  readonly paymasterGas?: PaymasterGas;
  /** The result of the contract's `getHash` for the finished operation. The signer signs its EIP-191 digest. */
  hash(op: UserOperation, terms: Terms): Hex;
  /** Calldata of the contract's own `getHash`, which must return the same value as `hash`. */
  getHashCall(op: UserOperation, terms: Terms): Hex;
  /** The final `paymasterAndData` (packed from v0.7 on), with the signer's 65-byte signature. */
  encode(op: UserOperation, terms: Terms, signature: Hex): Hex;
  /**
   * Splits a finished `paymasterAndData` into its fields. Never throws: for data of another mode, it returns why the
   * data does not match.
   */
  read(paymasterAndData: Hex): ReadData<Terms> | Misfit;
  /** Wei to reserve: the EntryPoint's maximum charge for the finished operation, plus what the contract adds. */
  reservedCost(op: UserOperation, terms?: Partial<Terms>): bigint;
}

/** A paymaster contract and one of its modes. */
export interface ContractLayout<Terms> extends ModeLayout<Terms> {
  /**
   * Identifies the contract when it is attached to a chain. For sponsorship, DApps choose a contract by this version
   * (behaviour 3.2).
   */
  readonly version: string;
  /** The contract's display name. */
  readonly title: string;
  readonly entryPointVersion: EntryPointVersion;
  /**
   * The contract's getter for signers. `verifyingSigner` returns the one signer; `signers` returns whether an address
   * is a signer.
   */
  readonly signerGetter: 'verifyingSigner' | 'signers';
  /**
   * The owner's function that replaces the signer. Absent if the signer is permanent, or if the contract has several
   * signers (`addSigner`, `removeSigner`).
   */
  readonly signerSetter?: 'setSigner' | 'setVerifyingSigner';
  /** Absent if the build does not contain the contract's code, so that it can be attached but not deployed. */
  readonly deployment?: Deployment;
}

/** Gas used by a token's `transferFrom`; 0 if it was not simulated. */
export interface TransferGas {
  /** During validation. */
  readonly prefund: bigint;
  /** During postOp. */
  readonly afterwards: bigint;
}

/** Inputs of the charged gas other than the operation. */
export interface ChargeOptions {
  /** True if the maximum charge is taken as a prefund. */
  readonly preFunded?: boolean;
  /** Default if it was not simulated: the gas of a plain ERC-20. */
  readonly transferGas?: TransferGas;
}

export interface TokenLayout extends ContractLayout<TokenTerms> {
  /** True if a premium is a separate term, `priceMarkup`. False if it is part of the rate. */
  readonly hasMarkup: boolean;
  /** The gas terms for an operation, chosen so that the charge covers what the EntryPoint takes from the paymaster. */
  chargedGas(op: UserOperation, options?: ChargeOptions): ChargedGas;
  /** The lowest postOp limit that is sufficient for a token whose `transferFrom` uses this gas. */
  postOpGas(transferGas: bigint): bigint;
  /** The same for the limit of the paymaster's validation; absent if the contract cannot take a prefund (`preFund`). */
  readonly preFundGas?: (transferGas: bigint) => bigint;
  /**
   * The most units that the contract can take from the sender, rounded as the contract rounds. Assumes that no oracle
   * sets the rate.
   */
  maxTokenCost(op: UserOperation, price: TokenPrice): bigint;
  /** The least gas that the contract charges, however little the operation uses. */
  leastChargedGas(op: UserOperation, charged: ChargedGas): bigint;
}

/** A contract that sponsors. DApps choose one by its version. */
export interface PaymasterLayout extends ContractLayout<SponsorshipTerms> {
  /** True if the contract keeps a balance per funding wallet. False if its EntryPoint deposit pays. */
  readonly hasTanks: boolean;
  /**
   * What a tank has paid for a mined operation, in wei, computed from the deduction that the contract reported.
   * Undefined if the result depends on the operation, and the operation is unknown. Absent if the contract has no
   * tanks.
   */
  readonly tankCharge?: (deductedWei: bigint, op: () => UserOperation | undefined) => bigint | undefined;
  /**
   * True if the contract has no validity window, so that a signed operation can be mined as long as its nonce is
   * unused.
   */
  readonly neverExpires?: boolean;
  /** True if a withdrawal takes two transactions: a request and, after a delay, its execution. */
  readonly delayedWithdrawal?: boolean;
  readonly chainReads: readonly ChainRead[];
  /**
   * True if the validity window and the signature are a suffix of `paymasterAndData` that the operation's hash does not
   * cover. The account can then sign before the paymaster does.
   */
  readonly signsApart?: boolean;
  /**
   * How users pay in a token. If its `version` differs, they pay through another contract, attached under that version.
   */
  readonly token?: TokenLayout;
}

export type AttachableLayout = PaymasterLayout | TokenLayout;

/**
 * Whose signatures a contract accepts: those of `many` keys at a time, of `one` key that can be replaced, or of one key
 * that is permanently `fixed`.
 */
export type SignerKind = 'many' | 'one' | 'fixed';

/** The kind of signer, derived from a contract's functions. */
export const signerKind = ({
  signerGetter,
  signerSetter,
}: Pick<AttachableLayout, 'signerGetter' | 'signerSetter'>): SignerKind => {
  if (signerGetter === 'signers') return 'many';
  return signerSetter === undefined ? 'fixed' : 'one';
};

/** A signature of the right length that no key has made, but from which an address can be recovered. */
export const STUB_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

/** `paymasterAndData` that is final except for its signature, for estimates and for `getHash`. */
export const stubPaymasterAndData = <Terms>(
  layout: Pick<ModeLayout<Terms>, 'encode'>,
  op: UserOperation,
  terms: Terms,
): Hex => layout.encode(op, terms, STUB_SIGNATURE);

/** The hex digits of a 65-byte signature. Every layout expects this length. @throws RangeError for any other length */
export function signatureDigits(signature: Hex): string {
  if (byteLength(signature) !== 65) throw new RangeError(`a signature has 65 bytes, not ${byteLength(signature)}`);
  return digits(signature);
}

/** Returns the value of a term that the layout needs. @throws Error if the term is missing */
export function neededTerm<Terms, Key extends keyof Terms & string>(terms: Terms, key: Key): NonNullable<Terms[Key]> {
  const value = terms[key];
  if (value === undefined || value === null) throw new Error(`this paymaster layout needs the term ${key}`);
  return value;
}
