import { AbiCoder, type Result } from 'ethers';
import { z } from 'zod';
import { type Hex, hex, sameAddress } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import type { MinedUserOperation, SettlementStore } from '../store/settlement-store.ts';
import { entryPoint06 } from '../../core/entry-points/0.6.ts';
import { USER_OPERATION_V06_ABI } from '../../core/user-operation/abi.ts';
import { addressWord, byteLength, digits, toHex, word } from '../../core/user-operation/hex-digits.ts';
import type { RpcClient } from './rpc.ts';

/**
 * Bytes of `paymasterAndData` as it is signed for the contracts that read it by `abi.decode`, which ignores what
 * follows: 1.0.0 and 1.1.0. All the others take everything behind the signed data for the signature.
 */
const SIGNED_LENGTHS: readonly number[] = [20 + 6 * 32, 20 + 8 * 32];

/** A bundle holds a sender and nonce once. More of them are there to keep us busy. */
const MOST_PLACES = 16;

const transaction = z.object({ input: hex });

/** The operation whose ABI encoding begins at this digit; undefined where there is none. */
const operationAt = (input: string, at: number): UserOperationV06 | undefined => {
  try {
    const [op] = AbiCoder.defaultAbiCoder().decode([USER_OPERATION_V06_ABI], `0x${word(32)}${input.slice(at)}`, true);
    return (op as Result).toObject() as UserOperationV06;
  } catch {
    return undefined;
  }
};

/**
 * Hashes under which an operation of EntryPoint v0.6 may have been sponsored, given the input of the transaction that
 * mined it: some contracts ignore bytes behind the signed data, by which the operation has another hash. The operation
 * is looked for anywhere in the input, since a bundler may go through a contract of its own, and is what was mined only
 * where its hash is that of the event. So a hash found here that a decision has is as certain as the event's own. Empty
 * where the input does not hold the operation, or it is unaltered as far as can be told.
 */
export const sponsoredHashes = (input: Hex, mined: MinedUserOperation, chainId: number): Hex[] => {
  const domain = { chainId, entryPoint: mined.entryPoint };
  const text = digits(input).toLowerCase();
  const head = (addressWord(mined.sender) + word(mined.nonce)).toLowerCase();
  let at = text.indexOf(head);
  for (let places = 0; at >= 0 && places < MOST_PLACES; places += 1, at = text.indexOf(head, at + 1)) {
    const op = at % 2 === 0 ? operationAt(text, at) : undefined;
    if (op === undefined || !sameAddress(entryPoint06.hash(op, domain), mined.userOpHash)) continue;
    const { paymasterAndData } = op;
    return SIGNED_LENGTHS.filter((length) => length < byteLength(paymasterAndData)).map((length) => {
      const signed = toHex(digits(paymasterAndData).slice(0, 2 * length));
      return entryPoint06.hash({ ...op, paymasterAndData: signed }, domain);
    });
  }
  return [];
};

/** Transactions that are remembered, so that blocks that are read again cost no more calls. */
const MOST_REMEMBERED = 1_000;

/** Adds the {@link sponsoredHashes} to mined operations. */
export type Identifier = (rpc: RpcClient, mined: readonly MinedUserOperation[]) => Promise<MinedUserOperation[]>;

/**
 * Makes the function that finds the {@link sponsoredHashes} of those mined operations whose hash no decision has; where
 * all have one, the node is not asked. It throws ZodError if the node does not have a transaction, and what `rpc.send`
 * throws.
 */
export const createIdentifier = (
  store: Pick<SettlementStore, 'operationsWithoutDecision'>,
  chainId: number,
): Identifier => {
  const remembered = new Map<string, readonly Hex[]>();
  const read = async (rpc: RpcClient, mined: MinedUserOperation): Promise<readonly Hex[]> => {
    const key = `${mined.transactionHash} ${mined.userOpHash}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const { input } = transaction.parse(await rpc.send('eth_getTransactionByHash', [mined.transactionHash]));
    const found = sponsoredHashes(input, mined, chainId);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(key, found);
    return found;
  };
  return async (rpc, mined) => {
    const unknown = new Set(await store.operationsWithoutDecision(chainId, mined));
    const identified: MinedUserOperation[] = [];
    for (const operation of mined) {
      if (unknown.has(operation)) identified.push({ ...operation, sponsoredHashes: await read(rpc, operation) });
      else identified.push(operation);
    }
    return identified;
  };
};
