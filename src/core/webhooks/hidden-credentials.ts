/** Replaces the secret parts of a URL, which are stored in the vault. */
const HIDDEN = '[secret]';

/** Parts of a URL: scheme, user info, host, path, query, fragment. */
const PARTS = /^(https?:\/\/)([^/\\?#]*@)?([^/\\?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** User info in a URL: everything between the scheme and the last @ of its authority. */
const USER_INFO = /^(https?:\/\/)[^/\\?#]*@/i;

/** A suffix that distinguishes URLs that look the same once their secrets are hidden. It depends on the secrets. */
const MARK = /#[0-9a-f]{8}$/;

/** A shorter path segment is a name, such as `v2`. */
const SHORTEST_KEY = 8;

/**
 * Names and numbers such as `mainnet-rpc`, `sepolia-11155111` or `verifyOperation`. Keys mix letters and digits
 * instead.
 */
const NAME =
  /^(?:(?:[a-z]{1,15}|v?\d{1,8})(?:[-_.]|$))+$|^[A-Za-z][a-z]{1,14}(?:[A-Z][a-z]{2,14}){1,3}$|^[A-Z][a-z]{1,14}$/;

/** Whether a path segment may be a key. Some services put keys in the path. */
export const mayBeKey = (piece: string): boolean =>
  piece.length >= SHORTEST_KEY && !NAME.test(piece) && piece !== HIDDEN;

const hidePath = (path: string): string => path.replaceAll(/[^/\\]+/g, (piece) => (mayBeKey(piece) ? HIDDEN : piece));

/** Hides the values of a query's parameters. A part without a name may itself be a key, so it is hidden completely. */
const hideQuery = (query: string): string =>
  query.replaceAll(/[^?&]+/g, (part) => (part.includes('=') ? part.replace(/=.*/s, `=${HIDDEN}`) : HIDDEN));

/**
 * The form of an http or https URL that may be shown: without user name and password, without query values, and without
 * path segments that may be keys. Parts that are already hidden stay unchanged.
 */
export const hideCredentials = (url: string): string => {
  const [, scheme = '', userInfo, host = '', path = '', query = '', fragment = ''] = PARTS.exec(url) ?? [];
  if (scheme === '') return url;
  const shown = hidePath(path) + hideQuery(query);
  const shownFragment = shown === path + query || MARK.test(fragment) ? fragment : '';
  return `${scheme}${userInfo === undefined ? '' : `${HIDDEN}@`}${host}${shown}${shownFragment}`;
};

/** The form of a redirect's target that may be shown. The target need not be a complete URL. */
export const hideInLocation = (location: string): string => {
  const shown = hideCredentials(location);
  const [path = '', ...query] = location.split('?');
  return /^https?:/i.test(location) ? shown : [hidePath(path), ...query.map(hideQuery)].join('?');
};

/** True for a URL with parts that are stored in the vault or must be. */
export const hasCredentials = (url: string): boolean => isHidden(url) || hideCredentials(url) !== url;

/** True for a URL with visible secrets. User info always counts as visible. */
export const revealsCredentials = (url: string): boolean => USER_INFO.test(url) || hideCredentials(url) !== url;

/** True for a URL with a user name or a password, even if it is hidden. */
export const hasUserInfo = (url: string): boolean => USER_INFO.test(url);

/** True for a text that contains a hidden part of a URL. */
export const isHidden = (text: string): boolean => text.includes(HIDDEN);

/** True for a URL that hides too much of its path or query to be distinguished from others. */
export const needsMark = (shown: string): boolean => isHidden(shown.replace(USER_INFO, '$1'));

/** A URL without user name and password, which still identifies where requests go. */
export const withoutUserInfo = (url: string): string => url.replace(USER_INFO, '$1');

/** A URL for a policy file: it identifies where requests go, but its secrets are hidden. */
export const withoutCredentials = (url: string): string => {
  const plain = withoutUserInfo(hideCredentials(url));
  return isHidden(plain) ? plain.replace(MARK, '') : plain;
};
