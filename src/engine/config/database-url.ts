const SCHEMES = new Set(['postgres:', 'postgresql:']);
/** Parameters of a connection that hold a secret, by the names that libpq gives them. */
const SECRET_PARAMETERS = ['password', 'sslpassword'];

/**
 * The parts of a PostgreSQL URL; undefined for any other text. Characters that have a meaning in URLs must be
 * percent-encoded: a password with a bare `#` or `/` would be taken for another part, and shown as such.
 */
const partsOf = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = !text.includes('#') && !`${url.pathname}${url.search}`.includes('@');
  return SCHEMES.has(url.protocol) && isPlain ? url : undefined;
};

/** Whether a text is the URL of a PostgreSQL database. */
export const isDatabaseUrl = (text: string): boolean => partsOf(text) !== undefined;

/** Whether a database's URL contains a password. */
export const hasPassword = (text: string): boolean => {
  const url = partsOf(text);
  return url !== undefined && (url.password !== '' || SECRET_PARAMETERS.some((name) => url.searchParams.has(name)));
};

/** A database's URL as it may be shown: without its password. */
export const withoutPassword = (text: string): string => {
  const url = partsOf(text);
  if (url === undefined) return '';
  url.password = '';
  const secrets = SECRET_PARAMETERS.filter((name) => url.searchParams.has(name));
  for (const name of secrets) url.searchParams.delete(name);
  return url.href;
};
