import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { Log } from '../../base/log.ts';
import type { DecisionStore, Holds } from '../decision-store.ts';
import type { Pause, PolicyStore } from '../policy-store.ts';
import type { Access, Transaction } from '../access.ts';
import type { Steps } from '../rows.ts';
import { holdReservations, releaseHolds } from './holds.ts';

const USERS = 'SELECT "user" FROM ledger_account WHERE kind = $1 AND id = $2 LIMIT 2';

const HOLDS = 'SELECT hold_id AS hold FROM ledger_hold WHERE engine = $1';

const PAUSE = 'INSERT INTO sponsorship_pause VALUES (1, $1, $2) ON CONFLICT DO NOTHING';

const PAUSE_DAPP = 'INSERT INTO dapp_pause VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';

const pauseOnce = function* (tx: Transaction, { since, reason }: Pause): Steps<void> {
  yield* tx.run(PAUSE, [since, reason]);
  tx.settingsChanged('desk');
};

const pauseDappOnce = function* (tx: Transaction, dapp: string, { since, reason }: Pause): Steps<void> {
  yield* tx.run(PAUSE_DAPP, [dapp, since, reason]);
  tx.settingsChanged({ dapp });
};

interface LostHolds {
  /** Ends this engine's holds of actions that are over: the database may have been unreachable when they ended. */
  readonly releaseLost: () => Promise<void>;
}

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
  { rows, writeShared, decide, heldOf, newestAccount, ledgerVersion, settingsVersion }: Access,
  { log, engine }: DecisionOptions,
): Omit<DecisionStore, 'forgetRolling'> & Pick<PolicyStore, 'settingsVersion'> & LostHolds => {
  /** Up to two users for each kind and id of accounts. Accounts of users are never removed. */
  const known = new Map<string, KnownUsers>();

  /** Holds in use. */
  const running = new Set<number>();
  const lostHolds = (found: readonly { hold: number }[]): number[] =>
    found.map(({ hold }) => hold).filter((hold) => !running.has(hold));
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
    async hasOtherAccount(account) {
      const { kind, id } = account;
      const key = `${kind}\n${id}`;
      const isOther = (one: string): boolean => one !== account.user;
      const newest = newestAccount();
      const found = known.get(key);
      if (found?.users.some(isOther)) return true;
      if (found?.newest !== undefined && found.newest === newest) return false;
      const users = (await rows.all<{ user: string }>(USERS, [kind, id])).map(({ user }) => user);
      known.set(key, { users, newest });
      return users.some(isOther);
    },
    decideAndReserve: ({ reservations, ledgerVersion: version, settings }, conclude) =>
      decide<DecisionRecord | undefined>(reservations, function* (tx) {
        if (tx.ledgerVersion() !== version) return undefined;
        if (settings !== undefined && (yield* tx.settingsVersion(settings.scope)) !== settings.version)
          return undefined;
        const conclusion = conclude(reservations.map(tx.ledger.heldOf));
        if (conclusion === undefined) return undefined;
        const { decision, reserve, taken = reservations, pause, pauseDapp, revision } = conclusion;
        const record = yield* tx.append(decision, revision, reserve ? tx.ledger.reserve(taken) : []);
        if (pause !== undefined) yield* pauseOnce(tx, pause);
        if (pauseDapp !== undefined) yield* pauseDappOnce(tx, decision.paymasterId, pauseDapp);
        return record;
      }),
    async withHold({ reservations, ledgerVersion: version }, check, run) {
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
    appendDecision: (decision, revision) => decide([], (tx) => tx.append(decision, revision)),
  };
};
