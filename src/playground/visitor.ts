import { type Provider, Wallet } from 'ethers';
import { type SimpleAccount, simpleAccount } from '../demo/simple-account.ts';
import type { Address } from '../shared/schema/hex.ts';

/** Name under which the tab stores the visitor's key. */
const STORAGE_KEY = 'gasdesk.playground.key';

/** Removes the key, so that the next visitor in this tab gets a new one. */
export const forgetVisitor = (): void => sessionStorage.removeItem(STORAGE_KEY);

/** The account of the visitor in this tab. Its key is created in the page and never leaves it. */
export const visitorAccount = (factory: Address, provider: Provider): Promise<SimpleAccount> => {
  const key = sessionStorage.getItem(STORAGE_KEY) ?? Wallet.createRandom().privateKey;
  sessionStorage.setItem(STORAGE_KEY, key);
  return simpleAccount(factory, new Wallet(key), 0n, provider);
};
