const SCHEMES = new Set(['postgres:', 'postgresql:']);
/** Connection parameters of libpq that contain a secret. */
const SECRET_PARAMETERS = ['password', 'sslpassword'];

/**
 * The parts of a PostgreSQL URL; undefined for any other text. Special characters must be percent-encoded: an unencoded
 * `#` or `/` in a password would end that part of the URL, and the rest of the password would be shown.
 */
const partsOf = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = !text.includes('#') && !`${url.pathname}${url.search}`.includes('@');
  return SCHEMES.has(url.protocol) && isPlain ? url : undefined;
};

export const isDatabaseUrl = (text: string): boolean => partsOf(text) !== undefined;

export const hasPassword = (text: string): boolean => {
  const url = partsOf(text);
  return url !== undefined && (url.password !== '' || SECRET_PARAMETERS.some((name) => url.searchParams.has(name)));
};

export const withoutPassword = (text: string): string => {
  const url = partsOf(text);
  if (url === undefined) return '';
  url.password = '';
  const secrets = SECRET_PARAMETERS.filter((name) => url.searchParams.has(name));
  for (const name of secrets) url.searchParams.delete(name);
  return url.href;
};
