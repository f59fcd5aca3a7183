import { type Provider, Wallet } from 'ethers';
import { type SimpleAccount, simpleAccount } from '../demo/simple-account.ts';
import type { Address } from '../shared/schema/hex.ts';

/** The tab keeps the visitor's key under this name. */
const KEPT = 'gasdesk.playground.key';

/** The next visitor of this tab gets a new key. */
export const forgetVisitor = (): void => sessionStorage.removeItem(KEPT);

/** The account of this tab's visitor. Its key is made in the page and never leaves it. */
export const visitorAccount = (factory: Address, provider: Provider): Promise<SimpleAccount> => {
  const key = sessionStorage.getItem(KEPT) ?? Wallet.createRandom().privateKey;
  sessionStorage.setItem(KEPT, key);
  return simpleAccount(factory, new Wallet(key), 0n, provider);
};
