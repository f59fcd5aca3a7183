import type { Change, EntryBody } from '../../core/log/entry.ts';
import type { Call } from '../base/caller.ts';
import type { StepRows, Steps } from './rows.ts';

type Action = EntryBody<'action'>;

export interface Dialect {
  /** SQL that reads a text column as JSON. */
  readonly json: (column: string) => string;
  /** SQL for a field of such JSON: text, a number or null. */
  readonly field: (column: string, name: string) => string;
  /** SQL for a fingerprint that distinguishes secret values: the first 8 hex digits of the text's SHA-256. */
  readonly fingerprint: (column: string) => string;
}

export interface Subject {
  readonly table: string;
  readonly subject: string;
  /** SQL for its id, given a row. */
  readonly id: (row: string) => string;
  /** SQL for each recorded value. Secret values are recorded by their fingerprints. */
  readonly values: (row: string, dialect: Dialect) => Readonly<Record<string, string>>;
}

type Names = Readonly<Record<string, string>>;

const columns = (names: Names, row: string): Names =>
  Object.fromEntries(Object.entries(names).map(([name, column]) => [name, `${row}.${column}`]));

const plain =
  (names: Names): Subject['values'] =>
  (row) =>
    columns(names, row);

export const subjects: readonly Subject[] = [
  { table: 'account', subject: 'account', id: (row) => `${row}.account_id`, values: plain({ name: 'name' }) },
  {
    table: 'auth_token',
    subject: 'authToken',
    id: (row) => `${row}.token_id`,
    values: plain({
      account: 'account_id',
      label: 'label',
      scope: 'scope',
      dapp: 'paymaster_id',
      expiresAt: 'expires_at',
      revokedAt: 'revoked_at',
    }),
  },
  {
    table: 'paymaster',
    subject: 'dapp',
    id: (row) => `${row}.paymaster_id`,
    values: (row, { json, fingerprint }) => ({
      ...columns({ name: 'name', chainId: 'chain_id', version: 'version', fundingWallet: 'funding_wallet' }, row),
      ...columns(
        { lowBalanceThresholdWei: 'low_tank_wei', maxExpirySeconds: 'max_expiry_seconds', sponsor: 'sponsor' },
        row,
      ),
      ...columns({ tokenMode: 'token_mode' }, row),
      allowedOrigins: json(`${row}.allowed_origins`),
      apiKeyFingerprint: fingerprint(`${row}.api_key`),
    }),
  },
  {
    table: 'api_key',
    subject: 'apiKey',
    id: (row) => `${row}.key_id`,
    values: (row, { fingerprint }) => ({
      ...columns({ dapp: 'paymaster_id', label: 'label', revokedAt: 'revoked_at' }, row),
      fingerprint: fingerprint(`${row}.api_key`),
    }),
  },
  {
    table: 'smart_contract',
    subject: 'contract',
    id: (row) => `${row}.rule_id`,
    values: (row, { json, fingerprint }) => ({
      ...columns({ dapp: 'paymaster_id', name: 'name', address: 'address', active: 'active' }, row),
      whitelistedMethods: json(`${row}.whitelisted_methods`),
      abiFingerprint: fingerprint(`${row}.abi`),
    }),
  },
  {
    table: 'rule',
    subject: 'rule',
    id: (row) => `${row}.rule_id`,
    values: (row, { json }) => ({
      ...columns({ dapp: 'paymaster_id', name: 'name', type: 'policy_type', active: 'active', cycle: 'cycle' }, row),
      data: json(`${row}.policy_data`),
      binding: json(`${row}.binding`),
    }),
  },
  {
    table: 'webhook',
    subject: 'webhook',
    id: (row) => `${row}.webhook_id`,
    values: plain({ dapp: 'paymaster_id', url: 'webhook_url', requestType: 'request_type', active: 'active' }),
  },
  {
    table: 'chain',
    subject: 'chain',
    id: (row) => `${row}.chain_id`,
    values: plain({
      name: 'name',
      symbol: 'symbol',
      rpc: 'rpc',
      bundler: 'bundler',
      treasury: 'treasury',
      breakerWei: 'breaker_wei',
      breakerSeconds: 'breaker_seconds',
      breakerOff: 'breaker_off',
      unreachableBudgetWei: 'unreachable_budget_wei',
      maxOperationCostWei: 'max_operation_cost_wei',
      price: 'price',
      forwardBundler: 'forward_bundler',
      gasSchedule: 'gas_schedule',
      gasScheduleReading: 'gas_schedule_reading',
    }),
  },
  { table: 'signer', subject: 'signer', id: (row) => `${row}.chain_id`, values: plain({ address: 'address' }) },
  {
    table: 'paymaster_contract',
    subject: 'paymasterContract',
    id: (row) => `${row}.chain_id || ' ' || ${row}.version`,
    values: plain({ address: 'address', checked: 'checked' }),
  },
  {
    table: 'fee_token',
    subject: 'feeToken',
    id: (row) => `${row}.chain_id || ' ' || ${row}.address`,
    values: plain({ symbol: 'symbol', decimals: 'decimals', premium: 'premium', rate: 'rate', preFund: 'pre_fund' }),
  },
  {
    table: 'sponsorship_pause',
    subject: 'pause',
    id: () => `'desk'`,
    values: plain({ since: 'since', reason: 'reason' }),
  },
  {
    table: 'dapp_pause',
    subject: 'pause',
    id: (row) => `${row}.paymaster_id`,
    values: plain({ since: 'since', reason: 'reason' }),
  },
  {
    table: 'operator_transaction',
    subject: 'transaction',
    id: (row) => `${row}.id`,
    values: (row, { field }) =>
      Object.fromEntries(
        ['kind', 'chainId', 'from', 'to', 'valueWei', 'hash', 'state', 'summary'].map((name) => [
          name,
          field(`${row}.record`, name),
        ]),
      ),
  },
  { table: 'notification_webhook', subject: 'notificationWebhook', id: () => `'desk'`, values: plain({ url: 'url' }) },
];

interface ChangeRow {
  changeId: number;
  call: string;
  subject: string;
  id: string;
  before: string | null;
  after: string | null;
}

const valueOf = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

/** Merges the changes to each subject into one, from the first value to the last. */
const merged = (rows: readonly ChangeRow[]): Change[] => {
  const byThing = Map.groupBy(rows, ({ subject, id }) => `${subject} ${id}`);
  return [...byThing.values()].flatMap((changes) => {
    const [first, last] = [changes[0], changes.at(-1)];
    if (first === undefined || last === undefined || first.before === last.after) return [];
    const { subject, id } = first;
    return [{ subject, id, before: valueOf(first.before), after: valueOf(last.after) }];
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
