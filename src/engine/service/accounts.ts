import type { ProcedureArguments } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import { tokenHash } from './access.ts';
import { requireDapp } from './dapps.ts';
import type { AuthToken } from '../store/registry-store.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Procedures for accounts and auth tokens. Without an account id, they use the first account, which always exists. */
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
  /** The scope requested for a token, and the account of its DApp. @throws EngineError `PAYMASTER_NOT_FOUND` */
  const scopeOf = async (
    { scope, paymasterId }: Pick<ProcedureArguments<'authTokens.create'>, 'scope' | 'paymasterId'>,
    accountId: string | undefined,
  ): Promise<Pick<AuthToken, 'scope' | 'paymasterId'> & { dappsAccount?: string }> => {
    if (paymasterId === undefined) {
      if (scope !== 'dapp') return { scope: scope ?? 'manage', paymasterId: null };
      throw new EngineError('VALIDATION', 'The scope dapp needs a DApp. Give its paymasterId');
    }
    if ((scope ?? 'dapp') !== 'dapp') {
      throw new EngineError(
        'VALIDATION',
        `The scope ${scope ?? ''} applies to all DApps. Omit the DApp, or use the scope dapp`,
      );
    }
    const dapp = await requireDapp({ store }, paymasterId);
    if (accountId !== undefined && dapp.accountId !== accountId) throw new EngineError('PAYMASTER_NOT_FOUND');
    return { scope: 'dapp', paymasterId, dappsAccount: dapp.accountId };
  };

  return {
    'accounts.create': async ({ name }) => {
      const account = { accountId: entropy.uuid(), name, createdAt: clock.now() };
      await store.createAccount(account);
      return account;
    },
    'accounts.list': () => store.listAccounts(),
    'authTokens.create': async ({ accountId, label = '', ...requested }) => {
      const { expiresAt = null } = requested;
      if (expiresAt !== null && expiresAt <= clock.now()) {
        throw new EngineError('VALIDATION', 'expiresAt must be in the future');
      }
      const { scope, paymasterId, dappsAccount } = await scopeOf(requested, await known(accountId));
      const token: AuthToken = {
        tokenId: entropy.uuid(),
        accountId: accountId ?? dappsAccount ?? (await firstAccount()),
        label,
        scope,
        paymasterId,
        createdAt: clock.now(),
        expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      };
      const authToken = `gd_${Buffer.from(entropy.bytes(32)).toString('base64url')}`;
      await store.createAuthToken(token, tokenHash(authToken));
      const { createdAt: _createdAt, lastUsedAt: _lastUsedAt, revokedAt: _revokedAt, ...made } = token;
      return { ...made, authToken };
    },
    'authTokens.list': async ({ accountId }) => store.listAuthTokens(await known(accountId)),
    'authTokens.revoke': async ({ tokenId }) => {
      const token = await store.revokeAuthToken(tokenId, clock.now());
      if (token === undefined) throw new EngineError('AUTH_TOKEN_NOT_FOUND');
      return token;
    },
  };
};
