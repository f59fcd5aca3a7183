import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';

/** A signed operation in the past, as far as its decision holds it. */
export interface DecidedOperation {
  readonly chainId: number;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  /** In lower case; `0x` if nothing was signed. */
  readonly paymasterAndData: string;
  /** What was signed; absent if the decision kept no facts, like the next. */
  readonly op?: UserOperation;
  readonly signer?: Address;
  /** Of the paymaster contract. */
  readonly senderNonce?: bigint;
  readonly delegate?: Address;
}

/** What is known besides the inspected text. */
export interface Knowledge {
  /** Unix seconds. */
  readonly now: number;
  /** The chain that the text is said to belong to. */
  readonly chainId?: number;
  /** The chains with a name here; others are shown by id. */
  readonly chains: readonly { readonly chainId: number; readonly name: string; readonly symbol: string }[];
  readonly contracts: readonly { readonly chainId: number; readonly version: string; readonly address: Address }[];
  readonly signers: readonly { readonly chainId: number; readonly address: Address }[];
  /** Decisions that the text belongs to. */
  readonly decided: readonly DecidedOperation[];
}

/** The keys by which decisions about a text are found. */
export interface Clues {
  /** Hashes that may be a userOpHash. */
  readonly hashes: Hex[];
  readonly paymasterData: { readonly paymasterAndData: Hex; readonly validAfter: number | undefined }[];
  /** Each with its hashes, one for each possible EntryPoint and chain. */
  readonly operations: { readonly sender: Address; readonly nonce: bigint; readonly hashes: readonly Hex[] }[];
}

export const chainName = ({ chains }: Pick<Knowledge, 'chains'>, chainId: number): string =>
  chains.find((chain) => chain.chainId === chainId)?.name ?? `chain ${chainId}`;

/** Most chains for which operations are hashed and signers recovered. */
const MAX_CHAINS = 8;

/** The chains that something may belong to: the named one, otherwise those of the desk. */
export const possibleChains = (
  { chainId, signers, contracts, decided }: Knowledge,
  named: number | undefined,
): readonly number[] => {
  const said = chainId ?? named;
  if (said !== undefined) return [said];
  return [...new Set([...decided, ...contracts, ...signers].map((one) => one.chainId))].slice(0, MAX_CHAINS);
};
