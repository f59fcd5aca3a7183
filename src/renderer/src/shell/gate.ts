import { type InjectionKey, inject } from 'vue';

/** The tab keeps the token under this name. */
const STORAGE_KEY = 'gasdesk.operatorToken';

interface Doors {
  readonly prompt: (enter: Enter) => void;
  readonly enter: (token: string) => void;
}

/** Opens the console with a token, and optionally keeps it for reloads of this tab. */
type Enter = (token: string, keep: boolean) => void;

/** Finds the operator token in text: the address that `serve` prints, the line around it, or the token alone. */
export const tokenIn = (text: string): string | undefined =>
  /(?:#token=|^\s*)([\w-]{43})(?=$|[\s"'&}])/.exec(text)?.[1];

/** Keeps the token for reloads of this tab, or removes a kept one. */
export const keepToken = ({ sessionStorage }: Pick<Window, 'sessionStorage'>, token: string, keep: boolean): void => {
  if (keep) sessionStorage.setItem(STORAGE_KEY, token);
  else sessionStorage.removeItem(STORAGE_KEY);
};

/**
 * Removes the operator token from the page's address, so that neither history nor bookmarks contain it. From then on it
 * is in memory and in the tab's session storage, so that a reload does not ask for it.
 */
export const startGate = (
  { location, history, sessionStorage }: Pick<Window, 'location' | 'history' | 'sessionStorage'>,
  { prompt: ask, enter }: Doors,
): void => {
  const named = tokenIn(location.hash);
  if (location.hash.startsWith('#token=')) history.replaceState(null, '', '#/');
  const open: Enter = (token, keep) => {
    keepToken({ sessionStorage }, token, keep);
    enter(token);
  };
  const stored = sessionStorage.getItem(STORAGE_KEY);
  if (named !== undefined) open(named, true);
  else if (stored !== null) enter(stored);
  else ask(open);
};

/** Ends the session of this tab: the next page asks for the token. */
export const signOut = ({ location, sessionStorage }: Pick<Window, 'location' | 'sessionStorage'>): void => {
  sessionStorage.removeItem(STORAGE_KEY);
  location.reload();
};

/** Reopens the console with another operator token, on the current page. Not provided in the desktop window. */
export const enterTokenKey: InjectionKey<Enter> = Symbol('enter token');

/** For a page whose token is no longer accepted. */
export const useEnterToken = (): Enter | undefined => inject(enterTokenKey, undefined);
