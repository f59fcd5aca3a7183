import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';

/** An operation that was signed in the past, as far as its decision's record contains it. */
export interface DecidedOperation {
  readonly chainId: number;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  /** Lower case; `0x` if nothing was signed. */
  readonly paymasterAndData: string;
  /** The signed operation. Like `signer`, it is absent if the record contains no facts. */
  readonly op?: UserOperation;
  readonly signer?: Address;
  /** The paymaster contract's `senderNonce`. */
  readonly senderNonce?: bigint;
  readonly delegate?: Address;
}

/** What is known in addition to the inspected text. */
export interface Knowledge {
  /** Unix seconds. */
  readonly now: number;
  /** The chain that the text belongs to, according to the user. */
  readonly chainId?: number;
  /** The chains whose name is known here. Other chains are shown by id. */
  readonly chains: readonly { readonly chainId: number; readonly name: string; readonly symbol: string }[];
  readonly contracts: readonly { readonly chainId: number; readonly version: string; readonly address: Address }[];
  readonly signers: readonly { readonly chainId: number; readonly address: Address }[];
  /** Decisions on the operations in the text. */
  readonly decided: readonly DecidedOperation[];
}

/** Keys for finding the decisions on the operations in a text. */
export interface Clues {
  /** Hashes that could be a userOpHash. */
  readonly hashes: Hex[];
  readonly paymasterData: { readonly paymasterAndData: Hex; readonly validAfter: number | undefined }[];
  /** Each operation with its possible hashes: one for each possible pair of EntryPoint and chain. */
  readonly operations: { readonly sender: Address; readonly nonce: bigint; readonly hashes: readonly Hex[] }[];
}

export const chainName = ({ chains }: Pick<Knowledge, 'chains'>, chainId: number): string =>
  chains.find((chain) => chain.chainId === chainId)?.name ?? `chain ${chainId}`;

/** The maximum number of chains for which operations are hashed and signers recovered. */
const MAX_CHAINS = 8;

/**
 * The chains that the text may belong to: the chain that the user named, or else all chains that have a signer or a
 * contract here, or that decisions name.
 */
export const possibleChains = (
  { chainId, signers, contracts, decided }: Knowledge,
  named: number | undefined,
): readonly number[] => {
  const said = chainId ?? named;
  if (said !== undefined) return [said];
  return [...new Set([...decided, ...contracts, ...signers].map((one) => one.chainId))].slice(0, MAX_CHAINS);
};
