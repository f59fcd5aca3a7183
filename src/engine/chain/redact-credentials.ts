import { mayBeKey } from '../../core/webhooks/hidden-credentials.ts';

const SHORTEST_OPEN_SECRET = 4;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Possible spellings of a part of a URL: as in the URL, decoded, and encoded again. */
const spellings = (piece: string): string[] => {
  const meant = decoded(piece);
  return [piece, meant, encodeURIComponent(meant)];
};

/** Possible credentials in a URL, longest first. Providers may put keys into any part. */
const credentialsOf = (url: string): string[] => {
  const { username, password, pathname, search, searchParams } = new URL(url);
  const path = pathname.split('/').filter(mayBeKey);
  const query = search
    .slice(1)
    .split('&')
    .map((part) => part.slice(part.indexOf('=') + 1));
  const open = [username, password, ...query, ...searchParams.values()].flatMap(spellings);
  const userInfo = `${decoded(username)}:${decoded(password)}`;
  const header = userInfo === ':' ? [] : [Buffer.from(userInfo).toString('base64')];
  const secrets = [...path.flatMap(spellings), ...open, ...header].filter(
    (piece) => piece.length >= SHORTEST_OPEN_SECRET,
  );
  return [...new Set(secrets)].sort((a, b) => b.length - a.length);
};

/** Returns a function that removes the possible credentials of a URL from a text, in any encoding. */
export const credentialRedactor = (url: string): ((text: string) => string) => {
  const credentials = credentialsOf(url);
  return (text) => credentials.reduce((rest, piece) => rest.replaceAll(piece, '[secret]'), text);
};
