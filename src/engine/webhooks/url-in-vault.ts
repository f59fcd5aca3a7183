import { IN_VAULT, hasCredentials, hideCredentials } from '../../core/webhooks/hidden-credentials.ts';
import { EngineError } from '../../shared/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Vault } from '../signer/vault.ts';

const nameOf = (webhookId: string): string => `webhook.${webhookId}.url`;

/**
 * Puts the URL of a webhook into the vault if it has a user name or a password.
 *
 * @returns answers what is stored and shown in the open
 * @throws EngineError `VAULT_LOCKED`, `DATA_FOLDER_UNUSABLE`
 */
export const keepWebhookUrl = async (vault: Vault, webhookId: string, url: string): Promise<string> => {
  if (!hasCredentials(url)) return url;
  await vault.set(nameOf(webhookId), new Secret(url));
  return hideCredentials(url);
};

/** The URL to call. @throws EngineError `VAULT_LOCKED` if it is in the vault and cannot be read */
export const fullWebhookUrl = (vault: Vault, webhookId: string, shown: string): string => {
  if (!shown.includes(`//${IN_VAULT}`)) return shown;
  const url = vault.get(nameOf(webhookId));
  if (url === undefined)
    throw new EngineError(
      'VAULT_LOCKED',
      'The vault of this desk does not contain the URL of a webhook. Enter the URL again',
    );
  return url.reveal();
};

/** Forgets what the vault has of a webhook. A locked vault keeps it: it opens nothing that is still asked. */
export const forgetWebhookUrl = async (vault: Vault, webhookId: string): Promise<void> => {
  if (vault.state === 'unlocked') await vault.delete(nameOf(webhookId));
};
