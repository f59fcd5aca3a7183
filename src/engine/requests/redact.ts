import { JsonNumber } from '../../shared/schema/decimal.ts';

/** Members that contain a secret or say who the user is, in any letter case, with or without separators. */
const SECRET_MEMBER =
  /^(?:voucher|(?:id|access|auth|refresh)[-_]?token|(?:x[-_])?api[-_]?key|authorization|cookie|jwt|mnemonic|passphrase|password|(?:private|secret)[-_]?key|(?:client[-_]?|webhook[-_]?)?secret)$/i;

const MARK = '[secret]';

/** Secrets of Gasdesk, and JSON Web Tokens, in any text. */
const SECRETS = [
  /\bgd_[\w-]{20,}/g,
  /\bwhsec_[\w+/=-]+/g,
  /[\w-]{9}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi,
  // Tried only where a run of these characters starts: at every "-", a long text would take time by its square.
  /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\bBearer\s+\S+/gi,
];

const HEX = /^0x[\da-f]*$/i;

/** No secret is shorter, in characters. */
const SHORTEST = 16;

const PERCENT_ENCODED = /%([0-7][\da-f])/gi;

const decodedOnce = (text: string): string =>
  text.replace(PERCENT_ENCODED, (_encoded, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));

const withoutSecrets = (text: string): string => SECRETS.reduce((rest, pattern) => rest.replace(pattern, MARK), text);

/** A text without secrets. If one is percent-encoded, as in a URL or in a URL within a URL, the text is decoded. */
export const redactedText = (text: string): string => {
  // Nearly all texts of a request are hex, and long.
  if (text.length < SHORTEST || (text.startsWith('0x') && HEX.test(text))) return text;
  if (text.includes('%')) {
    const decoded = decodedOnce(decodedOnce(text));
    const kept = withoutSecrets(decoded);
    if (kept !== decoded) return kept;
  }
  return withoutSecrets(text);
};

const MAX_NAMES = 1_000;
/** Names that are no secrets. Nearly all requests have the same ones. */
const ordinaryNames = new Set<string>();

const redactedName = (name: string): string => {
  if (ordinaryNames.has(name)) return name;
  const kept = redactedText(name);
  if (kept === name && name.length <= 64 && ordinaryNames.size < MAX_NAMES) ordinaryNames.add(name);
  return kept;
};

const redactedMember = (name: string, value: unknown): unknown =>
  value !== null && value !== undefined && SECRET_MEMBER.test(name) ? MARK : redacted(value);

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
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields);
  let changed: [string, unknown][] | undefined;
  for (const [index, name] of names.entries()) {
    const part = fields[name];
    const [keptName, kept] = [redactedName(name), redactedMember(name, part)];
    if (keptName !== name || kept !== part) changed ??= names.slice(0, index).map((before) => [before, fields[before]]);
    changed?.push([keptName, kept]);
  }
  return changed === undefined ? value : Object.fromEntries(changed);
};
