import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { account, decision, paymaster } from '../../../../../test/support/store-records.ts';
import { useTempFolders } from '../../../../../test/support/temp-folder.ts';
import { tankAccount } from '../../../../core/rules/gas-tank.ts';
import { createLog } from '../../../base/log.ts';
import type { DecisionDraft } from '../../decision-store.ts';
import type { Store } from '../../store.ts';
import { migrate } from '../migrate.ts';
import { ManualClock } from '../../../../../test/support/manual-clock.ts';
import { openSqliteStore } from '../sqlite-store.ts';
import { initial } from './0010-initial.ts';
import { endExpired } from '../../../../../test/support/end-expired.ts';

const CONTRACT = '0x00000000000000000000000000000000000000cc';
const WALLET = '0x00000000000000000000000000000000000000ff';
/** Schema 10's name of a gas tank. */
const TANK = `31337:${CONTRACT}:${WALLET}`;
const WEI = 2n ** 70n;
const sponsored = { paymasterAndData: `${CONTRACT}${'00'.repeat(32)}`, chainId: 31337 };

/** Decisions as schema 10 stored them, and the wei that each had promised. */
const before: { draft: DecisionDraft; promised?: bigint }[] = [
  {
    draft: decision({ ...sponsored, id: 'open', validUntil: 1_000, userOpHash: `0x${'01'.repeat(32)}` }),
    promised: WEI,
  },
  {
    draft: decision({ ...sponsored, id: 'late', validUntil: 5_000, userOpHash: `0x${'02'.repeat(32)}` }),
    promised: 7n,
  },
  { draft: decision({ ...sponsored, id: 'over', settlement: 'released', userOpHash: `0x${'03'.repeat(32)}` }) },
  {
    draft: decision({
      id: 'denied',
      outcome: 'denied',
      rule: 'gasTank',
      settlement: null,
      userOpHash: null,
      paymasterAndData: '0x',
    }),
  },
];

/** Writes a database of schema 10 as the engine of that time did. */
const writeSchema10 = (file: string): void => {
  const database = new Database(file);
  migrate(database, [initial]);
  database.prepare('INSERT INTO account VALUES (@accountId, @name, @createdAt)').run(account);
  const { allowedOrigins: _none, ...dapp } = paymaster({ fundingWallet: WALLET });
  database
    .prepare(
      `INSERT INTO paymaster VALUES (@paymasterId, @accountId, @name, @chainId, @apiKey, @version, @fundingWallet, 4,
         @createdAt)`,
    )
    .run(dapp);
  database
    .prepare(
      `INSERT INTO rule VALUES ('limit-1', 'dapp-1', 'Five a day', 'PAYMASTER_SA_LIMIT', '{"threshold":"5"}', 0)`,
    )
    .run();
  database.prepare('INSERT INTO tank VALUES (?, ?)').run(TANK, String(WEI + 7n));
  const insert = database.prepare(
    `INSERT INTO decision (id, at, paymaster_id, sender, outcome, user_op_hash, settlement, actual_cost_wei, record)
     VALUES (@id, @at, @paymasterId, @sender, @outcome, @userOpHash, @settlement, @actualCostWei, @record)`,
  );
  for (const { draft, promised } of before) {
    const { settlement, actualCostWei: _later, ...record } = draft;
    const { lastInsertRowid } = insert.run({ ...draft, settlement, record: JSON.stringify(record) });
    if (promised === undefined) continue;
    database.prepare('INSERT INTO tank_promise VALUES (?, ?, ?, 0)').run(lastInsertRowid, TANK, String(promised));
  }
  database.close();
};

const tempFolder = useTempFolders();
let file: string;
beforeEach(() => {
  file = join(tempFolder(), 'gasdesk.db');
  writeSchema10(file);
});

const withStore = async (use: (store: Store) => Promise<void>): Promise<void> => {
  const clock = new ManualClock();
  const store = openSqliteStore(file, { clock, log: createLog({ level: 'silent' }) });
  try {
    await use(store);
  } finally {
    expect(await store.integrityFaults()).toEqual([]);
    await store.close();
  }
};

/** The tank's promised amount, as decisions see it. */
const promisedOf = async (store: Store): Promise<bigint> => {
  const tank = tankAccount(31337, { address: CONTRACT, fundingWallet: WALLET });
  const [promised] = await store.heldOf([{ account: tank }]);
  return promised!;
};

describe('a database of the version before', () => {
  it('keeps what its gas tanks have promised, or the same wei could be promised twice', () =>
    withStore(async (store) => {
      expect(await promisedOf(store)).toBe(WEI + 7n);
    }));

  it('keeps every decision as it was', () =>
    withStore(async (store) => {
      const { decisions } = await store.pageDecisions({ after: 0, limit: 10 });
      expect(decisions).toEqual(before.map(({ draft }, index) => ({ ...draft, seq: index + 1 })));
    }));

  it('settles what was sponsored then: by its event, or by its end', () =>
    withStore(async (store) => {
      expect(await store.settlementChains()).toEqual([31337]);
      expect(await store.settlementState(31337)).toMatchObject({
        cursor: undefined,
        oldestReservedAt: decision().at,
        entryPoints: [decision().entryPoint],
        paymasters: [CONTRACT],
      });
      const { userOpHash } = before[1]!.draft;
      const mined = { userOpHash: userOpHash as `0x${string}`, success: true, actualGasCost: 3n, actualGasUsed: 1n };
      const slot = { entryPoint: CONTRACT, paymaster: CONTRACT, sender: CONTRACT, nonce: 0n } as const;
      const block = { blockNumber: 9, blockHash: '0x', transactionHash: '0x' } as const;
      const range = { chainId: 31337, fromBlock: 0, toBlock: 9, cursor: 9 };
      await store.applySettlements({ ...range, mined: [{ ...mined, ...slot, ...block }] });
      expect(await promisedOf(store)).toBe(WEI);
      expect(await store.findDecision('late')).toMatchObject({ settlement: 'settled', actualCostWei: '3' });

      const expiry = { chainId: 31337, to: 'released' } as const;
      expect(await endExpired(store, { ...expiry, validUntilBefore: 1_000 })).toBe(0);
      expect(await endExpired(store, { ...expiry, validUntilBefore: 1_001 })).toBe(1);
      expect(await promisedOf(store)).toBe(0n);
    }));

  it('keeps its rules, paused ones too, and leaves a copy of itself behind', () =>
    withStore(async (store) => {
      const { revision, rules } = await store.dappPolicy('dapp-1');
      expect(revision).toBe(4);
      expect(rules).toMatchObject([{ ruleId: 'limit-1', active: false, cycle: 0, policyData: { threshold: '5' } }]);
      expect(existsSync(`${file}.before-20`)).toBe(true);
    }));
});
