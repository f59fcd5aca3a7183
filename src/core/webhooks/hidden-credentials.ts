/** Replaces the parts of a URL that the vault holds. */
const HIDDEN = '[secret]';

/** Parts of a URL: scheme, user info, host, path, query, fragment. */
const PARTS = /^(https?:\/\/)([^/\\?#]*@)?([^/\\?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** User info of a URL: everything between the scheme and the last @ of its authority. */
const USER_INFO = /^(https?:\/\/)[^/\\?#]*@/i;

/** Distinguishes URLs that look the same once their secrets are hidden: it changes with the secrets. */
const MARK = /#[0-9a-f]{8}$/;

/** Shorter pieces of a path are names such as `v2`. */
const SHORTEST_KEY = 8;

/** Words and numbers such as `mainnet-rpc`, `sepolia-11155111` or `verifyOperation`: keys mix letters and digits. */
const NAME =
  /^(?:(?:[a-z]{1,15}|v?\d{1,8})(?:[-_.]|$))+$|^[A-Za-z][a-z]{1,14}(?:[A-Z][a-z]{2,14}){1,3}$|^[A-Z][a-z]{1,14}$/;

/** Whether a piece of a path may be a key: services put keys there. */
export const mayBeKey = (piece: string): boolean =>
  piece.length >= SHORTEST_KEY && !NAME.test(piece) && piece !== HIDDEN;

const hidePath = (path: string): string => path.replaceAll(/[^/\\]+/g, (piece) => (mayBeKey(piece) ? HIDDEN : piece));

/** A query with the values of its parameters hidden; a part without a name may itself be a key. */
const hideQuery = (query: string): string =>
  query.replaceAll(/[^?&]+/g, (part) => (part.includes('=') ? part.replace(/=.*/s, `=${HIDDEN}`) : HIDDEN));

/**
 * The showable form of an http or https URL: without user name and password, without the values of its query, and
 * without pieces of its path that may be keys. What is hidden already stays as it is.
 */
export const hideCredentials = (url: string): string => {
  const [, scheme = '', userInfo, host = '', path = '', query = '', fragment = ''] = PARTS.exec(url) ?? [];
  if (scheme === '') return url;
  const shown = hidePath(path) + hideQuery(query);
  const shownFragment = shown === path + query || MARK.test(fragment) ? fragment : '';
  return `${scheme}${userInfo === undefined ? '' : `${HIDDEN}@`}${host}${shown}${shownFragment}`;
};

/** The showable form of a redirect's target, which need not be a whole URL. */
export const hideInLocation = (location: string): string => {
  const shown = hideCredentials(location);
  const [path = '', ...query] = location.split('?');
  return /^https?:/i.test(location) ? shown : [hidePath(path), ...query.map(hideQuery)].join('?');
};

/** True for a URL with parts that are, or must be, in the vault. */
export const hasCredentials = (url: string): boolean => isHidden(url) || hideCredentials(url) !== url;

/** True for a URL with secrets in the clear. User info is one, hidden or not. */
export const revealsCredentials = (url: string): boolean => USER_INFO.test(url) || hideCredentials(url) !== url;

/** True for a URL with a user name or a password, hidden ones too. */
export const hasUserInfo = (url: string): boolean => USER_INFO.test(url);

/** True for a text in which a part of a URL is hidden. */
export const isHidden = (text: string): boolean => text.includes(HIDDEN);

/** True for a URL that hides too much of its target to be distinguished from others. */
export const needsMark = (shown: string): boolean => isHidden(shown.replace(USER_INFO, '$1'));

/** A URL without user name and password: it identifies where requests go. */
export const withoutUserInfo = (url: string): string => url.replace(USER_INFO, '$1');

/** A URL in a policy file: it identifies where requests go, with its secrets hidden. */
export const withoutCredentials = (url: string): string => {
  const plain = withoutUserInfo(hideCredentials(url));
  return isHidden(plain) ? plain.replace(MARK, '') : plain;
};
