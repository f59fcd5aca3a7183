import { createHash } from 'node:crypto';
import { EngineError } from '../../shared/errors.ts';
import type { Paymaster } from '../store/registry-store.ts';

export type { Paymaster } from '../store/registry-store.ts';
import type { UnreadRequest } from '../sponsorship/failed-draft.ts';
import { recordRefusal } from '../sponsorship/recording.ts';
import type { ServiceContext } from './service.ts';

/** The form in which auth tokens are stored: SHA-256, enough for 256 random bits. */
export const tokenHash = (authToken: string): string => createHash('sha256').update(authToken).digest('hex');

/** What is known of a request that could not be read. */
type RefusedRequest = Omit<UnreadRequest, 'paymaster' | 'isBlanked'>;

/** Tells who is calling from the credentials of a request, before its body is read. */
export interface Access {
  /** True if there is a DApp on the chain with this API key. */
  isApiKey(chainId: number, apiKey: string): Promise<boolean>;
  /** Stores that a request of a DApp was refused before it could be read as one for sponsorship; nothing for others. */
  refused(caller: { chainId: number; apiKey: string }, request: RefusedRequest, error: EngineError): Promise<void>;
  /** @throws EngineError `INVALID_AUTH_TOKEN` if the token is unknown or revoked */
  account(authToken: string): Promise<string>;
  /** @throws EngineError `INVALID_API_KEY` if the key is unknown or of another account */
  dapp(accountId: string, apiKey: string): Promise<Paymaster>;
}

/** Access checks on the store. */
export const createAccess = (context: Pick<ServiceContext, 'store' | 'clock' | 'entropy' | 'config'>): Access => {
  const { store } = context;
  return {
    async isApiKey(chainId, apiKey) {
      return (await store.findPaymasterByApiKey(apiKey))?.chainId === chainId;
    },
    async refused({ chainId, apiKey }, request, error) {
      const paymaster = await store.findPaymasterByApiKey(apiKey);
      if (paymaster?.chainId !== chainId) return;
      const isBlanked = context.config.blankWebhookData;
      await recordRefusal(context, { paymaster, isBlanked, ...request }, error);
    },
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
  };
};
