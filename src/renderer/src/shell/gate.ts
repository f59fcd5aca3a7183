import { type InjectionKey, inject } from 'vue';

/** Name under which the tab stores the token. */
const STORAGE_KEY = 'gasdesk.operatorToken';

interface Doors {
  readonly prompt: (enter: Enter) => void;
  readonly enter: (token: string) => void;
}

/** Opens the console with a token, and stores it for reloads of this tab if `keep` is true. */
type Enter = (token: string, keep: boolean) => void;

/** Finds the operator token in a text: in the address that `serve` prints, in the whole line, or in the token alone. */
export const tokenIn = (text: string): string | undefined =>
  /(?:#token=|^\s*)([\w-]{43})(?=$|[\s"'&}])/.exec(text)?.[1];

/** Stores the token for reloads of this tab, or removes a stored token. */
export const keepToken = ({ sessionStorage }: Pick<Window, 'sessionStorage'>, token: string, keep: boolean): void => {
  if (keep) sessionStorage.setItem(STORAGE_KEY, token);
  else sessionStorage.removeItem(STORAGE_KEY);
};

type GateWindow = Pick<Window, 'location' | 'history' | 'sessionStorage' | 'addEventListener'>;

/**
 * Removes the operator token from the page's address, so that neither the history nor bookmarks contain it. From then
 * on, it is in memory and in the tab's session storage, so that the operator need not enter it after a reload.
 */
export const startGate = (
  { location, history, sessionStorage, addEventListener }: GateWindow,
  { prompt: ask, enter }: Doors,
): void => {
  const named = tokenIn(location.hash);
  if (location.hash.startsWith('#token=')) history.replaceState(null, '', '#/');
  // An address with a token that is pasted into this tab changes only the hash, and loads nothing. The router, which
  // does not know it, may have replaced it before.
  addEventListener('hashchange', ({ newURL }) => {
    const pasted = tokenIn(new URL(newURL).hash);
    if (pasted === undefined) return;
    keepToken({ sessionStorage }, pasted, true);
    history.replaceState(null, '', '#/');
    location.reload();
  });
  const open: Enter = (token, keep) => {
    keepToken({ sessionStorage }, token, keep);
    enter(token);
  };
  const stored = sessionStorage.getItem(STORAGE_KEY);
  if (named !== undefined) open(named, true);
  else if (stored !== null) enter(stored);
  else ask(open);
};

/** Ends the session in this tab. The page then asks for the token. */
export const signOut = ({ location, sessionStorage }: Pick<Window, 'location' | 'sessionStorage'>): void => {
  sessionStorage.removeItem(STORAGE_KEY);
  location.reload();
};

/** Reopens the console with another operator token, at the current page. Not provided in the desktop window. */
export const enterTokenKey: InjectionKey<Enter> = Symbol('enter token');

/** Lets the operator enter a new token, on a page whose token is no longer accepted. */
export const useEnterToken = (): Enter | undefined => inject(enterTokenKey, undefined);

/** True where the operator may end the session: in a browser, but not in the playground's frame. */
export const useCanSignOut = (): boolean => useEnterToken() !== undefined && window.top === window.self;
