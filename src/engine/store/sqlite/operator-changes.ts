import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Change } from '../../../core/log/entry.ts';
import { type Call, currentCall } from '../../base/caller.ts';

/** What an operator's action changed. */
export interface Action extends Call {
  readonly changes: readonly Change[];
}

/** Something that operators change, as the log tells of it. */
interface Subject {
  readonly table: string;
  readonly subject: string;
  /** SQL of what names it, by a row. */
  readonly id: (row: string) => string;
  /** SQL of each value that is told. What is secret is told by its fingerprint. */
  readonly values: (row: string) => Readonly<Record<string, string>>;
}

const plain =
  (columns: Readonly<Record<string, string>>): Subject['values'] =>
  (row) =>
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, `${row}.${column}`]));

const subjects: readonly Subject[] = [
  { table: 'account', subject: 'account', id: (row) => `${row}.account_id`, values: plain({ name: 'name' }) },
  {
    ...{ table: 'auth_token', subject: 'authToken', id: (row) => `${row}.token_id` },
    values: plain({ account: 'account_id', label: 'label', revokedAt: 'revoked_at' }),
  },
  {
    ...{ table: 'paymaster', subject: 'dapp', id: (row) => `${row}.paymaster_id` },
    values: (row) => ({
      ...plain({ name: 'name', chainId: 'chain_id', version: 'version', fundingWallet: 'funding_wallet' })(row),
      ...plain({ lowBalanceThresholdWei: 'low_tank_wei', maxExpirySeconds: 'max_expiry_s', sponsor: 'sponsor' })(row),
      allowedOrigins: `json(${row}.allowed_origins)`,
      apiKeyFingerprint: `fingerprint(${row}.api_key)`,
    }),
  },
  {
    ...{ table: 'smart_contract', subject: 'contract', id: (row) => `${row}.rule_id` },
    values: (row) => ({
      ...plain({ dapp: 'paymaster_id', name: 'name', address: 'address', active: 'active' })(row),
      whitelistedMethods: `json(${row}.whitelisted_methods)`,
      abiFingerprint: `fingerprint(${row}.abi)`,
    }),
  },
  {
    ...{ table: 'rule', subject: 'rule', id: (row) => `${row}.rule_id` },
    values: (row) => ({
      ...plain({ dapp: 'paymaster_id', name: 'name', type: 'policy_type', active: 'active', cycle: 'cycle' })(row),
      data: `json(${row}.policy_data)`,
      binding: `json(${row}.binding)`,
    }),
  },
  {
    ...{ table: 'webhook', subject: 'webhook', id: (row) => `${row}.webhook_id` },
    values: plain({ dapp: 'paymaster_id', url: 'webhook_url', requestType: 'request_type', active: 'active' }),
  },
  {
    ...{ table: 'chain', subject: 'chain', id: (row) => `${row}.chain_id` },
    values: plain({
      ...{ name: 'name', symbol: 'symbol', rpc: 'rpc', bundler: 'bundler', treasury: 'treasury' },
      ...{ breakerWei: 'breaker_wei', breakerSeconds: 'breaker_seconds' },
      ...{ unreachableBudgetWei: 'unreachable_budget_wei', maxOperationCostWei: 'max_operation_cost_wei' },
      price: 'price',
    }),
  },
  { table: 'signer', subject: 'signer', id: (row) => `${row}.chain_id`, values: plain({ address: 'address' }) },
  {
    ...{ table: 'paymaster_contract', subject: 'paymasterContract' },
    id: (row) => `${row}.chain_id || ' ' || ${row}.version`,
    values: plain({ address: 'address', checked: 'checked' }),
  },
  {
    ...{ table: 'fee_token', subject: 'feeToken', id: (row) => `${row}.chain_id || ' ' || ${row}.address` },
    values: plain({ symbol: 'symbol', decimals: 'decimals', premium: 'premium', rate: 'rate', preFund: 'pre_fund' }),
  },
  {
    ...{ table: 'sponsorship_pause', subject: 'pause', id: () => `'desk'` },
    values: plain({ since: 'since', reason: 'reason' }),
  },
  {
    ...{ table: 'dapp_pause', subject: 'pause', id: (row) => `${row}.paymaster_id` },
    values: plain({ since: 'since', reason: 'reason' }),
  },
  {
    ...{ table: 'operator_transaction', subject: 'transaction', id: (row) => `${row}.id` },
    values: (row) =>
      Object.fromEntries(
        ['kind', 'chainId', 'from', 'to', 'valueWei', 'hash', 'state', 'summary'].map((name) => [
          name,
          `${row}.record ->> '${name}'`,
        ]),
      ),
  },
  {
    ...{ table: 'notification_webhook', subject: 'notificationWebhook', id: () => `'desk'` },
    values: plain({ url: 'url' }),
  },
];

const objectOf = (values: Readonly<Record<string, string>>): string =>
  `json_object(${Object.entries(values)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`;

/**
 * Has SQLite keep every change in the transaction that makes it, whoever makes it. The triggers are this connection's own:
 * they follow the code, and other tools can write to the file without them.
 */
const triggersOf = ({ table, subject, id, values }: Subject): string => {
  const trigger = (event: 'INSERT' | 'UPDATE' | 'DELETE'): string => {
    const before = event === 'INSERT' ? 'NULL' : objectOf(values('old'));
    const after = event === 'DELETE' ? 'NULL' : objectOf(values('new'));
    const row = event === 'DELETE' ? 'old' : 'new';
    return `CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON main.${table} BEGIN
      INSERT INTO operator_change (call, subject, id, before, after)
        SELECT current_call(), '${subject}', ${id(row)}, ${before}, ${after} WHERE ${before} IS NOT ${after};
    END;`;
  };
  return [trigger('INSERT'), trigger('UPDATE'), trigger('DELETE')].join('\n');
};

interface ChangeRow {
  call: string;
  subject: string;
  id: string;
  before: string | null;
  after: string | null;
}

const valueOf = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

/** One change per thing: from what it was first to what it is in the end. */
const merged = (rows: readonly ChangeRow[]): Change[] => {
  const byThing = Map.groupBy(rows, ({ subject, id }) => `${subject} ${id}`);
  return [...byThing.values()].flatMap((changes) => {
    const [first, last] = [changes[0], changes.at(-1)];
    if (first === undefined || last === undefined || first.before === last.after) return [];
    const { subject, id } = first;
    return [{ subject, id, before: valueOf(first.before), after: valueOf(last.after) }];
  });
};

const FINGERPRINT_DIGITS = 8;

const fingerprint = (text: unknown): string | null =>
  typeof text === 'string' ? createHash('sha256').update(text).digest('hex').slice(0, FINGERPRINT_DIGITS) : null;

/** What operators change, kept with each change until it is an entry of the log. */
export const operatorChanges = (database: Database.Database) => {
  let mayBePending = true;
  database.function('current_call', () => {
    mayBePending = true;
    return JSON.stringify(currentCall());
  });
  database.function('fingerprint', { deterministic: true }, fingerprint);
  for (const subject of subjects) database.exec(triggersOf(subject));
  const take = database.prepare<[], ChangeRow>(
    'DELETE FROM operator_change RETURNING call, subject, id, before, after',
  );
  return {
    mayBePending: () => mayBePending,
    /** Takes the changes, by the calls that made them; runs inside the transaction of its caller. */
    take(): Action[] {
      if (!mayBePending) return [];
      const rows = take.all();
      // Not where there are some: what takes them may yet be rolled back.
      if (rows.length === 0) mayBePending = false;
      const byCall = Map.groupBy(rows, ({ call }) => call);
      return [...byCall].flatMap(([call, changed]) => {
        const changes = merged(changed);
        return changes.length === 0 ? [] : [{ ...(JSON.parse(call) as Call), changes }];
      });
    },
  };
};
