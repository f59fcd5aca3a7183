import type { Caller, ProcedureName } from '../../src/api/index.ts';
import { wholeDecisions } from '../support/whole-decisions.ts';
import type { Expected } from './fixtures.ts';

/** What operators see of a desk, in a form in which two versions can be compared. */

const LISTS = {
  'accounts.list': 'name',
  'authTokens.list': 'label',
  'chains.list': 'name',
  'signers.list': 'address',
  'feeTokens.list': 'symbol',
  'paymasters.list': 'name',
  'paymasterContracts.list': 'address',
  'eventWebhooks.list': 'url',
  'alerts.list': 'kind',
  'keystores.list': 'label',
} as const satisfies Partial<Record<ProcedureName, string>>;

const OF_DAPP = {
  'contracts.list': 'address',
  'rules.list': 'name',
  'webhooks.list': 'webhookUrl',
  'apiKeys.list': 'apiKey',
  'policies.history': 'revision',
} as const satisfies Partial<Record<ProcedureName, string>>;

type Row = Readonly<Record<string, unknown>>;

const rowsOf = async (call: Caller, name: ProcedureName, input: object): Promise<readonly Row[]> =>
  (await (call as (name: string, input: object) => Promise<unknown>)(name, input)) as readonly Row[];

export const listsOf = async (call: Caller): Promise<Expected['lists']> => {
  const lists: Record<string, string[]> = {};
  const read = async (name: ProcedureName, field: string, input: object): Promise<void> => {
    const rows = await rowsOf(call, name, input);
    (lists[name] ??= []).push(...rows.map((row) => String(row[field])));
  };
  for (const [name, field] of Object.entries(LISTS)) await read(name as ProcedureName, field, {});
  for (const { paymasterId } of await call('paymasters.list', {}))
    for (const [name, field] of Object.entries(OF_DAPP)) await read(name as ProcedureName, field, { paymasterId });
  return lists;
};

export const outcomesOf = async (call: Caller): Promise<Pick<Expected, 'decisions' | 'outcomes'>> => {
  const decisions = await wholeDecisions(call);
  const outcomes: Record<string, number> = {};
  for (const { method, outcome, code, settlement, mode } of decisions) {
    const kind = [method, mode, outcome, code ?? '', settlement ?? ''].join(' ').trim();
    outcomes[kind] = (outcomes[kind] ?? 0) + 1;
  }
  return { decisions: decisions.length, outcomes };
};
