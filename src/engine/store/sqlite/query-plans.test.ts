import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { toldChanges } from '../../../../test/store/conformance/operator-changes.ts';
import { account, decision, limitRule, paymaster, webhook } from '../../../../test/support/store-records.ts';
import { createLog } from '../../base/log.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import { type Store, storeOf } from '../store.ts';
import { decisionStore } from '../tables/decisions.ts';
import { logCheckStore } from '../tables/log-check.ts';
import { openDatabase } from './open.ts';
import { snapshotStore } from './snapshots.ts';
import { accessOf } from './access.ts';

/** Every statement that the store has prepared, for any purpose. */
const statements: string[] = [];
/** Operations whose statements are unknown. */
let uncalled: Set<string>;
let dir: string;
let database: Database.Database;

/** Operations that change nothing which the log reports. */
const LIMIT = { kind: 'limit', id: 'limit', window: 0, place: { group: 'dapp', name: 'limit:0' } } as const;

const useRest = async (store: Store): Promise<void> => {
  const [dapp, chain, at] = ['dapp-1', 31_337, 1];
  const key = { keyId: 'k2', paymasterId: dapp, apiKey: 'k2', label: '', createdAt: 1 };
  const unnamed = { name: null, symbol: null, rpc: null, bundler: null, treasury: null, price: null };
  const unset = {
    ...unnamed,
    breaker: 'default',
    unreachableBudgetWei: null,
    maxOperationCostWei: null,
    forwardBundler: null,
    gasSchedule: null,
  } as const;
  const condition = { kind: 'tank', subject: '' } as never;
  const eventWebhook = {
    webhookId: 'e',
    accountId: null,
    paymasterId: dapp,
    url: '',
    events: [],
    active: true,
    createdAt: 1,
  };
  const position = { entry: 0, part: 0, notification: 0, attempts: 0, failedAt: null, nextAt: 0 };
  const call = {
    attempts: 1,
    attemptedAt: 1,
    nextAt: null,
    status: null,
    error: null,
    ms: 1,
    requestHeaders: '',
    requestBody: '',
  };
  const event = {
    webhookId: 'e',
    eventId: 'i',
    type: 'operation.denied',
    at: 1,
    source: 'entry',
    position: 1,
  } as const;
  const delivery = { ...event, ...call, response: '', state: 'delivered' } as const;
  const place = { kind: 'slack', host: '', recipient: null, sender: null, quiet: null } as const;
  const channel = { channelId: 'c', accountId: null, ...place, active: true, createdAt: 1 };
  const operation = { entryPoint: '0x1', paymaster: '0x2', sender: '0x3', nonce: 1n, success: true } as const;
  const charged = {
    actualGasCost: 1n,
    actualGasUsed: 1n,
    blockNumber: 1,
    blockHash: '0x',
    transactionHash: '0x',
  } as const;
  const hashes = [
    { userOpHash: '0x4' },
    { userOpHash: '0x5', sponsoredHashes: [decision().userOpHash as Hex] },
  ] as const;
  const mined = hashes.map((one) => ({ ...operation, ...charged, ...one }));
  const rolling = { kind: 'unreachable', id: '1' } as const;
  const { place: ofLimit } = LIMIT;
  const bundle = { gasUsed: 1n, chargedGas: 1n, baseFeeWei: 1n, l1FeeWei: 0n };
  const operations: readonly (() => unknown)[] = [
    () => store.createFirstAccount(account),
    () => store.listAccounts(),
    () => store.findAccount('account-1'),
    () => store.listAuthTokens(),
    () => store.findAuthToken('hash'),
    () => store.listDapps(),
    () => store.findDapp(dapp),
    () => store.findDappByApiKey('key'),
    () => store.countDapps(chain),
    () => store.setMaxExpiry(dapp, 60),
    () => store.findFundingMessage(dapp),
    () => store.listFundingWalletChanges(dapp),
    () => store.listApiKeys(dapp),
    () => store.replaceApiKeys({ ...key, lastUsedAt: null, revokedAt: null }),
    () => store.findContract(dapp, '0x'),
    () => store.deleteRule(dapp, limitRule().ruleId),
    () => store.isWebhook('id'),
    () => store.setWebhookActive(dapp, webhook().webhookId, false),
    () => store.deleteWebhook(dapp, webhook().webhookId),
    () => store.dappPolicy(dapp),
    () => store.findPause(),
    () => store.listDappPauses(),
    () => store.resumes(dapp),
    () => store.settingsChanges(),
    () => store.recordPolicy(dapp, { hash: 'hash', policy: {} as never }, at),
    () => store.policyHistory(dapp, 1),
    () => store.findRevisions(dapp, 'h'),
    () => store.findPolicy('other'),
    () => store.saveChain({ ...unset, chainId: chain }),
    () => store.saveGasSchedule(chain, null),
    () => store.listChains(),
    () => store.findChain(chain),
    () => store.listSigners(),
    () => store.findSigner(chain),
    () => store.listPaymasterContracts(),
    () => store.findPaymasterContract(chain, '1.1.0'),
    () => store.listFeeTokens(),
    () => store.chainFees(chain),
    () => store.saveChainFees(chain, { baseFee: { block: 1, baseFeeWei: 1n, at }, tip: { hour: 1, lowestWei: 1n } }),
    () => store.listOperatorTransactions({}),
    () => store.openOperatorTransactions(),
    () =>
      store.raiseNotification({
        ...(condition as object),
        id: 'n',
        raisedAt: 1,
        title: '',
        body: '',
        decisionId: null,
      } as never),
    () => store.endNotification(condition, at),
    () => store.openNotifications(),
    () => store.listNotifications(1),
    () => store.countUnseenNotifications(),
    () => store.markNotificationsSeen(1),
    () => store.dueNotifications(),
    () => store.createEventWebhook(eventWebhook),
    () => store.listEventWebhooks(),
    () => store.saveEventWebhook(eventWebhook),
    () => store.eventEntries({ from: 0, limit: 9, scope: eventWebhook, outcomes: ['denied'], kinds: ['policy'] }),
    () => store.eventNotifications(0, 9),
    () => store.saveEventPosition(eventWebhook.webhookId, position, [delivery]),
    () => store.listEventDeliveries({ webhookId: eventWebhook.webhookId, limit: 9 }),
    () => store.dueEventDeliveries(eventWebhook.webhookId, 1, 9),
    () => store.redeliverEvents(eventWebhook.webhookId),
    () => store.deleteEventWebhook(eventWebhook.webhookId),
    () => store.createAlertChannel(channel),
    () => store.listAlertChannels(),
    () => store.saveAlertChannel(channel),
    () => store.dueAlerts(channel.channelId, 9),
    () => store.alertSent(channel.channelId, { notification: { seq: 1 } as never, isEnd: false }),
    () => store.saveAlertAttempt(channel.channelId, { attempts: 0, nextAt: 0, attemptedAt: null, error: null }),
    () => store.deleteAlertChannel(channel.channelId),
    () => store.notificationSent({ seq: 1, endedAt: at }),
    () => store.findNotificationWebhook(),
    () => store.pageFeed({ after: 0, limit: 1 }),
    () => store.findDecision('id'),
    () => store.minedBlock('id'),
    () => store.webhookCalls({ paymasterId: dapp, decisions: 1 }),
    () => store.shadowResult({ ruleId: 'r', cycle: 1 }),
    () => store.paidSince({ paymasterIds: [dapp], from: 0, to: 1 }),
    () => store.summarizeDecisions({ from: Number.MAX_SAFE_INTEGER, stepMs: 1, steps: 1 }),
    () => store.summarizeDecisions({ paymasterId: dapp, from: 0, stepMs: 1, steps: 1 }),
    () => store.outstandingReservations(),
    () => store.rollingHoldings(rolling),
    () => store.forgetRolling(rolling, 2),
    () => store.windowUsers([{ place: ofLimit, threshold: 1n, most: 1 }]),
    () => store.settlementChains(),
    () => store.settlementState(chain),
    () => store.operationsWithoutDecision(chain, mined),
    () => store.applySettlements({ chainId: chain, fromBlock: 1, toBlock: 1, mined, cursor: 1 }),
    () => store.countUnmatched(chain, 1),
    () => store.moveSettlementCursor(chain, 1),
    () => store.openReservations({ chainId: chain, after: { validUntil: 0, seq: 0 }, validUntilBefore: 1, most: 1 }),
    () => store.endReservations([1], 'released'),
    () => store.deskId(),
    () => store.wasCalled('desk'),
    () => store.logStart(),
    () => store.logStop(),
    () => store.logAction({ action: 'a', via: 'cli', by: 'operator', changes: [] }),
    () => store.logLines({ from: 0, limit: 1 }),
    () => store.listDecisions({ text: 'no such text', limit: 1 }),
    () => store.listDecisions({ text: 'z', limit: 1 }),
    async () => {
      while (await store.fillSearchIndex(true));
    },
    () => store.listDecisions({ text: decision().id, limit: 1 }),
    () => store.listDecisions({ sender: decision().sender, paymasterId: 'dapp', outcome: 'denied', limit: 1 }),
    () => store.listLog({ limit: 1 }),
    () => store.listLog({ kind: 'action', limit: 1 }),
    () => store.entryOfDecision('id'),
    () => store.logHead(512),
    () => store.inclusionProof(1, 512),
    () => store.consistencyProof(1, 512),
    () => store.subtreeHashes({ start: 0, end: 512 }),
    () => store.saveCheckpoint({ size: 1, at, note: '' }),
    () => store.operationsWithoutReceipt(1, 1),
    () => store.saveReceipts([{ seq: 1, blockHash: '0x1', bundler: '0x1', bundle, coinUsd: null }]),
    () => store.paidOperations('dapp-1', { at: 0, seq: -1 }, 10),
    () => store.newestCheckpoint(),
    () => store.listCheckpoints({ after: 0, limit: 1 }),
    () => store.acceptRollback({ deskId: 'd', size: 1, hash: '' }),
  ];
  for (const operation of operations) await operation();
};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'gasdesk-plans-'));
  database = openDatabase(join(dir, 'gasdesk.db'));
  const prepare = vi.spyOn(database, 'prepare');
  const access = accessOf(database, { clock: new ManualClock(), timed: (_statement, run) => run() });
  const other = async (): Promise<never> => Promise.reject(new Error('Not a statement of the tables'));
  const own = { ...snapshotStore(database, access.commit), countDecisions: other, close: other };
  const options = { log: createLog({ level: 'silent' }), engine: 0 };
  const tables = storeOf(access, options, { ...own, logChanges: access.logChanges });
  // Tests of their own call these.
  const elsewhere = Object.keys({
    ...own,
    ...decisionStore(access, options),
    ...logCheckStore(access.rows),
    logChanges: 0,
  });
  uncalled = new Set(Object.keys(tables).filter((name) => !elsewhere.includes(name)));
  // Statements are prepared at first use.
  const called = Object.entries(tables).map(([name, operation]) => [
    name,
    (...args: never[]): unknown => {
      uncalled.delete(name);
      return (operation as (...args: never[]) => unknown)(...args);
    },
  ]);
  const store = Object.fromEntries(called) as Store;
  await store.createAccount(account);
  await store.createDapp(paymaster());
  await toldChanges(store);
  // Some statements are only used if rows exist.
  const bucket = { account: { kind: 'unreachable', id: '2', window: 5 }, kind: 'count', amount: 1n, since: 1 } as const;
  const ofUser = { account: { kind: 'user', id: 'tank', user: '0xaa' }, kind: 'count', amount: 1n } as const;
  await store.decideAndReserve(
    {
      reservations: [bucket, ofUser, { account: LIMIT, kind: 'count', amount: 1n }],
      ledgerVersion: await store.ledgerVersion(),
    },
    () => ({ decision: () => decision(), reserve: true }),
  );
  await store.hasOtherAccount(ofUser.account);
  await store.heldOf([{ account: { ...LIMIT, user: '0xaa' } }]);
  database.exec(`INSERT INTO watched_paymaster VALUES (1, '', '');
    INSERT INTO ledger_account VALUES (100, 'unreachable', '1', 1, '', '1')`);
  await useRest(store);
  for (const paymasterId of [undefined, 'dapp']) {
    for (const outcome of [undefined, 'denied'] as const) {
      for (const before of [undefined, 5]) await store.listDecisions({ paymasterId, outcome, before, limit: 1 });
      await store.pageDecisions({ paymasterId, outcome, after: 0, limit: 1 });
    }
  }
  statements.push(...new Set(prepare.mock.calls.map(([sql]) => sql)));
  prepare.mockRestore();
});
afterAll(() => {
  database.close();
  rmSync(dir, { recursive: true, force: true });
});

/** SQLite's plan for a statement, one line per step; parameters stay parameters, or it would fold them away. */
const plan = (sql: string): string[] => {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name!, null]);
  const values = names.length > 0 ? [Object.fromEntries(names) as object] : [...sql.matchAll(/\?/g)].map(() => null);
  const steps = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return steps.map(({ detail }) => detail);
};

const containing = (text: string): string[] =>
  statements.filter((sql) => sql.replaceAll('"', '').replaceAll(/\s+/g, ' ').includes(text));

describe('the plans of the statements', () => {
  it('knows the statements, or it would look at none', () => {
    expect([...uncalled]).toEqual([]);
    expect(statements.length).toBeGreaterThan(40);
  });

  it('reads whole tables only where a whole, small table is asked for', () => {
    const scanned = statements.flatMap((sql) => plan(sql)).filter((line) => /^SCAN (?!CONSTANT ROW)/.test(line));
    expect([...new Set(scanned.map((line) => line.replace(/ USING.*/, '')))].sort()).toEqual([
      'SCAN account',
      'SCAN alert_channel',
      'SCAN alert_due',
      'SCAN auth_token',
      'SCAN chain',
      'SCAN chain_cursor',
      // DApps that have their own pause.
      'SCAN dapp_pause',
      // One row: the progress of the hashes.
      'SCAN decision_hash_end',
      'SCAN desk',
      'SCAN event_webhook',
      'SCAN fee_token',
      // What the parts of a query have found: decisions and other entries, each by its position.
      'SCAN feed',
      // The senders of the operations in a range of blocks.
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
      // Holds for withdrawals in flight.
      'SCAN ledger_hold',
      'SCAN log',
      // A few hundred, by seq, and the webhook: one row.
      'SCAN notification',
      'SCAN notification_webhook',
      // The operator's transactions, newest first, up to the limit.
      'SCAN operator_change',
      'SCAN operator_transaction',
      'SCAN paymaster',
      'SCAN paymaster_contract',
      // A row for every 16,384 positions of the log.
      // The revisions of a policy that a statement has found by their hashes: a whole one, and some changes.
      'SCAN revision',
      'SCAN search_lot',
      'SCAN signer',
      // One row: the number of resumes.
      'SCAN sponsorship_pause',
      'SCAN sponsorship_resume',
      'SCAN watched_paymaster',
    ]);
  });

  it('lists the decisions of a DApp without reading those of the others', () => {
    const pages = containing('FROM decision WHERE decision.seq > ? AND decision.seq <= ?');
    const lists = pages.filter((sql) => !sql.includes('decision.seq IN') && !sql.includes('sender'));
    expect(lists).toHaveLength(8);
    for (const sql of lists) expect(plan(sql), sql).toEqual([expect.stringMatching(/^SEARCH decision USING/)]);
    const ofDapp = lists.filter((sql) => sql.includes('paymaster_id = ?') && !sql.includes('outcome = ?'));
    expect(ofDapp).toHaveLength(2);
    for (const sql of ofDapp)
      expect(plan(sql)[0]).toContain('decision_of_paymaster (paymaster_id=? AND seq>? AND seq<?)');
  });

  it('never sorts decisions, of which there may be millions, but a page of the log and a lot of new ones', () => {
    const sorted = containing('FROM decision').filter((sql) => plan(sql).some((line) => line.includes('TEMP B-TREE')));
    expect(sorted).toEqual([
      expect.stringContaining('INSERT INTO decision_hash'),
      // A page of the log.
      expect.stringContaining('position >= ? AND position < ?'),
    ]);
    expect(plan(sorted[0] ?? '')[0]).toContain('PRIMARY KEY (rowid>? AND rowid<?)');
  });

  it('finds the decisions of a hash by the key', () => {
    const [sql = '', ...others] = containing('decision_hash.user_op_hash = ?');
    expect(others).toEqual([]);
    expect(plan(sql)[0]).toContain('PRIMARY KEY (user_op_hash=?)');
  });

  it('looks for the decisions of an unknown hash only among those that are reserved, or were mined lately', () => {
    const [sql = '', ...others] = containing('record FROM decision WHERE sender');
    expect(others).toEqual([]);
    const steps = plan(sql).filter((line) => /^(SCAN|SEARCH)/.test(line));
    expect(steps).toEqual([
      expect.stringContaining('SEARCH decision USING INTEGER PRIMARY KEY (rowid=?)'),
      expect.stringContaining('decision_expiry (chain_id=?)'),
      expect.stringContaining('decision_settled (chain_id=? AND settled_block>?)'),
      expect.stringContaining('SCAN json_each'),
    ]);
  });

  it.each([
    ['all grams of a search', 'AND gram IN', 'gram=?'],
    ['the grams that begin with a text', 'AND gram BETWEEN', 'gram>? AND gram<?'],
  ])('finds %s in a lot by the key', (_what, text, grams) => {
    const [sql = '', ...others] = containing(text);
    expect(others).toEqual([]);
    expect(plan(sql).filter((line) => line.startsWith('SEARCH'))).toEqual([
      'SEARCH search_lot USING INTEGER PRIMARY KEY (rowid=?)',
      `SEARCH search_gram USING PRIMARY KEY (lot=? AND ${grams}) LEFT-JOIN`,
    ]);
  });

  it('reads only the decisions that the search index names', () => {
    const found = containing('AND decision.seq IN (SELECT value');
    expect(found).toHaveLength(2);
    for (const sql of found) expect(plan(sql)[0]).toMatch(/^SEARCH decision USING .*\b(?:rowid|seq)=\?/);
  });

  it('adds up what is reserved from the reserved decisions alone', () => {
    const [sql = ''] = containing('AS paymasterId, reserves');
    expect(plan(sql)).toEqual([expect.stringContaining('decision_open (chain_id=? AND seq>?)')]);
  });

  it.each([
    [
      'what an account of the ledger holds',
      'held FROM ledger_account WHERE kind = ? AND id = ? AND window = ? AND user = ?',
      'ledger_account_key (kind=? AND id=? AND window=? AND user=?)',
    ],
    [
      'what a rolling window holds',
      'held FROM ledger_account WHERE kind = ? AND id = ? AND window >= ?',
      'ledger_account_key (kind=? AND id=? AND window>?)',
    ],
    [
      'the parts of a rolling window',
      'SELECT window, held FROM ledger_account',
      'ledger_account_key (kind=? AND id=?)',
    ],
    ['the newest part of one', 'SELECT max(window)', 'ledger_account_key (kind=? AND id=?)'],
    ['all parts of one', 'DELETE FROM ledger_account WHERE kind = ?', 'ledger_account_key (kind=? AND id=?)'],
    ['the users of a window', 'SELECT user, held FROM limit_row', 'limit_row_key (group_id=? AND user>?)'],
    [
      'a group of limits',
      'SELECT group_id, name, limits FROM limit_group WHERE name',
      'sqlite_autoindex_limit_group_1 (name=?)',
    ],
    [
      'the limits of a user',
      'held FROM limit_row WHERE group_id = ? AND user = ?',
      'limit_row_key (group_id=? AND user=?)',
    ],
    ['two users of a tank', 'SELECT user FROM ledger_account', 'ledger_account_key (kind=? AND id=?)'],
    ['what the operator sent', 'FROM operator_transaction WHERE open', 'operator_transaction_open'],
    ['the oldest open decision of a chain', 'SELECT at FROM decision', 'decision_open (chain_id=?)'],
    [
      'what unmatched operations were',
      'count(*) AS n FROM decision WHERE chain_id',
      'decision_unmatched (chain_id=? AND at>?)',
    ],
    ['whether a decision is reserved', 'reserves FROM decision WHERE seq = ?', 'PRIMARY KEY (rowid=?)'],
    [
      'reservations in the order they expire',
      '(valid_until, seq) >',
      'decision_expiry (chain_id=? AND valid_until>? AND valid_until<?)',
    ],
    [
      'decisions settled in a range of blocks',
      'settled_block BETWEEN',
      'decision_settled (chain_id=? AND settled_block>? AND settled_block<?)',
    ],
    ['where settlement stands', 'FROM chain_cursor WHERE', 'PRIMARY KEY (rowid=?)'],
    ['the paymasters that settlement looks for', 'FROM watched_paymaster WHERE', 'PRIMARY KEY (chain_id=?)'],
    ['the keys of a DApp', 'FROM api_key WHERE paymaster_id = ? ORDER BY created_at, place', 'api_key_of_paymaster'],
    ['a key by its id', 'FROM api_key WHERE key_id', 'sqlite_autoindex_api_key_1 (key_id=?)'],
    ['the key that was used', 'UPDATE api_key SET last_used_at', 'sqlite_autoindex_api_key_2 (api_key=?)'],
    ['the token that was used', 'UPDATE auth_token SET last_used_at', 'sqlite_autoindex_auth_token_1 (token_id=?)'],
    ['a token by its hash', 'FROM auth_token WHERE hash', 'sqlite_autoindex_auth_token_2 (hash=?)'],
    ['a decision by its id', 'record FROM decision WHERE id', 'sqlite_autoindex_decision_1 (id=?)'],
    ['the block of a decision', 'settled_block AS block FROM decision WHERE id', 'sqlite_autoindex_decision_1 (id=?)'],
    ['the webhooks of a DApp', 'FROM webhook WHERE paymaster_id = ? ORDER', 'webhook_of_paymaster (paymaster_id=?)'],
  ])('finds %s by an index', (_what, text, index) => {
    const [sql, ...others] = containing(text);
    expect(others).toEqual([]);
    expect(plan(sql!)).toEqual([expect.stringContaining(index)]);
  });

  it('adds up what was paid from tanks by an index that has the amounts', () => {
    const [sql, ...others] = containing('AS first_at');
    expect(others).toEqual([]);
    expect(plan(sql!)).toEqual([
      expect.stringContaining('COVERING INDEX decision_paid (paymaster_id=? AND at>? AND at<?)'),
      'LIST SUBQUERY 1',
      expect.stringContaining('SCAN json_each'),
    ]);
  });

  it('finds the DApp of an API key by indexes', () => {
    const [sql, ...others] = containing('SELECT paymaster_id FROM api_key WHERE api_key');
    expect(others).toEqual([]);
    expect(plan(sql!)).toEqual([
      expect.stringContaining('sqlite_autoindex_paymaster_1 (paymaster_id=?)'),
      expect.stringContaining('SCALAR SUBQUERY'),
      expect.stringContaining('sqlite_autoindex_api_key_2 (api_key=?)'),
    ]);
  });

  it('reads the feed from a position on, each decision by its seq', () => {
    const [page = '', ...others] = containing('AS feed JOIN decision');
    expect(others).toEqual([]);
    expect(plan(page).filter((line) => /^(SCAN|SEARCH)/.test(line))).toEqual([
      'SEARCH decision USING INTEGER PRIMARY KEY (rowid>?)',
      'SEARCH log_entry USING INTEGER PRIMARY KEY (rowid>?)',
      'SCAN feed',
      'SEARCH decision USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
    expect(plan(page).join()).not.toContain('TEMP B-TREE');
  });

  it('reads the log in order, decisions and other entries each by its position', () => {
    const [lines = '', ...others] = containing('AS previous FROM log WHERE position >= ?');
    expect(others).toEqual([]);
    const steps = plan(lines).filter((line) => line.startsWith('SEARCH'));
    expect(steps).toHaveLength(4);
    for (const step of steps) expect(step).toMatch(/USING INTEGER PRIMARY KEY \(rowid/);
  });

  it('finds the oldest parts of a rolling window by an index', () => {
    const [sql] = containing('DELETE FROM ledger_account WHERE window < ?');
    const search = (window: string) =>
      expect.stringContaining(`ledger_account_key (kind=? AND id=?${window})`) as string;
    expect(plan(sql!)).toEqual([search(' AND window<?'), 'SCALAR SUBQUERY 1', search('')]);
  });
});
