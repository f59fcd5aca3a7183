import { EngineError } from '../../shared/errors.ts';
import { tokenHash } from './access.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Accounts and auth tokens. Without an account id, the first account is meant: it exists from the start. */
export const accountHandlers = ({
  store,
  clock,
  entropy,
}: ServiceContext): Handlers<NamesOf<'accounts'> | NamesOf<'authTokens'>> => {
  const known = async (accountId: string | undefined): Promise<string | undefined> => {
    if (accountId === undefined || (await store.findAccount(accountId)) !== undefined) return accountId;
    throw new EngineError('ACCOUNT_NOT_FOUND');
  };
  const firstAccount = async (): Promise<string> => {
    const [first] = await store.listAccounts();
    if (first === undefined) throw new EngineError('ACCOUNT_NOT_FOUND');
    return first.accountId;
  };

  return {
    'accounts.create': async ({ name }) => {
      const account = { accountId: entropy.uuid(), name, createdAt: clock.now() };
      await store.createAccount(account);
      return account;
    },
    'accounts.list': () => store.listAccounts(),
    'authTokens.create': async ({ accountId, label = '' }) => {
      const owner = (await known(accountId)) ?? (await firstAccount());
      const authToken = `gd_${Buffer.from(entropy.bytes(32)).toString('base64url')}`;
      const token = { tokenId: entropy.uuid(), accountId: owner, label, createdAt: clock.now(), revokedAt: null };
      await store.createAuthToken(token, tokenHash(authToken));
      return { tokenId: token.tokenId, accountId: owner, label, authToken };
    },
    'authTokens.list': async ({ accountId }) => store.listAuthTokens(await known(accountId)),
    'authTokens.revoke': async ({ tokenId }) => {
      const token = await store.revokeAuthToken(tokenId, clock.now());
      if (token === undefined) throw new EngineError('AUTH_TOKEN_NOT_FOUND');
      return token;
    },
  };
};
