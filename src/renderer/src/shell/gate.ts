import { type InjectionKey, inject } from 'vue';

/** Under this name the tab keeps the token. */
const KEPT = 'gasdesk.operatorToken';

/** What the page does about the operator token. */
interface Doors {
  /** Asks a person for the token. */
  readonly ask: (enter: Enter) => void;
  /** Opens the console. */
  readonly enter: (token: string) => void;
}

/** Opens the console with a token, and keeps it for reloads of this tab if that is wanted. */
type Enter = (token: string, keep: boolean) => void;

/** The operator token in text that holds it: the address that `serve` prints, the line around it, or the token alone. */
export const tokenIn = (text: string): string | undefined =>
  /(?:#token=|^\s*)([\w-]{43})(?=$|[\s"'&}])/.exec(text)?.[1];

/** Keeps the token for reloads of this tab, or sees to it that none is kept. */
export const keepToken = ({ sessionStorage }: Pick<Window, 'sessionStorage'>, token: string, keep: boolean): void => {
  if (keep) sessionStorage.setItem(KEPT, token);
  else sessionStorage.removeItem(KEPT);
};

/**
 * Takes the operator token out of the page's address, where it must not stay: neither history nor a bookmark holds it.
 * From here on it is in memory, and in the storage of this tab, which ends with it, so that a reload asks for nothing.
 */
export const startGate = (
  { location, history, sessionStorage }: Pick<Window, 'location' | 'history' | 'sessionStorage'>,
  { ask, enter }: Doors,
): void => {
  const named = tokenIn(location.hash);
  if (location.hash.startsWith('#token=')) history.replaceState(null, '', '#/');
  const open: Enter = (token, keep) => {
    keepToken({ sessionStorage }, token, keep);
    enter(token);
  };
  const kept = sessionStorage.getItem(KEPT);
  if (named !== undefined) open(named, true);
  else if (kept !== null) enter(kept);
  else ask(open);
};

/** Ends the session of this tab: the next page asks for the token. */
export const signOut = ({ location, sessionStorage }: Pick<Window, 'location' | 'sessionStorage'>): void => {
  sessionStorage.removeItem(KEPT);
  location.reload();
};

/** Opens the console anew, on the page it is on, with another operator token. Not there in the desktop window. */
export const enterTokenKey: InjectionKey<Enter> = Symbol('enter token');

/** For a page whose token is no longer accepted. */
export const useEnterToken = (): Enter | undefined => inject(enterTokenKey, undefined);
