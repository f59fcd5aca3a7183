import { createHash } from 'node:crypto';
import type { Change, EntryBody } from '../../core/log/entry.ts';
import type { Call } from '../base/caller.ts';
import { type StepRows, type Steps, camelCased, namesOf } from './rows.ts';

type Action = EntryBody<'action'>;

/** A kind of thing that operators change, which is one row of a table. */
interface Subject {
  readonly table: string;
  readonly subject: string;
  /** Columns of its id; empty if there is only one row. */
  readonly id: string;
  /** Recorded columns. */
  readonly columns: string;
  /** Names of recorded values that differ from those of their columns. */
  readonly names?: Readonly<Record<string, string>>;
  /** Columns with JSON. */
  readonly json?: string;
  /** Columns with secret or long text, which is recorded by its fingerprint. */
  readonly fingerprints?: string;
  /** Recorded fields of the JSON in the column `record`. */
  readonly fields?: readonly string[];
}

const subjects: readonly Subject[] = [
  { table: 'account', subject: 'account', id: 'account_id', columns: 'name' },
  {
    table: 'auth_token',
    subject: 'authToken',
    id: 'token_id',
    columns: 'account_id, label, scope, paymaster_id, expires_at, revoked_at',
    names: { account_id: 'account', paymaster_id: 'dapp' },
  },
  {
    table: 'paymaster',
    subject: 'dapp',
    id: 'paymaster_id',
    columns: `name, chain_id, version, funding_wallet, low_tank_wei, max_expiry_seconds, sponsor, token_mode,
      allowed_origins, api_key`,
    names: { low_tank_wei: 'lowBalanceThresholdWei', api_key: 'apiKeyFingerprint' },
    json: 'allowed_origins',
    fingerprints: 'api_key',
  },
  {
    table: 'api_key',
    subject: 'apiKey',
    id: 'key_id',
    columns: 'paymaster_id, label, revoked_at, api_key',
    names: { paymaster_id: 'dapp', api_key: 'fingerprint' },
    fingerprints: 'api_key',
  },
  {
    table: 'smart_contract',
    subject: 'contract',
    id: 'rule_id',
    columns: 'paymaster_id, name, address, active, whitelisted_methods, abi',
    names: { paymaster_id: 'dapp', abi: 'abiFingerprint' },
    json: 'whitelisted_methods',
    fingerprints: 'abi',
  },
  {
    table: 'rule',
    subject: 'rule',
    id: 'rule_id',
    columns: 'paymaster_id, name, policy_type, active, cycle, policy_data, binding',
    names: { paymaster_id: 'dapp', policy_type: 'type', policy_data: 'data' },
    json: 'policy_data, binding',
  },
  {
    table: 'webhook',
    subject: 'webhook',
    id: 'webhook_id',
    columns: 'paymaster_id, webhook_url, request_type, active',
    names: { paymaster_id: 'dapp', webhook_url: 'url' },
  },
  {
    table: 'chain',
    subject: 'chain',
    id: 'chain_id',
    columns: `name, symbol, rpc, bundler, treasury, breaker_wei, breaker_seconds, breaker_off, unreachable_budget_wei,
      max_operation_cost_wei, price, forward_bundler, gas_schedule, gas_schedule_reading`,
  },
  { table: 'signer', subject: 'signer', id: 'chain_id', columns: 'address' },
  { table: 'paymaster_contract', subject: 'paymasterContract', id: 'chain_id, version', columns: 'address, checked' },
  {
    table: 'fee_token',
    subject: 'feeToken',
    id: 'chain_id, address',
    columns: 'symbol, decimals, premium, rate, pre_fund',
  },
  { table: 'sponsorship_pause', subject: 'pause', id: '', columns: 'since, reason' },
  { table: 'dapp_pause', subject: 'pause', id: 'paymaster_id', columns: 'since, reason' },
  {
    table: 'operator_transaction',
    subject: 'transaction',
    id: 'id',
    columns: 'record',
    fields: ['kind', 'chainId', 'from', 'to', 'valueWei', 'hash', 'state', 'summary'],
  },
  {
    table: 'event_webhook',
    subject: 'eventWebhook',
    id: 'webhook_id',
    columns: 'account_id, paymaster_id, url, active, events',
    names: { account_id: 'account', paymaster_id: 'dapp' },
    json: 'events',
  },
  {
    table: 'alert_channel',
    subject: 'alertChannel',
    id: 'channel_id',
    columns: 'account_id, kind, host, recipient, sender, active, quiet',
    names: { account_id: 'account' },
    json: 'quiet',
  },
  { table: 'notification_webhook', subject: 'notificationWebhook', id: '', columns: 'url' },
];

/** What the triggers on a table insert into `operator_change`, in SQL. */
interface ChangeSql {
  readonly table: string;
  readonly subject: string;
  /** Id of a row. @param row `old` or `new`, here and below */
  readonly id: (row: string) => string;
  /** The recorded columns of a row, as a JSON object. */
  readonly values: (row: string) => string;
}

/** What triggers record of each change. @param jsonObject the database's function that makes a JSON object of names and values */
export const recordedChanges = (jsonObject: string): ChangeSql[] =>
  subjects.map(({ table, subject, id, columns }) => ({
    table,
    subject,
    id: (row) =>
      id === ''
        ? `'desk'`
        : namesOf(id)
            .map((column) => `${row}.${column}`)
            .join(` || ' ' || `),
    values: (row) =>
      `${jsonObject}(${namesOf(columns)
        .map((column) => `'${column}', ${row}.${column}`)
        .join(', ')})`,
  }));

const FINGERPRINT_DIGITS = 8;

const fingerprint = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, FINGERPRINT_DIGITS);

interface ChangeRow {
  changeId: number;
  call: string;
  subject: string;
  id: string;
  before: string | null;
  after: string | null;
}

/** The values that the log records of a row. */
const recorded = (name: string, row: string | null): unknown => {
  if (row === null) return null;
  const stored = JSON.parse(row) as Readonly<Record<string, unknown>>;
  const subject = subjects.find((one) => one.subject === name);
  if (subject === undefined) return stored;
  const { names = {}, json = '', fingerprints = '', fields } = subject;
  if (fields !== undefined) {
    const record = JSON.parse(stored['record'] as string) as typeof stored;
    return Object.fromEntries(fields.map((field) => [field, record[field] ?? null]));
  }
  const read = (column: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (namesOf(json).includes(column)) return JSON.parse(value);
    return namesOf(fingerprints).includes(column) ? fingerprint(value) : value;
  };
  return Object.fromEntries(
    Object.entries(stored).map(([column, value]) => [names[column] ?? camelCased(column), read(column, value)]),
  );
};

/** Merges the changes to each subject into one, from the first value to the last. */
const merged = (rows: readonly ChangeRow[]): Change[] => {
  const byThing = Map.groupBy(rows, ({ subject, id }) => `${subject} ${id}`);
  return [...byThing.values()].flatMap((changes) => {
    const [first, last] = [changes[0], changes.at(-1)];
    if (first === undefined || last === undefined || first.before === last.after) return [];
    const { subject, id } = first;
    return [{ subject, id, before: recorded(subject, first.before), after: recorded(subject, last.after) }];
  });
};

const TAKE = 'DELETE FROM operator_change RETURNING change_id, call, subject, id, before, after';

/** Takes the changes, grouped by the calls that made them. The next entries of the log contain them. */
export const takeChanges = function* (tx: StepRows): Steps<Action[]> {
  const rows = yield* tx.all<ChangeRow>(TAKE);
  const byCall = Map.groupBy(
    rows.sort((a, b) => a.changeId - b.changeId),
    ({ call }) => call,
  );
  return [...byCall].flatMap(([call, changed]) => {
    const changes = merged(changed);
    if (changes.length === 0) return [];
    const { action, via, by } = JSON.parse(call) as Call;
    return [{ action, via, by, changes }];
  });
};
