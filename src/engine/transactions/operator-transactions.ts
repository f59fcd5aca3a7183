import type { Transaction } from 'ethers';
import type { ChainAction, SignedDraft, TransactionQuery } from '../../api/transactions.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { requireNode } from '../chain/require-node.ts';
import { type RpcClient, RpcError, isUnreachable, nodeRefusal } from '../chain/rpc.ts';
import type { Clock, Entropy } from '../base/clock.ts';
import type { KeySigners } from '../keys/key-signers.ts';
import type { Holds } from '../store/decision-store.ts';
import type { OperatorTransaction } from '../store/operator-transaction-store.ts';
import { actionCall } from './action-call.ts';
import { type ActionContext, amountsOn, failing } from './action-context.ts';
import { type Draft, createDrafts } from './drafts.ts';
import { applyEffects } from './apply-effects.ts';
import { type HandOvers, createHandOvers } from './hand-overs.ts';
import { isKnown, confirmAgain, findTransaction } from './look-up.ts';
import { mustBeFrom, sameAsDraft, withSignature } from './signed-draft.ts';
import { simulate } from './simulate.ts';
import { holdWithdrawal } from './withdrawal.ts';

export interface OperatorTransactionContext extends ActionContext {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly keySigners: KeySigners;
}

/** The operator's on-chain actions: deposits, withdrawals, contracts and their signers. */
export interface OperatorTransactions {
  /** @throws EngineError like `transactions.prepare` */
  prepare(action: ChainAction, from: Address): Promise<Draft>;
  /** @throws EngineError like `transactions.send` */
  send(draftId: string, signed: SignedDraft): Promise<OperatorTransaction>;
  /** Transactions handed to wallets that only the operator's browser can reach. */
  readonly handOvers: HandOvers;
  /** @throws EngineError like `transactions.forget` */
  forget(transactionId: string): Promise<OperatorTransaction>;
  /** Newest first, with their current state, or with the last known state if the chain is unreachable. */
  list(query: TransactionQuery): Promise<OperatorTransaction[]>;
  /** Checks transactions whose outcome is unknown or may still change, and applies the effects of mined ones. */
  refresh(): Promise<void>;
}

/** How to sign a draft: as the API allows, or with a wallet that the function calls. */
type How = SignedDraft | { readonly wallet: () => Promise<{ hash: Hex }> };

/** Refusals that a retry cannot change. Only these texts are shown, because nodes may quote the operator's key. */
const REFUSED =
  /insufficient funds|underpriced|intrinsic gas too (?:low|high)|exceeds block gas limit|max fee per gas less than block base fee|gas limit (?:is )?too high|fee cap|not supported/i;
const KNOWN = /already (?:known|imported|exists)|known transaction/i;

/**
 * Sends a signed transaction to the node. After an ambiguous error it still counts as sent, because the node may have
 * received it.
 *
 * @throws EngineError `TRANSACTION_WOULD_FAIL` if the node refuses it permanently
 */
const broadcast = async (rpc: RpcClient, raw: Hex): Promise<void> => {
  try {
    await rpc.send('eth_sendRawTransaction', [raw]);
  } catch (error) {
    if (isUnreachable(error)) return;
    if (!(error instanceof RpcError)) throw error;
    const refusal = KNOWN.test(error.message) ? undefined : REFUSED.exec(error.message)?.[0];
    if (refusal === undefined) return;
    throw new EngineError(
      'TRANSACTION_WOULD_FAIL',
      `The node rejects the transaction: ${refusal}.`,
      {},
      { cause: error },
    );
  }
};

const PREPARE_AGAIN = 'Prepare the withdrawal again.';
const NOT_HELD = `Nothing was sent: this engine stood still for so long that another one released the hold for the withdrawal. ${PREPARE_AGAIN}`;

const isTransient = (error: unknown): boolean =>
  error instanceof RpcError ||
  (error instanceof EngineError &&
    ['CHAIN_UNREACHABLE', 'VAULT_LOCKED', 'RPC_MISSING', 'PAYMASTER_NOT_READY', 'SIGNER_MISSING'].includes(error.code));

/** Prepares and simulates transactions, passes them to the key for signing, and follows them until they are final. */
export const createOperatorTransactions = (context: OperatorTransactionContext): OperatorTransactions => {
  const { store, chains, clock, entropy, keySigners } = context;
  const drafts = createDrafts(clock, entropy);

  const sentOf = ({ action, call, from, transaction }: Draft, hash: Hex, raw: Hex | null): OperatorTransaction => {
    const { withdrawal: _, valueWei, ...what } = call;
    return {
      ...what,
      transactionId: entropy.uuid(),
      kind: action.kind,
      from,
      valueWei: String(valueWei),
      nonce: transaction.nonce,
      hash,
      raw,
      state: 'sent',
      sentAt: clock.now(),
      final: false,
      blockNumber: null,
      gasUsed: null,
      feeWei: null,
      contract: null,
      outcome: null,
    };
  };

  const sign = async (draft: Draft, signed: How): Promise<Transaction | { hash: Hex }> => {
    if ('wallet' in signed) return signed.wallet();
    if ('signature' in signed) return withSignature(draft, signed.signature);
    if ('signedTransaction' in signed) return sameAsDraft(draft, signed.signedTransaction);
    const key = keySigners.of(signed.key);
    mustBeFrom(draft.from, key.address);
    const made = await key.transact(draft.transaction.clone());
    return 'hash' in made ? made : sameAsDraft(draft, made.signed);
  };

  /** Transactions that are being submitted. They must not be forgotten while their node does not know them yet. */
  const submitting = new Set<string>();

  /**
   * Saves a transaction before it is sent, in the database transaction that checks whether its amount is still held: if
   * this engine was stalled, other engines may have considered it dead. What a wallet has already sent is saved in any
   * case.
   */
  const signAndSave = async (draft: Draft, how: How, holds: Holds = []): Promise<OperatorTransaction> => {
    const signed = await sign(draft, how);
    const isSigned = 'serialized' in signed;
    const sent = sentOf(draft, signed.hash as Hex, isSigned ? (signed.serialized as Hex) : null);
    submitting.add(sent.transactionId);
    if (await store.saveOperatorTransaction(sent, isSigned ? holds : [])) return sent;
    submitting.delete(sent.transactionId);
    throw failing(NOT_HELD, { fix: PREPARE_AGAIN });
  };

  const send = async (draft: Draft, how: How): Promise<OperatorTransaction> => {
    const { chainId } = draft.call;
    const rpc = await requireNode(chains, chainId);
    const { withdrawal } = draft.call;
    const save = (holds?: Holds) => signAndSave(draft, how, holds);
    // Part of the free amount may have been reserved meanwhile. Once the record is saved, the record itself reserves
    // the amount.
    const sent = await (withdrawal === undefined ? save() : holdWithdrawal(context, withdrawal, save));
    try {
      if (sent.raw !== null) await broadcast(rpc, sent.raw);
    } catch (error) {
      if (error instanceof EngineError) await store.removeOperatorTransaction(sent.transactionId);
      throw error;
    } finally {
      submitting.delete(sent.transactionId);
    }
    return sent;
  };

  const follow = async (known: OperatorTransaction): Promise<void> => {
    const rpc = await requireNode(chains, known.chainId);
    let current = known.state === 'sent' || known.final ? known : await confirmAgain(rpc, known);
    if (current !== known) await store.saveOperatorTransaction(current);
    if (current.state === 'sent') {
      const found = await findTransaction(rpc, current, await amountsOn(store, current.chainId));
      if (found === undefined) {
        // The node may never have received the transaction, or may have dropped it. It may accept now what it refused
        // before.
        if (current.raw !== null) await broadcast(rpc, current.raw).catch(() => undefined);
        return;
      }
      await store.saveOperatorTransaction((current = found));
    }
    if (current.outcome !== null) return;
    await store.saveOperatorTransaction({ ...current, outcome: await applyEffects(context, current) });
  };

  const followAll = async (): Promise<void> => {
    const silent = new Set<number>();
    const errors: unknown[] = [];
    for (const known of await store.openOperatorTransactions()) {
      if (silent.has(known.chainId)) continue;
      try {
        await follow(known);
      } catch (error) {
        if (isTransient(error)) silent.add(known.chainId);
        else errors.push(error);
      }
    }
    // An error with one transaction does not prevent following the others.
    if (errors.length > 0) throw errors[0];
  };

  const forget = async (transactionId: string): Promise<OperatorTransaction> => {
    const open = await store.openOperatorTransactions();
    const known = open.find((one) => one.transactionId === transactionId && one.state === 'sent');
    if (known === undefined) throw new EngineError('TRANSACTION_NOT_FOUND');
    const rpc = await requireNode(chains, known.chainId);
    if (submitting.has(transactionId) || (await isKnown(rpc, known.hash))) throw new EngineError('TRANSACTION_KNOWN');
    const outcome = 'The node did not know the transaction, and the operator stopped waiting for it.';
    const forgotten = { ...known, state: 'forgotten', final: true, outcome } as const;
    await store.saveOperatorTransaction(forgotten);
    return forgotten;
  };

  let newest: Promise<unknown> = Promise.resolve();
  /** Only one at a time, so that effects are not applied twice. */
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const turn = newest.catch(() => undefined).then(act);
    newest = turn;
    return turn;
  };
  let waiting: Promise<void> | undefined;
  /** Concurrent callers share the next run. */
  const refresh = (): Promise<void> => {
    waiting ??= inTurn(() => {
      waiting = undefined;
      return followAll();
    });
    return waiting;
  };

  const sendDraft = (draftId: string, how: How): Promise<OperatorTransaction> =>
    drafts.use(draftId, (draft) => send(draft, how));

  return {
    async prepare(action, from) {
      // If the action names no chain, no node is called until the call itself is known.
      let chainId = 'chainId' in action ? action.chainId : 0;
      try {
        const call = await actionCall(context, action, from);
        ({ chainId } = call);
        const rpc = await requireNode(chains, chainId);
        const transaction = await simulate(rpc, { ...call, from }, await amountsOn(store, chainId));
        return drafts.keep({ action, call, from, transaction });
      } catch (error) {
        throw error instanceof RpcError ? nodeRefusal(chainId, error) : error;
      }
    },
    send: sendDraft,
    handOvers: createHandOvers(clock, (draftId, wallet) => sendDraft(draftId, { wallet })),
    forget: (transactionId) => inTurn(() => forget(transactionId)),
    async list(query) {
      await refresh();
      return store.listOperatorTransactions(query);
    },
    refresh,
  };
};
