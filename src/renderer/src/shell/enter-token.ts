import { type InjectionKey, inject } from 'vue';

/** Opens the console anew, on the page it is on, with another operator token. Not there in the desktop window. */
export const enterTokenKey: InjectionKey<(token: string) => void> = Symbol('enter token');

/** For a page whose token is no longer accepted. */
export const useEnterToken = (): ((token: string) => void) | undefined => inject(enterTokenKey, undefined);
