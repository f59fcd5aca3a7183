import { AbiCoder, type Result } from 'ethers';
import { z } from 'zod';
import { type Hex, hex, sameAddress } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import type { Store } from '../store/store.ts';
import type { MinedUserOperation } from '../store/settlement-store.ts';
import { entryPoint06 } from '../../core/entry-points/0.6.ts';
import { USER_OPERATION_V06_ABI } from '../../core/user-operation/abi.ts';
import { addressWord, byteLength, digits, toHex, word } from '../../core/user-operation/hex-digits.ts';
import type { RpcClient } from './rpc.ts';

/**
 * Signed length of `paymasterAndData` for 1.0.0 and 1.1.0. They read it with `abi.decode`, which ignores bytes that
 * follow. All other contracts treat everything after the signed data as the signature.
 */
const SIGNED_LENGTHS: readonly number[] = [20 + 6 * 32, 20 + 8 * 32];

/** A bundle contains a sender and nonce only once. More occurrences are an attempt to waste Gasdesk's time. */
const MAX_PLACES = 16;

const transaction = z.object({ input: hex });

/** The operation whose ABI encoding starts at this digit; undefined if none exists. */
const operationAt = (input: string, at: number): UserOperationV06 | undefined => {
  try {
    const [op] = AbiCoder.defaultAbiCoder().decode([USER_OPERATION_V06_ABI], `0x${word(32)}${input.slice(at)}`, true);
    return (op as Result).toObject() as UserOperationV06;
  } catch {
    return undefined;
  }
};

/**
 * Hashes under which a mined operation of EntryPoint v0.6 may have been sponsored, found in the input of its
 * transaction. Some contracts ignore bytes after the signed data, but these bytes change the operation's hash. The
 * whole input is searched for the operation, because a bundler may use its own contract. An operation counts only if
 * its hash equals the event's hash, so a decision found with such a hash is as certain as one found with the event's
 * hash. Empty if the input does not contain the operation, or if nothing was appended to it.
 */
export const sponsoredHashes = (input: Hex, mined: MinedUserOperation, chainId: number): Hex[] => {
  const domain = { chainId, entryPoint: mined.entryPoint };
  const text = digits(input).toLowerCase();
  const head = (addressWord(mined.sender) + word(mined.nonce)).toLowerCase();
  let at = text.indexOf(head);
  for (let places = 0; at >= 0 && places < MAX_PLACES; places += 1, at = text.indexOf(head, at + 1)) {
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

/** Transactions kept in memory, so that reading blocks again requires no more calls. */
const MAX_REMEMBERED = 1_000;

/** Adds the {@link sponsoredHashes} to mined operations. */
export type Identifier = (rpc: RpcClient, mined: readonly MinedUserOperation[]) => Promise<MinedUserOperation[]>;

/**
 * Finds the {@link sponsoredHashes} of mined operations whose hash belongs to no decision. Calls the node only if there
 * are any. Throws ZodError if the node lacks a transaction, and whatever `rpc.send` throws.
 */
export const createIdentifier = (store: Pick<Store, 'operationsWithoutDecision'>, chainId: number): Identifier => {
  const remembered = new Map<string, readonly Hex[]>();
  const read = async (rpc: RpcClient, mined: MinedUserOperation): Promise<readonly Hex[]> => {
    const key = `${mined.transactionHash} ${mined.userOpHash}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const { input } = transaction.parse(await rpc.send('eth_getTransactionByHash', [mined.transactionHash]));
    const found = sponsoredHashes(input, mined, chainId);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
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
