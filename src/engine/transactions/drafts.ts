import type { Transaction } from 'ethers';
import type { ChainAction } from '../../api/transactions.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { ActionCall } from './action.ts';

export interface Draft {
  readonly draftId: string;
  readonly action: ChainAction;
  readonly call: ActionCall;
  readonly from: Address;
  readonly transaction: Transaction;
}

export interface Drafts {
  keep(draft: Omit<Draft, 'draftId'>): Draft;
  /**
   * Passes a draft to `send`; meanwhile no other caller can use it. Afterwards the draft cannot be used again, unless
   * it is certain that `send` sent nothing.
   *
   * @throws EngineError `DRAFT_NOT_FOUND`; whatever `send` throws
   */
  use<T>(draftId: string, send: (draft: Draft) => Promise<T>): Promise<T>;
}

/** Limited, because a transaction's fees and nonce go out of date. */
const LIFETIME_MS = 10 * 60_000;
/** The oldest drafts are dropped first. */
const MAX_DRAFTS = 100;

/** Drafts are kept only in memory, because losing an unsent draft at a restart does no harm. */
export const createDrafts = (clock: Clock, entropy: Entropy): Drafts => {
  const drafts = new Map<string, { readonly draft: Draft; readonly until: number }>();
  return {
    keep(unnamed) {
      const draft = { ...unnamed, draftId: entropy.uuid() };
      drafts.set(draft.draftId, { draft, until: clock.monotonic() + LIFETIME_MS });
      for (const oldest of drafts.keys()) {
        if (drafts.size <= MAX_DRAFTS) break;
        drafts.delete(oldest);
      }
      return draft;
    },
    async use(draftId, send) {
      const entry = drafts.get(draftId);
      drafts.delete(draftId);
      if (entry === undefined || clock.monotonic() >= entry.until) throw new EngineError('DRAFT_NOT_FOUND');
      try {
        return await send(entry.draft);
      } catch (error) {
        const maybeSent = error instanceof EngineError && error.code === 'TRANSACTION_MAYBE_SENT';
        if (!maybeSent) drafts.set(draftId, entry);
        throw error;
      }
    },
  };
};
