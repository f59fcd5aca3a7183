import { JsonNumber } from '../../shared/schema/decimal.ts';

/** Members that contain a secret or say who the user is, in lower case and without separators. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  'voucher',
  'idtoken',
  'accesstoken',
  'authtoken',
  'apikey',
  'authorization',
  'jwt',
  'passphrase',
  'password',
  'privatekey',
  'secret',
]);

const MARK = '[secret]';

/** Secrets of Gasdesk, and JSON Web Tokens, in any text. */
const SECRETS = [
  /\bgd_[\w-]{20,}/g,
  /\bwhsec_[\w+/=-]+/g,
  /[\w-]{9}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\bBearer\s+\S+/gi,
];

/** A text without secrets. */
export const redactedText = (text: string): string =>
  // Nearly all texts of a request are hex, and long.
  text.startsWith('0x') ? text : SECRETS.reduce((rest, pattern) => rest.replace(pattern, MARK), text);

const isSecretMember = (name: string): boolean => SECRET_MEMBERS.has(name.replaceAll(/[-_]/g, '').toLowerCase());

const redactedMember = (name: string, value: unknown): unknown =>
  value !== null && value !== undefined && isSecretMember(name) ? MARK : redacted(value);

/**
 * A value from a client without secrets and without proofs of identity. Returns the same value if it contains none, so
 * that an ordinary request is not copied.
 */
export const redacted = (value: unknown): unknown => {
  if (typeof value === 'string') return redactedText(value);
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  if (Array.isArray(value)) {
    const parts = value as readonly unknown[];
    const kept = parts.map(redacted);
    return kept.every((part, index) => part === parts[index]) ? value : kept;
  }
  let changed: Record<string, unknown> | undefined;
  for (const [name, part] of Object.entries(value)) {
    const kept = redactedMember(name, part);
    if (kept === part) continue;
    changed ??= { ...value };
    changed[name] = kept;
  }
  return changed ?? value;
};
