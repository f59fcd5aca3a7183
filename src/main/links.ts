import { shell } from 'electron';

/** The only places outside that the application leads to. */
export const LINKS = { erc4337: 'https://eips.ethereum.org/EIPS/eip-4337' } as const;

const listed = new Set<string>(Object.values(LINKS));

/** Opens a listed page in the browser; anything else is not opened. */
export const openLink = (url: string): void => {
  if (listed.has(url) && new URL(url).protocol === 'https:') void shell.openExternal(url);
};
