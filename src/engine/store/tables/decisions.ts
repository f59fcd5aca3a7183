import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { Log } from '../../base/log.ts';
import type { Soon } from '../../base/soon.ts';
import type { AccountKey } from '../../../core/ledger/account.ts';
import type { ChainPause, CommitPlan, DappPause, DecisionDraft, Holds, LedgerFacts } from '../decision-store.ts';
import type { PolicyRevision } from '../policy-store.ts';
import type { Access, Transaction } from '../access.ts';
import type { Steps } from '../rows.ts';
import { holdReservations, releaseHolds } from './holds.ts';

const USERS = 'SELECT "user" FROM ledger_account WHERE kind = $1 AND id = $2 LIMIT 2';

const HOLDS = 'SELECT hold_id AS hold FROM ledger_hold WHERE engine = $1';

const DAPPS_OF_CHAIN = 'SELECT paymaster_id FROM paymaster WHERE chain_id = $1';

const PAUSE_DAPP = 'INSERT INTO dapp_pause VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';

const pauseDappOnce = function* (tx: Transaction, { paymasterId, since, reason }: DappPause): Steps<void> {
  yield* tx.run(PAUSE_DAPP, [paymasterId, since, reason]);
  tx.settingsChanged({ dapp: paymasterId });
};

const pauseChainOnce = function* (tx: Transaction, { chainId, since, reason }: ChainPause): Steps<void> {
  const dapps = yield* tx.all<{ paymasterId: string }>(DAPPS_OF_CHAIN, [chainId]);
  for (const { paymasterId } of dapps) yield* tx.run(PAUSE_DAPP, [paymasterId, since, reason]);
  tx.settingsChanged({ chain: chainId });
};

type Conclude = (held: readonly bigint[]) => CommitPlan | undefined;

/**
 * A function of its own: V8 keeps each generator function that is made for a single request, with the whole request,
 * until a full collection.
 */
const concludeOnce = function* (
  tx: Transaction,
  { reservations, ledgerVersion: version, settings }: LedgerFacts,
  conclude: Conclude,
): Steps<(() => Steps<DecisionRecord>) | undefined> {
  if (tx.ledgerVersion() !== version) return undefined;
  if (settings !== undefined && (yield* tx.settingsVersion(settings.scope)) !== settings.version) return undefined;
  const conclusion = conclude(reservations.map(tx.ledger.heldOf));
  if (conclusion === undefined) return undefined;
  const { decision, reserve, taken = reservations, pauseChain, pauseDapp, revision } = conclusion;
  const reserved = reserve ? tx.ledger.reserve(taken) : [];
  if (pauseChain !== undefined) yield* pauseChainOnce(tx, pauseChain);
  if (pauseDapp !== undefined) yield* pauseDappOnce(tx, pauseDapp);
  return () => tx.append(decision(), revision, reserved);
};

/** Up to two users of accounts, and the account that was the newest when they were read. */
interface KnownUsers {
  readonly users: readonly string[];
  readonly newest: number | undefined;
}

interface DecisionOptions {
  readonly log: Log;
  /** This engine's number, which marks its holds. */
  readonly engine: number;
}

export const decisionStore = (
  { rows, writeShared, decide, decideInParts, heldOf, newestAccount, ledgerVersion, settingsVersion }: Access,
  { log, engine }: DecisionOptions,
) => {
  /** Up to two users for each kind and id of accounts. Accounts of users are never removed. */
  const known = new Map<string, KnownUsers>();

  /** Holds in use. */
  const running = new Set<number>();
  const lostHolds = (found: readonly { hold: number }[]): number[] =>
    found.map(({ hold }) => hold).filter((hold) => !running.has(hold));
  /** Ends this engine's holds of actions that are over: the database may have been unreachable when they ended. */
  const releaseLost = async (): Promise<void> => {
    if (lostHolds(await rows.all<{ hold: number }>(HOLDS, [engine])).length === 0) return;
    await writeShared(function* (tx) {
      yield* releaseHolds(tx, lostHolds(yield* tx.all<{ hold: number }>(HOLDS, [engine])));
    });
  };
  return {
    ledgerVersion,
    settingsVersion,
    heldOf,
    /** True if the ledger ever had another account of the same kind and id, for another user. */
    hasOtherAccount(account: AccountKey): Soon<boolean> {
      const { kind, id } = account;
      const key = `${kind}\n${id}`;
      const isOther = (one: string): boolean => one !== account.user;
      const newest = newestAccount();
      const found = known.get(key);
      if (found?.users.some(isOther)) return true;
      if (found?.newest !== undefined && found.newest === newest) return false;
      return rows.all<{ user: string }>(USERS, [kind, id]).then((read) => {
        const users = read.map(({ user }) => user);
        known.set(key, { users, newest });
        return users.some(isOther);
      });
    },
    /**
     * Passes to `conclude` the amounts that other decisions reserve in each account, in the order of the reservations,
     * and writes the decision and its reservations, in one atomic step. If `conclude` throws, or the `decision` of its
     * plan, rejects with that error and writes nothing. If another write of the same commit fails, `conclude` may be
     * called a second time with different amounts.
     *
     * @returns undefined, with nothing written, if `ledgerVersion` or the settings have changed since the facts were
     * read, or if `conclude` returns undefined
     */
    decideAndReserve: (facts: LedgerFacts, conclude: Conclude): Promise<DecisionRecord | undefined> =>
      decideInParts(facts.reservations, (tx) => concludeOnce(tx, facts, conclude)),
    /**
     * Holds the reservations while `run` lasts, so that other decisions count them. Used for an action that is recorded
     * only at its end. The hold lasts from the call of `check`, which must throw if the amount is not free, until `run`
     * ends or, if the process ends first, until the store opens again. Other engines end the holds of an engine that
     * they consider dead. So `run` may rely on a hold only for what it saves together with a check of the hold.
     *
     * @returns the result of `run`; undefined, without running it, if `ledgerVersion` has changed
     */
    async withHold<T>(
      { reservations, ledgerVersion: version }: LedgerFacts,
      check: (held: readonly bigint[]) => void,
      run: (holds: Holds) => Promise<T>,
    ): Promise<T | undefined> {
      let holds: Holds = [];
      try {
        const isHeld = await decide(reservations, function* (tx): Steps<boolean> {
          if (tx.ledgerVersion() !== version) return false;
          check(reservations.map(tx.ledger.heldOf));
          holds = yield* holdReservations(tx, reservations, engine);
          for (const hold of holds) running.add(hold);
          return true;
        });
        return isHeld ? await run(holds) : undefined;
      } finally {
        for (const hold of holds) running.delete(hold);
        // The action may have sent money: its result matters more than the hold, which then ends later.
        await releaseLost().catch((err: unknown) => log.warn('store.holdKept', { err }));
      }
    },
    releaseLost,
    /** Writes a decision without reservations, and its policy. */
    appendDecision: (decision: DecisionDraft, revision?: PolicyRevision) =>
      decide([], (tx) => tx.append(decision, revision)),
  };
};
