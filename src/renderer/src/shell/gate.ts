import { type InjectionKey, inject } from 'vue';

/** What the page does about the operator token. */
interface Doors {
  /** Asks a person for the token. */
  readonly ask: (enter: (token: string) => void) => void;
  /** Opens the console. */
  readonly enter: (token: string) => void;
}

/** The operator token in text that holds it: the address that `serve` prints, the line around it, or the token alone. */
export const tokenIn = (text: string): string | undefined =>
  /(?:#token=|^\s*)([\w-]{43})(?=$|[\s"'&}])/.exec(text)?.[1];

/**
 * Takes the operator token out of the page's address, where it must not stay: from here on it is in memory only, and
 * neither history nor a bookmark holds it.
 */
export const startGate = ({ location, history }: Pick<Window, 'location' | 'history'>, { ask, enter }: Doors): void => {
  const token = tokenIn(location.hash);
  if (location.hash.startsWith('#token=')) history.replaceState(null, '', '#/');
  if (token === undefined) ask(enter);
  else enter(token);
};

/** Opens the console anew, on the page it is on, with another operator token. Not there in the desktop window. */
export const enterTokenKey: InjectionKey<(token: string) => void> = Symbol('enter token');

/** For a page whose token is no longer accepted. */
export const useEnterToken = (): ((token: string) => void) | undefined => inject(enterTokenKey, undefined);
