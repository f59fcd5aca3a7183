import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { EntryPointVersion, UserOperation, UserOperationV06 } from '../../shared/schema/user-operation.ts';
import type { ArtifactName } from '../chain/artifacts.ts';
import { byteLength, digits } from '../user-operation/hex-digits.ts';

/** What a sponsorship promises besides the operation itself. */
export interface SponsorshipTerms {
  chainId: number;
  /** The paymaster contract. */
  paymaster: Address;
  /** Unix seconds, up to 48 bits; 0: no expiry. */
  validUntil: number;
  /** Unix seconds, up to 48 bits. */
  validAfter: number;
  /** Whose tank pays: the id on chain of layouts with tanks, which need it. */
  fundingWallet?: Address;
  /** `senderNonce(op.sender)` of the paymaster at signing; needed where `chainReads` names it. */
  senderNonce?: bigint;
}

/** The terms that are read from the paymaster contract just before signing. */
export type ChainRead = 'senderNonce';

/** How a contract whose code comes with a package is deployed. */
export interface Deployment {
  readonly artifact: ArtifactName;
  constructorArguments(wiring: { owner: Address; entryPoint: Address; signer: Address }): readonly Address[];
}

/**
 * One paymaster contract's `paymasterAndData`, and what its signer signs. The operation's own `paymasterAndData` and
 * `signature` are never read: a layout puts its own in their place. Functions that take terms throw when the layout
 * needs a term that is not there, or a value does not fit its field.
 */
export interface PaymasterLayout<Op extends UserOperation = UserOperationV06> {
  /** The key under which DApps choose it (SPEC 4). */
  readonly version: string;
  /** The contract's name for people. */
  readonly title: string;
  readonly entryPointVersion: EntryPointVersion;
  /** True: the contract keeps a balance per funding wallet. False: the EntryPoint deposit pays. */
  readonly hasTanks: boolean;
  readonly chainReads: readonly ChainRead[];
  /** Absent where the contract's code comes with no package: it can be attached, not deployed. */
  readonly deployment?: Deployment;
  /** What the contract's `getHash` returns for the finished operation; the signer signs its EIP-191 digest. */
  hash(op: Op, terms: SponsorshipTerms): Hex;
  /** Calldata that asks the contract itself for `hash`. */
  getHashCall(op: Op, terms: SponsorshipTerms): Hex;
  /** The final `paymasterAndData`, with the signer's 65-byte signature. Always of one length. */
  encode(op: Op, terms: SponsorshipTerms, signature: Hex): Hex;
  /** Wei to reserve: the EntryPoint's maximum for the sponsored operation and what the contract takes on top. */
  reservedCost(op: Op): bigint;
}

/** A signature of the right length that no key has made, and that recovers to some address. */
const STUB_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

/** `paymasterAndData` with all but the signature final: what `getHash` needs, where the length is part of the hash. */
export const stubPaymasterAndData = <Op extends UserOperation>(
  layout: PaymasterLayout<Op>,
  op: Op,
  terms: SponsorshipTerms,
): Hex => layout.encode(op, terms, STUB_SIGNATURE);

/** The digits of a signature of 65 bytes, the length every layout has room for. Throws RangeError on any other. */
export function signatureDigits(signature: Hex): string {
  if (byteLength(signature) !== 65) throw new RangeError(`a signature has 65 bytes, not ${byteLength(signature)}`);
  return digits(signature);
}

/** A term the layout cannot do without. Throws if it is missing. */
export function neededTerm<Key extends keyof SponsorshipTerms>(
  terms: Pick<SponsorshipTerms, Key>,
  key: Key,
): NonNullable<SponsorshipTerms[Key]> {
  const value = terms[key];
  if (value === undefined) throw new Error(`this paymaster layout needs the term ${key}`);
  return value;
}
