import { shell } from 'electron';
import { knownChains } from '../shared/chains.ts';

/** The external pages that the application may open, in addition to block explorers. */
export const LINKS = { erc4337: 'https://eips.ethereum.org/EIPS/eip-4337' } as const;

const listed = new Set<string>(Object.values(LINKS));
const explorers = new Set([...knownChains.values()].map(({ explorer }) => explorer));

/** True for a transaction or a block in the explorer of a built-in chain (EIP-3091). */
const isExplored = (url: string): boolean => {
  const { origin, pathname, search, hash } = new URL(url);
  return explorers.has(origin) && /^\/(?:tx\/0x[\da-f]{64}|block\/\d+)$/.test(pathname) && search + hash === '';
};

/** Opens a page in the browser, if it is listed above or belongs to a block explorer. */
export const openLink = (url: string): void => {
  if (listed.has(url) || (URL.canParse(url) && isExplored(url))) void shell.openExternal(url);
};
