import { createHmac } from 'node:crypto';
import { hasCredentials, hideCredentials, isHidden, needsMark } from '../../core/webhooks/hidden-credentials.ts';
import { EngineError } from '../../shared/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Vault } from '../signer/vault.ts';

const nameOf = (webhookId: string): string => `webhook.${webhookId}.url`;

const MARK_DIGITS = 8;

/**
 * What is stored and shown in the open of a webhook's URL. Where requests go by a part that is hidden, a mark at its end
 * changes with that part, so that the policy has another revision. Who does not have the vault cannot guess the part by it.
 *
 * @throws EngineError `VAULT_LOCKED`; `VALIDATION` for a URL that is none, but one that was shown
 */
export const shownWebhookUrl = (vault: Vault, webhookId: string, url: string): string => {
  if (!hasCredentials(url)) return url;
  if (isHidden(url)) {
    const fault = 'webhookUrl must be the whole URL: [secret] stands for what Gasdesk does not show';
    throw new EngineError('VALIDATION', fault, { errors: [fault] });
  }
  const shown = hideCredentials(url);
  if (!needsMark(shown)) return shown;
  const mark = createHmac('sha256', vault.webhookSecret(webhookId).reveal()).update(url).digest('hex');
  return `${shown}#${mark.slice(0, MARK_DIGITS)}`;
};

/**
 * Puts the URL of a webhook into the vault if it has secrets.
 *
 * @returns answers what is stored and shown in the open
 * @throws EngineError `VAULT_LOCKED`, `DATA_FOLDER_UNUSABLE`, `VALIDATION`
 */
export const keepWebhookUrl = async (vault: Vault, webhookId: string, url: string): Promise<string> => {
  const shown = shownWebhookUrl(vault, webhookId, url);
  if (shown !== url) await vault.set(nameOf(webhookId), new Secret(url));
  return shown;
};

/** The URL to call. @throws EngineError `VAULT_LOCKED` if it is in the vault and cannot be read */
export const fullWebhookUrl = (vault: Vault, webhookId: string, shown: string): string => {
  if (!isHidden(shown)) return shown;
  const url = vault.get(nameOf(webhookId));
  if (url === undefined)
    throw new EngineError(
      'VAULT_LOCKED',
      'The vault of this desk does not contain the URL of a webhook. Enter the URL again',
    );
  return url.reveal();
};

/** The URL for its owner: whole where the vault is unlocked. */
export const ownersWebhookUrl = (vault: Vault, webhookId: string, shown: string): string =>
  vault.state === 'unlocked' && isHidden(shown) ? (vault.get(nameOf(webhookId))?.reveal() ?? shown) : shown;

/** Forgets what the vault has of a webhook. A locked vault keeps it: it opens nothing that is still asked. */
export const forgetWebhookUrl = async (vault: Vault, webhookId: string): Promise<void> => {
  if (vault.state === 'unlocked') await vault.delete(nameOf(webhookId));
};
