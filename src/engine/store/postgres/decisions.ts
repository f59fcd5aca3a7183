import { recordText } from '../../../core/decision/stored-record.ts';
import type { DecisionRecord } from '../../../shared/schema/decision.ts';
import type { Log } from '../../base/log.ts';
import type { DecisionDraft, DecisionStore } from '../decision-store.ts';
import type { Pause, PolicyStore } from '../policy-store.ts';
import type { DecisionEntry } from '../log-rows.ts';
import { reservesText } from '../reserves.ts';
import { type Commits, type DecisionWrite, type SharedCommit, createCommits } from './commits.ts';
import { holdReservations, loadLedger, readHeld, releaseHolds } from './ledger.ts';
import { enforcePolicy } from './policy-revisions.ts';
import type { Rows } from './rows.ts';
import { type SettingsVersions, readVersions, versionOf } from './settings-cache.ts';
import type { Access, Transaction } from './writer.ts';

const INSERT = `INSERT INTO decision (seq, id, at, paymaster_id, chain_id, sender, outcome, user_op_hash, valid_until,
    settlement, actual_cost_wei, rule, record, reserves, entered_at, hash)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[],
    $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[],
    $16::bytea[])`;

const HASHES = `INSERT INTO decision_hash SELECT * FROM unnest($1::text[], $2::bigint[])`;

const WATCH = `INSERT INTO watched_paymaster SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
  ON CONFLICT DO NOTHING`;

const SHADOW = `INSERT INTO shadow_result (rule_id, cycle, decision_seq, would_deny)
  SELECT rule_id, cycle, seq, would_deny
  FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS shadow (id, seq, would_deny) JOIN rule ON rule_id = shadow.id
  ON CONFLICT DO NOTHING`;

interface NewDecision extends DecisionDraft, DecisionEntry {
  readonly text: string;
  readonly reserves: string | null;
}

/** Settlement searches by it: the paymaster in a sponsored operation. */
const paymasterKey = ({ chainId, entryPoint, paymasterAndData }: DecisionDraft): string =>
  `${chainId} ${entryPoint} ${paymasterAndData.slice(0, 42).toLowerCase()}`;

/** Rules in shadow that evaluated a decision, and whether they would have denied it. */
const shadowRows = ({ seq, trace }: NewDecision): [rule: string, seq: number, wouldDeny: number][] =>
  trace.flatMap(({ shadow, outcome }) =>
    shadow === undefined || outcome === 'skip' ? [] : [[shadow, seq, Number(outcome === 'wouldDeny')]],
  );

const writeDecisions = async (
  writing: Transaction,
  made: readonly NewDecision[],
  isWatched: (decision: DecisionDraft) => boolean,
): Promise<void> => {
  const column = <Name extends keyof NewDecision>(name: Name): NewDecision[Name][] => made.map((one) => one[name]);
  await writing.run(INSERT, [
    column('seq'),
    column('id'),
    column('at'),
    column('paymasterId'),
    column('chainId'),
    column('sender'),
    column('outcome'),
    column('userOpHash'),
    column('validUntil'),
    column('settlement'),
    column('actualCostWei'),
    column('rule'),
    column('text'),
    column('reserves'),
    column('enteredAt'),
    column('hash'),
  ]);
  const hashed = made.flatMap(({ userOpHash, seq }) => (userOpHash === null ? [] : [{ userOpHash, seq }]));
  if (hashed.length > 0) {
    await writing.run(HASHES, [hashed.map(({ userOpHash }) => userOpHash), hashed.map(({ seq }) => seq)]);
  }
  const watched = made.filter((one) => one.outcome === 'sponsored' && !isWatched(one));
  if (watched.length > 0) {
    await writing.run(WATCH, [
      watched.map(({ chainId }) => chainId),
      watched.map(({ entryPoint }) => entryPoint),
      watched.map(({ paymasterAndData }) => paymasterAndData.slice(0, 42).toLowerCase()),
    ]);
  }
  const shadows = made.flatMap(shadowRows);
  if (shadows.length > 0) {
    await writing.run(SHADOW, [
      shadows.map(([rule]) => rule),
      shadows.map(([, seq]) => seq),
      shadows.map(([, , wouldDeny]) => wouldDeny),
    ]);
  }
  writing.decisionsChanged();
};

interface DecisionStoreOptions extends Access {
  readonly log: Log;
  /** This engine's number, which marks its holds. */
  readonly engine: number;
}

type Store = Omit<DecisionStore, 'forgetRolling'> & Pick<PolicyStore, 'settingsVersion'>;

interface LostHolds {
  /** Ends this engine's holds of actions that are over: the database may have been unreachable when they ended. */
  readonly releaseLost: () => Promise<void>;
}

export const decisionStore = ({
  rows,
  writer,
  cache,
  log,
  engine,
}: DecisionStoreOptions): Store & Pick<Commits, 'drain'> & LostHolds => {
  /** Paymasters known to be stored. Only committed ones, because others may still be rolled back. */
  const watched = new Set<string>();
  const others = new Set<string>();

  const versionsIn = async (writing: Transaction): Promise<SettingsVersions> =>
    cache.knownChanges() === writing.head.settingsChanges ? cache.versions() : readVersions(writing);

  const commits = createCommits(async (take) => {
    const made: NewDecision[] = [];
    const results = await writer.run(async (writing) => {
      /** Hash of the policy in force, by DApp, as read in this transaction. */
      const inForce = new Map<string, string>();
      const writes = take();
      const ledger = await loadLedger(
        writing,
        writes.flatMap(({ parts }) => parts),
      );
      const before = await versionsIn(writing);
      /** A scope that a decision of this transaction has changed is one version ahead. */
      const versions = (): SettingsVersions => {
        if (writing.changedScopes.size === 0) return before;
        const advanced = [...writing.changedScopes].map((scope) => [scope, (before.of.get(scope) ?? 0) + 1] as const);
        return { ...before, of: new Map([...before.of, ...advanced]) };
      };
      const append: SharedCommit['append'] = async (draft, revision, reservations = []) => {
        if (revision !== undefined && inForce.get(draft.paymasterId) !== revision.hash) {
          await enforcePolicy(writing, revision, draft);
          inForce.set(draft.paymasterId, revision.hash);
        }
        const text = recordText(draft);
        const reserves = reservations.length === 0 ? null : reservesText(reservations);
        const entry = writing.log.appendDecision(text);
        writing.head.decisions += 1;
        made.push({ ...draft, ...entry, text, reserves });
        return entry.seq;
      };
      const deciding: SharedCommit = { writing, ledger, versions, append };
      const settled: PromiseSettledResult<unknown>[] = [];
      for (const write of writes) settled.push(...(await Promise.allSettled([runWrite(write, deciding)])));
      if (made.length > 0) await writeDecisions(writing, made, (one) => watched.has(paymasterKey(one)));
      await ledger.flush();
      return settled;
    });
    for (const decision of made) {
      if (decision.outcome === 'sponsored') watched.add(paymasterKey(decision));
    }
    return results;
  });

  /** Holds in use. */
  const running = new Set<number>();
  const lostHolds = async (from: Rows): Promise<number[]> => {
    const found = await from.all<{ hold: number }>(
      'SELECT hold_id AS hold FROM ledger_hold WHERE engine = $1 AND hold_id <> ALL($2::bigint[])',
      [engine, [...running]],
    );
    return found.map(({ hold }) => hold);
  };
  const releaseLost = async (): Promise<void> => {
    if ((await lostHolds(rows)).length === 0) return;
    await writer.run(async (writing) => releaseHolds(writing, await lostHolds(writing)));
  };

  const recordOf = async (
    { append }: SharedCommit,
    ...decision: Parameters<SharedCommit['append']>
  ): Promise<DecisionRecord> => ({ ...decision[0], seq: await append(...decision) });

  return {
    drain: () => commits.drain(),
    ledgerVersion: () => writer.ledgerVersion(),
    settingsVersion: async (scope) => versionOf(await cache.versions(), scope),
    async hasOtherAccount(account) {
      const { kind, id, user = '' } = account;
      const key = JSON.stringify([kind, id, user]);
      if (others.has(key)) return true;
      const found = await rows.get(
        'SELECT 1 FROM ledger_account WHERE kind = $1 AND id = $2 AND "user" <> $3 LIMIT 1',
        [kind, id, user],
      );
      // Accounts of users are never removed.
      if (found !== undefined) others.add(key);
      return found !== undefined;
    },
    heldOf: (parts) => readHeld(rows, parts),
    decideAndReserve: ({ reservations, ledgerVersion, settings }, conclude) =>
      commits.run<DecisionRecord | undefined>({
        parts: reservations,
        settings,
        async run(deciding) {
          const { writing, ledger, versions } = deciding;
          if (writing.head.ledgerVersion !== ledgerVersion) return undefined;
          if (settings !== undefined && versionOf(versions(), settings.scope) !== settings.version) return undefined;
          const conclusion = conclude(reservations.map((part) => ledger.heldOf(part)));
          if (conclusion === undefined) return undefined;
          const { decision, reserve, taken = reservations, pause, pauseDapp, revision } = conclusion;
          const record = await recordOf(deciding, decision, revision, reserve ? ledger.reserve(taken) : []);
          if (pause !== undefined) await pauseOnce(writing, pause);
          if (pauseDapp !== undefined) await pauseDappOnce(writing, decision.paymasterId, pauseDapp);
          return record;
        },
      }),
    async withHold({ reservations, ledgerVersion }, check, run) {
      let holds: readonly number[] = [];
      try {
        const isHeld = await commits.run<boolean>({
          parts: reservations,
          async run({ writing, ledger }) {
            if (writing.head.ledgerVersion !== ledgerVersion) return false;
            check(reservations.map((part) => ledger.heldOf(part)));
            holds = await holdReservations(writing, ledger, reservations, engine);
            for (const hold of holds) running.add(hold);
            return true;
          },
        });
        if (!isHeld) return undefined;
        return await run(holds);
      } finally {
        for (const hold of holds) running.delete(hold);
        // The action may have sent money: its result matters more than the hold, which then ends later.
        await releaseLost().catch((err: unknown) => log.warn('store.holdKept', { err }));
      }
    },
    releaseLost,
    appendDecision: (decision, revision) =>
      commits.run({ parts: [], run: (deciding) => recordOf(deciding, decision, revision) }),
  };
};

const runWrite = async (write: DecisionWrite<unknown>, deciding: SharedCommit): Promise<unknown> => write.run(deciding);

const pauseOnce = async (writing: Transaction, { since, reason }: Pause): Promise<void> => {
  await writing.run('INSERT INTO sponsorship_pause VALUES (1, $1, $2) ON CONFLICT DO NOTHING', [since, reason]);
  writing.settingsChanged('desk');
};

const pauseDappOnce = async (writing: Transaction, dapp: string, { since, reason }: Pause): Promise<void> => {
  await writing.run('INSERT INTO dapp_pause VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [dapp, since, reason]);
  writing.settingsChanged({ dapp });
};
