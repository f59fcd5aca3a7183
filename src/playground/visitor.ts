import { type Provider, Wallet } from 'ethers';
import { type SimpleAccount, simpleAccount } from '../demo/simple-account.ts';
import type { Address } from '../shared/schema/hex.ts';

/** The tab keeps the visitor's key under this name. */
const STORAGE_KEY = 'gasdesk.playground.key';

/** The next visitor of this tab gets a new key. */
export const forgetVisitor = (): void => sessionStorage.removeItem(STORAGE_KEY);

/** The account of this tab's visitor. Its key is made in the page and never leaves it. */
export const visitorAccount = (factory: Address, provider: Provider): Promise<SimpleAccount> => {
  const key = sessionStorage.getItem(STORAGE_KEY) ?? Wallet.createRandom().privateKey;
  sessionStorage.setItem(STORAGE_KEY, key);
  return simpleAccount(factory, new Wallet(key), 0n, provider);
};
