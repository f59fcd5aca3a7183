import { JsonNumber } from '../../shared/schema/decimal.ts';

/** Members in which clients say who the user is. */
const PROOFS: ReadonlySet<string> = new Set(['voucher', 'idToken']);

/** What the operator's webhooks get. The setting `blankWebhookData` says whether it is stored. */
const WEBHOOK_DATA: ReadonlySet<string> = new Set(['webhookData', 'meta']);

/** What is stored instead of a proof of identity. */
const WITHHELD = '[withheld]';

const withheldMember = (name: string, value: unknown): unknown => {
  if (WEBHOOK_DATA.has(name)) return value;
  return PROOFS.has(name) && value !== null && value !== undefined ? WITHHELD : withoutProof(value);
};

/**
 * A part of a request without what identifies the user: a marker replaces every voucher and ID token, wherever it is.
 * Not even a hash of them is stored, because names and e-mail addresses can be guessed. Returns the same value if it
 * contains none.
 */
export const withoutProof = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const parts = value as readonly unknown[];
    const kept = parts.map(withoutProof);
    return kept.every((part, index) => part === parts[index]) ? value : kept;
  }
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  let changed: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const part = (value as Readonly<Record<string, unknown>>)[name];
    const kept = withheldMember(name, part);
    if (kept === part) continue;
    changed ??= { ...value };
    changed[name] = kept;
  }
  return changed ?? value;
};
