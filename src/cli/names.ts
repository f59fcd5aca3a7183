import type { Caller, ProcedureName } from '../api/index.ts';
import { EngineError, type ErrorCode } from '../shared/errors.ts';

/** What a typed text may mean. */
interface Candidate {
  readonly id: string | number;
  readonly name?: string | null;
}

interface Kind {
  /** Such as `DApp`. */
  readonly what: string;
  /** The command that lists all of them. */
  readonly see: string;
  readonly missing: ErrorCode;
  readonly candidates: (call: Caller, typed: string, input: Input) => Promise<readonly Candidate[]>;
}

type Input = Readonly<Record<string, unknown>>;

/** The DApp to which an id belongs. A command that takes such an id also takes the DApp. */
const ownerOf = ({ paymasterId }: Input): { readonly paymasterId: string } => ({ paymasterId: String(paymasterId) });

const eventWebhook: Kind = {
  what: 'event webhook',
  see: 'event-webhook list',
  missing: 'WEBHOOK_NOT_FOUND',
  candidates: async (call) =>
    (await call('eventWebhooks.list', {})).map(({ webhookId: id, url }) => ({ id, name: url })),
};

const webhook: Kind = {
  what: 'webhook',
  see: 'webhook list',
  missing: 'WEBHOOK_NOT_FOUND',
  candidates: async (call) => {
    // Imported here because it takes half of a command's start-up time.
    const [{ rulesOf }, { webhookSetup }] = await Promise.all([
      import('../core/rules/rule.ts'),
      import('../core/rules/webhook.ts'),
    ]);
    const found: Candidate[] = [];
    for (const { paymasterId } of await call('paymasters.list', {})) {
      const registered = await call('webhooks.list', { paymasterId });
      const rules = rulesOf(webhookSetup, await call('rules.list', { paymasterId }));
      found.push(...registered.map(({ webhookId: id, webhookUrl }) => ({ id, name: webhookUrl })));
      found.push(...rules.map(({ _id: id, name }) => ({ id, name })));
    }
    return found;
  },
};

/** The fields that are ids, and what else an operator may type for them. */
const kinds: Readonly<Record<string, Kind>> = {
  paymasterId: {
    what: 'DApp',
    see: 'dapp list',
    missing: 'PAYMASTER_NOT_FOUND',
    candidates: async (call) => (await call('paymasters.list', {})).map(({ paymasterId: id, name }) => ({ id, name })),
  },
  accountId: {
    what: 'account',
    see: 'account list',
    missing: 'ACCOUNT_NOT_FOUND',
    candidates: async (call) => (await call('accounts.list', {})).map(({ accountId: id, name }) => ({ id, name })),
  },
  chainId: {
    what: 'chain',
    see: 'chain list',
    missing: 'CHAIN_NOT_FOUND',
    candidates: async (call) => (await call('chains.list', {})).map(({ chainId: id, name }) => ({ id, name })),
  },
  ruleId: {
    what: 'rule',
    see: 'rule list --dapp DAPP',
    missing: 'RULE_NOT_FOUND',
    candidates: async (call, _typed, input) =>
      (await call('rules.list', ownerOf(input))).map(({ _id: id, name }) => ({ id, name })),
  },
  keyId: {
    what: 'API key',
    see: 'api-key list --dapp DAPP',
    missing: 'API_KEY_NOT_FOUND',
    candidates: async (call, _typed, input) =>
      (await call('apiKeys.list', ownerOf(input))).map(({ keyId: id, label: name }) => ({ id, name })),
  },
  tokenId: {
    what: 'auth token',
    see: 'token list',
    missing: 'AUTH_TOKEN_NOT_FOUND',
    candidates: async (call) =>
      (await call('authTokens.list', {})).map(({ tokenId: id, label: name }) => ({ id, name })),
  },
  channelId: {
    what: 'alert',
    see: 'alert list',
    missing: 'ALERT_CHANNEL_NOT_FOUND',
    candidates: async (call) => (await call('alerts.list', {})).map(({ channelId: id, host: name }) => ({ id, name })),
  },
  transactionId: {
    what: 'transaction',
    see: 'tank transactions --dapp DAPP',
    missing: 'TRANSACTION_NOT_FOUND',
    candidates: async (call) => (await call('transactions.list', {})).map(({ transactionId: id }) => ({ id })),
  },
  decisionId: {
    what: 'decision',
    see: 'decisions list',
    missing: 'DECISION_NOT_FOUND',
    // Also the userOpHash, by which apps and explorers know an operation.
    candidates: async (call, typed) => {
      const exact = await call('decisions.list', { decisionId: typed, limit: 1 });
      if (exact.length > 0) return exact.map(({ id }) => ({ id }));
      const found = await call('decisions.list', { text: typed, limit: 20 });
      const isHash = typed.startsWith('0x');
      return found.map(({ id }) => ({ id, ...(isHash && { name: typed }) }));
    },
  },
};

const kindOf = (field: string, procedure: ProcedureName | undefined): Kind | undefined => {
  if (field !== 'webhookId') return Object.hasOwn(kinds, field) ? kinds[field] : undefined;
  return procedure?.startsWith('eventWebhooks.') === true ? eventWebhook : webhook;
};

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Shorter beginnings are refused, because a slip could select something. */
const LEAST_PREFIX = 3;

/**
 * The candidates that a text means: that of this id, or else of this name, or else all that begin with it. Upper and
 * lower case are distinguished only if one matches exactly.
 */
export const meantBy = (typed: string, candidates: readonly Candidate[]): readonly Candidate[] => {
  const text = typed.toLowerCase();
  const ways: ((one: string) => boolean)[] = [(one) => one === typed, (one) => one.toLowerCase() === text];
  if (text.length >= LEAST_PREFIX) ways.push((one) => one.toLowerCase().startsWith(text));
  for (const isMeant of ways) {
    for (const part of ['id', 'name'] as const) {
      const found = candidates.filter((one) => isMeant(String(one[part] ?? '')));
      if (found.length > 0) return found;
    }
  }
  return [];
};

const idOf = async (call: Caller, kind: Kind, typed: string, input: Input): Promise<string | number> => {
  const [found, ...others] = meantBy(typed, await kind.candidates(call, typed, input));
  if (found === undefined) {
    const message = `No ${kind.what} has the name or id "${typed}", or an id that begins with it. See: gasdesk ${kind.see}`;
    throw new EngineError(kind.missing, message);
  }
  if (others.length === 0) return found.id;
  const lines = [found, ...others].map(({ id, name }) => `  ${id}  ${name ?? ''}`.trimEnd());
  throw new EngineError('VALIDATION', `"${typed}" fits more than one ${kind.what}:\n${lines.join('\n')}`);
};

/**
 * Replaces names, and the beginnings of ids, by ids. Complete ids stay as they are.
 *
 * @throws EngineError `VALIDATION`, with the candidates, if a text fits more than one; the error of the kind, such as
 * `PAYMASTER_NOT_FOUND`, if it fits none
 */
export const withIds = async <Fields extends object>(
  call: Caller,
  input: Fields,
  procedure?: ProcedureName,
): Promise<Fields> => {
  let meant: Fields = input;
  for (const [field, typed] of Object.entries(input) as [string, unknown][]) {
    if (typeof typed !== 'string' || UUID.test(typed)) continue;
    const kind = kindOf(field, procedure);
    if (kind !== undefined) meant = { ...meant, [field]: await idOf(call, kind, typed, meant as Input) };
  }
  return meant;
};

/** A caller that takes names, and the beginnings of ids, in place of ids. */
export const callerByName =
  (call: Caller): Caller =>
  async (name, input) =>
    call(name, await withIds(call, input, name));
