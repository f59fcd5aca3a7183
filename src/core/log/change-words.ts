import type { Change, EntryBody } from './entry.ts';

/** Names of what entries refer to by id. */
export interface Names {
  /** Undefined if the DApp no longer exists. */
  readonly dapp: (id: string) => string | undefined;
  readonly chain: (chainId: number) => string;
  /** Undefined if the account no longer exists. */
  readonly account: (id: string) => string | undefined;
}

export interface ChangeWords {
  readonly what: string;
  readonly dapp?: { readonly id: string; readonly name: string };
  readonly did: string;
}

/** A changed field. Undefined: it did not exist before, or does not exist afterwards. */
interface ChangedField {
  /** Its name and those of the fields that contain it, with dots between them. */
  readonly path: string;
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ABBREVIATIONS: readonly string[] = ['abi', 'api', 'id', 'rpc', 'url'];
const spelled = (word: string): string => {
  if (word === 'dapp') return 'DApp';
  return ABBREVIATIONS.includes(word) ? word.toUpperCase() : word;
};

/** The name of a field as readable text, without its unit: `lowBalanceThresholdWei` becomes `low balance threshold`. */
const fieldWords = (name: string): string =>
  name
    .replace(/Wei$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .split(' ')
    .map(spelled)
    .join(' ');

/** Values without nested fields, by their paths. The fields in a rule's `data` count as fields of the rule. */
const leavesOf = (value: unknown, path: readonly string[] = []): Map<string, unknown> => {
  if (value === null || value === undefined) return new Map();
  if (!isFields(value)) return new Map([[path.join('.') || 'value', value]]);
  const within = (name: string): readonly string[] => (path.length === 0 && name === 'data' ? [] : [...path, name]);
  return new Map(Object.entries(value).flatMap(([name, part]) => [...leavesOf(part, within(name))]));
};

export const changedFields = ({ before, after }: Change): ChangedField[] => {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => JSON.stringify(old.get(path)) !== JSON.stringify(now.get(path)))
    .map((path) => ({
      path,
      name: path.split('.').map(fieldWords).join(' '),
      before: old.get(path),
      after: now.get(path),
    }));
};

/** Describes the action. @param added the word for creation @param removed the word for removal */
const didWords = (change: Change, added: string, removed: string): string => {
  if (change.before === null) return added;
  if (change.after === null) return removed;
  const fields = changedFields(change).map(({ name }) => name);
  if (fields.join() === 'active') return isFields(change.after) && change.after['active'] === 1 ? 'resumed' : 'paused';
  const isPlain = fields.length === 0 || fields.join() === 'value' || fields.join() === 'address';
  return isPlain ? 'changed' : `changed: ${fields.join(', ')}`;
};

const quoted = (name: unknown): string => `“${String(name)}”`;

/** What a URL in the vault is for, whose name contains an id. A webhook of an event and one of a rule look the same. */
const vaultUrl = (name: string): string | undefined => {
  if (name === 'webhook.notifications.url') return 'URL of the notification webhook';
  if (/^webhook\..+\.url$/.test(name)) return 'URL of a webhook';
  return /^alert\..+\.url$/.test(name) ? 'URL for alerts' : undefined;
};

/**
 * Descriptions by kind of subject. @param fields the subject's latest fields; for a removed one, those before its
 * removal
 */
const WORDS: Readonly<Record<string, (change: Change, fields: Fields, names: Names) => ChangeWords>> = {
  account: (change, { name }) => ({ what: `Account ${quoted(name)}`, did: didWords(change, 'added', 'removed') }),
  authToken: (change, { label, revokedAt }) => ({
    what: `Auth token ${quoted(label)}`,
    did: typeof revokedAt === 'number' ? 'revoked' : didWords(change, 'created', 'removed'),
  }),
  apiKey: (change, fields, names) => ({
    ...ofDapp(`API key ${quoted(fields['label'])}`, change, fields, names),
    did: typeof fields['revokedAt'] === 'number' ? 'revoked' : didWords(change, 'created', 'removed'),
  }),
  dapp: (change, { name }) => ({
    what: 'DApp',
    dapp: { id: change.id, name: String(name) },
    did: didWords(change, 'registered', 'removed'),
  }),
  rule: (change, fields, names) => ofDapp(`Rule ${quoted(fields['name'])}`, change, fields, names),
  contract: (change, fields, names) => ofDapp(`Contract ${quoted(fields['name'])}`, change, fields, names),
  webhook: (change, fields, names) => ofDapp('Webhook', change, fields, names),
  pause: (change, _, names) => {
    const did = didWords(change, 'paused', 'resumed');
    if (change.id === 'desk') return { what: 'Sponsorship of all DApps', did };
    return { what: 'Sponsorship of DApp', dapp: { id: change.id, name: names.dapp(change.id) ?? change.id }, did };
  },
  chain: (change, _, names) => ({
    what: `Settings of ${names.chain(Number(change.id))}`,
    did: didWords(change, 'set', 'removed'),
  }),
  signer: (change, _, names) => ({
    what: `Signing key of ${names.chain(Number(change.id))}`,
    did: didWords(change, 'set', 'removed'),
  }),
  paymasterContract: (change, _, names) => {
    const [chainId, version] = change.id.split(' ');
    const what = `Paymaster contract ${version ?? ''} of ${names.chain(Number(chainId))}`;
    return { what, did: didWords(change, 'set', 'removed') };
  },
  feeToken: (change, { symbol }, names) => ({
    what: `Token ${quoted(symbol)} of ${names.chain(Number(change.id.split(' ')[0]))}`,
    did: didWords(change, 'added', 'removed'),
  }),
  transaction: (change, { summary }) => ({
    what: `Transaction ${quoted(summary)}`,
    did: didWords(change, 'added', 'removed'),
  }),
  eventWebhook: (change) => ({ what: 'Event webhook', did: didWords(change, 'added', 'removed') }),
  alertChannel: (change, { kind }) => ({
    what: `Alerts by ${String(kind)}`,
    did: didWords(change, 'added', 'removed'),
  }),
  notificationWebhook: (change) => ({ what: 'Notification webhook', did: didWords(change, 'set', 'removed') }),
  setting: ({ id }) => ({ what: `Setting ${id}`, did: 'changed' }),
  keystore: ({ id, before, after }) => {
    if (before === null) return { what: `Local key ${quoted(after)}`, did: 'added' };
    return { what: `Local key ${id}`, did: after === 'exported' ? 'exported' : 'removed' };
  },
  vault: ({ before }) =>
    before === null ? { what: 'Vault', did: 'created' } : { what: 'Passphrase of the vault', did: 'changed' },
  secret: (change) => {
    const what = vaultUrl(change.id);
    if (what === undefined)
      return { what: `Secret ${change.id} of the vault`, did: didWords(change, 'set', 'removed') };
    return { what, did: didWords(change, 'stored in the vault', 'removed from the vault') };
  },
  desk: () => ({ what: 'Backup', did: 'restored' }),
};

const ofDapp = (what: string, change: Change, { dapp }: Fields, names: Names): ChangeWords => {
  const id = String(dapp);
  return {
    what: `${what} of DApp`,
    dapp: { id, name: names.dapp(id) ?? id },
    did: didWords(change, 'added', 'removed'),
  };
};

/** Describes a change. If its kind was added in a newer version of Gasdesk, the kind's own name is shown. */
export const changeWords = (change: Change, names: Names): ChangeWords => {
  const fields = [change.after, change.before].find(isFields) ?? {};
  return (
    WORDS[change.subject]?.(change, fields, names) ?? {
      what: `${change.subject} ${change.id}`,
      did: didWords(change, 'added', 'removed'),
    }
  );
};

const WAYS_IN: Readonly<Record<string, (by: string, names: Names) => string>> = {
  console: (by) => `Console, ${by}`,
  cli: () => 'Command line',
  http: (by, names) => `Auth token of account ${names.account(by) ?? by}`,
  engine: () => 'Gasdesk itself',
};

export const whoWords = ({ via, by }: Pick<EntryBody<'action'>, 'via' | 'by'>, names: Names): string =>
  WAYS_IN[via]?.(by, names) ?? `${via}, ${by}`;
