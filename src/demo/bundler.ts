import { z } from 'zod';
import { entryPoint06 } from '../core/entry-points/0.6.ts';
import { address } from '../shared/schema/hex.ts';
import { userOperationV06 } from '../shared/schema/user-operation-v06.ts';
import type { UserOperationV06 } from '../shared/schema/user-operation.ts';
import { type MinedOperation, submitOperation } from './simple-account.ts';
import type { World } from './world.ts';

/** `eth_sendUserOperation`, the only method of the playground's bundler. */
export const bundlerRequest = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.literal('eth_sendUserOperation'),
  params: z.tuple([userOperationV06, address]),
});

/** Submits each operation to the local chain in a separate transaction. */
export interface Bundler {
  /** Resolves when the operation is mined. @throws Error with the EntryPoint's reason if the operation is not valid */
  submit(op: UserOperationV06): Promise<MinedOperation>;
  /** The userOpHash. */
  hashOf(op: UserOperationV06): string;
}

/** Submits operations one after the other, because the same key signs all transactions. */
export const createBundler = ({ chain, contracts: { entryPoint }, cast }: World): Bundler => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    submit(op) {
      const mined = last.then(() => submitOperation(op, entryPoint, cast.bundler));
      last = mined.catch(() => undefined);
      return mined;
    },
    hashOf: (op) => entryPoint06.hash(op, { chainId: chain.chainId, entryPoint }),
  };
};
