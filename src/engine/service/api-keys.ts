import { EngineError } from '../../shared/errors.ts';
import { newKey } from './new-api-key.ts';
import { requireDapp } from './dapps.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Procedures for the API keys of DApps. */
export const apiKeyHandlers = (context: ServiceContext): Handlers<NamesOf<'apiKeys'>> => {
  const { store, clock } = context;
  return {
    'apiKeys.create': async ({ paymasterId, label = '' }) => {
      await requireDapp(context, paymasterId);
      const key = newKey(context, paymasterId, label);
      await store.createApiKey(key);
      return key;
    },
    'apiKeys.list': async ({ paymasterId }) => {
      await requireDapp(context, paymasterId);
      return store.listApiKeys(paymasterId);
    },
    'apiKeys.revoke': async ({ paymasterId, keyId }) => {
      await requireDapp(context, paymasterId);
      const isOwn = (await store.listApiKeys(paymasterId)).some((key) => key.keyId === keyId);
      const key = isOwn ? await store.revokeApiKey(keyId, clock.now()) : undefined;
      if (key === undefined) throw new EngineError('API_KEY_NOT_FOUND');
      return key;
    },
  };
};
