/** User info of a URL: everything between the scheme and the last @ of its authority. */
const USER_INFO = /^(https?:\/\/)[^/\\?#]*@/i;

/** Stands in a URL for the user name and password that the vault has. */
export const IN_VAULT = '[secret]@';

/** True for a URL with a user name or a password, hidden ones too. */
export const hasCredentials = (url: string): boolean => USER_INFO.test(url);

/** What may be shown of a URL with credentials: that it has some. */
export const hideCredentials = (url: string): string => url.replace(USER_INFO, `$1${IN_VAULT}`);

/** A URL without credentials. */
export const withoutCredentials = (url: string): string => url.replace(USER_INFO, '$1');
