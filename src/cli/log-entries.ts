import type { Caller, ProcedureOutput } from '../api/index.ts';
import { type Names, changeWords, whoWords } from '../core/log/change-words.ts';
import type { Change, EntryBody, EntryKind } from '../core/log/entry.ts';
import { weiToDecimal } from '../shared/schema/decimal.ts';
import { shortId } from './human-text.ts';

const amountWords = (wei: string): string => `${weiToDecimal(BigInt(wei))} of the native coin`;

const oneChange = (change: Change, names: Names): string => {
  const { what, dapp, did } = changeWords(change, names);
  return [what, ...(dapp === undefined ? [] : [`“${dapp.name}”`]), did].join(' ');
};

/** A sentence about an entry, by its kind. */
const WORDS: { readonly [Kind in EntryKind]: (body: EntryBody<Kind>, names: Names) => string } = {
  start: ({ engine }) => `Gasdesk ${engine} started`,
  stop: () => 'Gasdesk stopped',
  policy: ({ paymasterId, hash }, names) =>
    `Policy of DApp “${names.dapp(paymasterId) ?? paymasterId}” in force: ${hash.slice(0, 'sha256:'.length + 12)}`,
  decision: ({ id, outcome }) => `Decision ${shortId(id)}: ${outcome}`,
  settlement: ({ decision, settlement, actualCostWei, block, reverted }) =>
    [
      `Decision ${shortId(decision)} ${settlement}`,
      ...(actualCostWei === null ? [] : [`cost ${amountWords(actualCostWei)}`]),
      ...(block === null ? [] : [`block ${block}`]),
      ...(reverted === true ? ['its call reverted'] : []),
    ].join(', '),
  hold: ({ hold, account, amount }) =>
    `Hold ${hold} of ${amountWords(amount)} while a withdrawal is signed: ${account}`,
  release: ({ holds }) => `${holds.length === 1 ? 'Hold' : 'Holds'} ${holds.join(', ')} ended`,
  reset: ({ kind, id }) => `Rolling window restarted from zero: ${kind} ${id}`,
  action: ({ changes }, names) => changes.map((change) => oneChange(change, names)).join('; '),
};

/** Describes an entry in a sentence. @param body the body of an entry of this kind */
export const entryWords = (kind: EntryKind, body: unknown, names: Names): string =>
  (WORDS[kind] as (body: unknown, names: Names) => string)(body, names);

const namesFrom = async (call: Caller): Promise<Names> => {
  const dapps = new Map((await call('paymasters.list', {})).map(({ paymasterId, name }) => [paymasterId, name]));
  const chains = new Map((await call('chains.list', {})).map(({ chainId, name }) => [chainId, name]));
  const accounts = new Map((await call('accounts.list', {})).map(({ accountId, name }) => [accountId, name]));
  return {
    dapp: (id) => dapps.get(id),
    chain: (chainId) => chains.get(chainId) ?? `chain ${chainId}`,
    account: (id) => accounts.get(id),
  };
};

/** Entries of the log as rows for people. */
export const entryRows = async (call: Caller, entries: ProcedureOutput<'log.list'>) => {
  const names = await namesFrom(call);
  return entries.map(({ entry, at, kind, body }) => ({
    entry,
    at: new Date(at).toISOString(),
    kind,
    by: kind === 'action' ? whoWords(body as EntryBody<'action'>, names) : null,
    what: entryWords(kind, body, names),
  }));
};
