import { noteChange } from '../base/caller.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/**
 * Procedures for the operator's keys: local keystores, and wallets on this machine. Passwords are neither passed on nor
 * stored.
 */
export const keyHandlers = ({
  keystores,
  wallets,
  log,
}: ServiceContext): Handlers<NamesOf<'keystores'> | NamesOf<'wallets'>> => ({
  'keystores.list': async () => keystores.list(),
  'keystores.create': async ({ label, password }) => {
    const made = await keystores.create(label, password);
    log.info('keystore.created', { address: made.address });
    noteChange({ subject: 'keystore', id: made.address, before: null, after: label });
    return made;
  },
  'keystores.import': async ({ label, keystore, password }) => {
    const made = await keystores.import(label, keystore, password);
    log.info('keystore.imported', { address: made.address });
    noteChange({ subject: 'keystore', id: made.address, before: null, after: label });
    return made;
  },
  'keystores.export': async ({ address }) => {
    const file = keystores.export(address);
    log.info('keystore.exported', { address });
    noteChange({ subject: 'keystore', id: address, before: 'kept', after: 'exported' });
    return file;
  },
  'keystores.remove': async ({ address, password }) => {
    await keystores.remove(address, password);
    log.info('keystore.removed', { address });
    noteChange({ subject: 'keystore', id: address, before: 'kept', after: null });
    return null;
  },
  'wallets.accounts': async ({ url }) => ({ accounts: await wallets.accounts(url) }),
});
