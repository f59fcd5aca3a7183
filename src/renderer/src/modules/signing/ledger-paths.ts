/**
 * How accounts are numbered: Ledger Live counts BIP-44 accounts; older programs count the addresses of the first
 * account.
 */
export type PathScheme = 'ledger-live' | 'legacy';

/** BIP-32 path of an Ethereum account on a Ledger, e.g. `m/44'/60'/0'/0/0`. @param index from 0 */
export const ledgerPath = (scheme: PathScheme, index: number): string =>
  scheme === 'ledger-live' ? `m/44'/60'/${index}'/0/0` : `m/44'/60'/0'/${index}`;
