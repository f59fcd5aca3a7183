import { type Provider, Wallet } from 'ethers';
import { type SimpleAccount, simpleAccount } from '../demo/simple-account.ts';
import type { Address } from '../shared/schema/hex.ts';

/** Under this name the tab keeps the visitor's key. */
const KEPT = 'gasdesk.playground.key';

/** The next visitor of this tab is a new one. */
export const forgetVisitor = (): void => sessionStorage.removeItem(KEPT);

/** The account of whoever sits before this tab: a key made in the page, which stays in it. */
export const visitorAccount = (factory: Address, provider: Provider): Promise<SimpleAccount> => {
  const key = sessionStorage.getItem(KEPT) ?? Wallet.createRandom().privateKey;
  sessionStorage.setItem(KEPT, key);
  return simpleAccount(factory, new Wallet(key), 0n, provider);
};
