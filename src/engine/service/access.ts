import { createHash } from 'node:crypto';
import { EngineError } from '../../shared/errors.ts';
import type { Paymaster } from '../store/store.ts';

export type { Paymaster } from '../store/store.ts';
import type { ServiceContext } from './service.ts';

/** The form in which auth tokens are stored: SHA-256, enough for 256 random bits. */
export const tokenHash = (authToken: string): string => createHash('sha256').update(authToken).digest('hex');

/** Tells who is calling from the credentials of the management interface. */
export interface Access {
  /** @throws EngineError `INVALID_AUTH_TOKEN` if the token is unknown or revoked */
  account(authToken: string): Promise<string>;
  /** @throws EngineError `INVALID_API_KEY` if the key is unknown or of another account */
  dapp(accountId: string, apiKey: string): Promise<Paymaster>;
}

/** Access checks on the store. */
export const createAccess = ({ store }: Pick<ServiceContext, 'store'>): Access => ({
  async account(authToken) {
    const accountId = await store.accountOfToken(tokenHash(authToken));
    if (accountId === undefined) throw new EngineError('INVALID_AUTH_TOKEN');
    return accountId;
  },
  async dapp(accountId, apiKey) {
    const paymaster = await store.findPaymasterByApiKey(apiKey);
    if (paymaster?.accountId !== accountId) throw new EngineError('INVALID_API_KEY');
    return paymaster;
  },
});
