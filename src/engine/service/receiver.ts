import { EngineError } from '../../shared/errors.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Procedures for the local receiver, which is used for trying webhooks. */
export const receiverHandlers = ({ store, vault, receiver }: ServiceContext): Handlers<NamesOf<'receiver'>> => {
  const checkWith = async (webhookId: string): Promise<void> => {
    if (!(await store.isWebhook(webhookId))) throw new EngineError('WEBHOOK_NOT_FOUND');
    receiver.checkWith({ webhookId, secret: vault.webhookSecret(webhookId) });
  };
  return {
    'receiver.start': async () => {
      await receiver.start();
      return receiver.state();
    },
    'receiver.get': async () => receiver.state(),
    'receiver.set': async ({ behaviour, webhookId }) => {
      if (webhookId === null) receiver.checkWith(undefined);
      else if (webhookId !== undefined) await checkWith(webhookId);
      if (behaviour !== undefined) receiver.behave(behaviour);
      return receiver.state();
    },
    'receiver.stop': async () => {
      await receiver.stop();
      return receiver.state();
    },
  };
};
