import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';

/** What was signed in the past, as far as a decision tells it. */
export interface DecidedOperation {
  readonly chainId: number;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  /** In lower case; `0x` where nothing was signed. */
  readonly paymasterAndData: string;
  /** What was signed; absent where the decision kept no facts, like the next. */
  readonly op?: UserOperation;
  readonly signer?: Address;
  /** Of the paymaster contract. */
  readonly senderNonce?: bigint;
  readonly delegate?: Address;
}

/** What is known besides the text that is inspected. */
export interface Knowledge {
  /** Unix seconds. */
  readonly now: number;
  /** The chain that it is said to belong to. */
  readonly chainId?: number;
  /** The chains that have a name here; others are told by their ids. */
  readonly chains: readonly { readonly chainId: number; readonly name: string; readonly symbol: string }[];
  readonly contracts: readonly { readonly chainId: number; readonly version: string; readonly address: Address }[];
  readonly signers: readonly { readonly chainId: number; readonly address: Address }[];
  /** Decisions that the text belongs to. */
  readonly decided: readonly DecidedOperation[];
}

/** By what decisions are looked for that a text belongs to. */
export interface Clues {
  /** Of what is one, and may be a userOpHash. */
  readonly hashes: Hex[];
  readonly paymasterData: { readonly paymasterAndData: Hex; readonly validAfter: number | undefined }[];
  /** Each with its hashes, one for each EntryPoint and chain that it may be for. */
  readonly operations: { readonly sender: Address; readonly nonce: bigint; readonly hashes: readonly Hex[] }[];
}

/** What a chain is called. */
export const chainName = ({ chains }: Pick<Knowledge, 'chains'>, chainId: number): string =>
  chains.find((chain) => chain.chainId === chainId)?.name ?? `chain ${chainId}`;

/** Operations are hashed and signers recovered for so many chains at most. */
const MOST_CHAINS = 8;

/** The chains that something may belong to: the one that is named, else those that the desk works on. */
export const possibleChains = (
  { chainId, signers, contracts, decided }: Knowledge,
  named: number | undefined,
): readonly number[] => {
  const said = chainId ?? named;
  if (said !== undefined) return [said];
  return [...new Set([...decided, ...contracts, ...signers].map((one) => one.chainId))].slice(0, MOST_CHAINS);
};
