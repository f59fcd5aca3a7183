import { createHash } from 'node:crypto';
import { EngineError } from '../../shared/errors.ts';
import { type Soon, soon } from '../base/soon.ts';
import type { AuthToken, Dapp } from '../store/registry-store.ts';

export type { AuthToken, Dapp } from '../store/registry-store.ts';
import type { UnreadRequest } from '../sponsorship/failed-draft.ts';
import { recordRefusal } from '../sponsorship/recording.ts';
import { createLastUses } from './last-uses.ts';
import type { ServiceContext } from './service.ts';

/** The stored form of an auth token: SHA-256 is sufficient for 256 random bits. */
export const tokenHash = (authToken: string): string => createHash('sha256').update(authToken).digest('hex');

type RefusedRequest = Omit<UnreadRequest, 'dapp' | 'isBlanked'>;

/** Identifies the caller by a request's credentials, before its body is read. */
export interface Access {
  /** The chain of the DApp with this API key. */
  chainOf(apiKey: string): Soon<number | undefined>;
  /** The `paymasterId` of the DApp on the chain that has this API key. This counts as a use of the key. */
  idOnChain(chainId: number, apiKey: string): Soon<string | undefined>;
  /**
   * Records that a request for a known DApp was refused before it could be parsed. Ignores requests for unknown DApps.
   */
  refused(caller: { chainId: number; apiKey: string }, request: RefusedRequest, error: EngineError): Promise<void>;
  /**
   * The account and scope of an auth token. This counts as a use of the token.
   *
   * @throws EngineError `INVALID_AUTH_TOKEN` if the token is unknown or revoked, `AUTH_TOKEN_EXPIRED`
   */
  token(authToken: string): Promise<AuthToken>;
  /**
   * The DApp of an API key, if the token allows access to it. This counts as a use of the key.
   *
   * @throws EngineError `INVALID_API_KEY` if the key is unknown or belongs to another account; `AUTH_TOKEN_SCOPE` if
   * the token is for another DApp
   */
  dapp(token: Pick<AuthToken, 'accountId' | 'paymasterId'>, apiKey: string): Promise<Dapp>;
}

/** Access checks on the store. */
export const createAccess = (
  context: Pick<ServiceContext, 'store' | 'clock' | 'entropy' | 'config' | 'log'>,
): Access => {
  const { store, clock } = context;
  const uses = createLastUses(context);
  const keyUsed = (apiKey: string): void => uses.note(apiKey, (at) => store.recordKeyUse(apiKey, at));
  return {
    chainOf: (apiKey) => soon(store.findDappByApiKey(apiKey), (dapp) => dapp?.chainId),
    idOnChain: (chainId, apiKey) =>
      soon(store.findDappByApiKey(apiKey), (dapp) => {
        if (dapp?.chainId !== chainId) return undefined;
        keyUsed(apiKey);
        return dapp.paymasterId;
      }),
    async refused({ chainId, apiKey }, request, error) {
      const dapp = await store.findDappByApiKey(apiKey);
      if (dapp?.chainId !== chainId) return;
      const isBlanked = context.config.blankWebhookData;
      await recordRefusal(context, { dapp, isBlanked, ...request }, error);
    },
    async token(authToken) {
      const token = await store.findAuthToken(tokenHash(authToken));
      if (token === undefined) throw new EngineError('INVALID_AUTH_TOKEN');
      if (token.expiresAt !== null && token.expiresAt <= clock.now()) throw new EngineError('AUTH_TOKEN_EXPIRED');
      uses.note(token.tokenId, (at) => store.recordTokenUse(token.tokenId, at));
      return token;
    },
    async dapp({ accountId, paymasterId }, apiKey) {
      const dapp = await store.findDappByApiKey(apiKey);
      if (dapp?.accountId !== accountId) throw new EngineError('INVALID_API_KEY');
      if (paymasterId !== null && dapp.paymasterId !== paymasterId) throw new EngineError('AUTH_TOKEN_SCOPE');
      keyUsed(apiKey);
      return dapp;
    },
  };
};
