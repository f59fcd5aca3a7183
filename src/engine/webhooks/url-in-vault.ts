import { createHmac } from 'node:crypto';
import { hasCredentials, hideCredentials, isHidden, needsMark } from '../../core/webhooks/hidden-credentials.ts';
import { EngineError } from '../../shared/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Vault } from '../signer/vault.ts';

const nameOf = (webhookId: string): string => `webhook.${webhookId}.url`;

const MARK_DIGITS = 8;

/**
 * The form of a webhook's URL that is stored and shown unencrypted. If a hidden part affects the destination, a suffix
 * depends on that part, so that changing it creates a new revision of the policy. Without the vault, the hidden part
 * cannot be guessed from the suffix.
 *
 * @throws EngineError `VAULT_LOCKED`; `VALIDATION` for a URL in its shown form
 */
export const shownWebhookUrl = (vault: Vault, webhookId: string, url: string): string => {
  if (!hasCredentials(url)) return url;
  if (isHidden(url)) {
    const error = 'webhookUrl must be the whole URL: [secret] takes the place of what Gasdesk does not show';
    throw new EngineError('VALIDATION', error, { errors: [error] });
  }
  const shown = hideCredentials(url);
  if (!needsMark(shown)) return shown;
  const mark = createHmac('sha256', vault.webhookSecret(webhookId).reveal()).update(url).digest('hex');
  return `${shown}#${mark.slice(0, MARK_DIGITS)}`;
};

/**
 * Stores a webhook's URL in the vault if it contains secrets.
 *
 * @returns the form that is stored and shown unencrypted
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
    throw new EngineError('VAULT_LOCKED', 'The vault does not contain the URL of a webhook. Enter the URL again');
  return url.reveal();
};

/** The URL as its owner sees it: in full if the vault is unlocked. */
export const ownersWebhookUrl = (vault: Vault, webhookId: string, shown: string): string =>
  vault.state === 'unlocked' && isHidden(shown) ? (vault.get(nameOf(webhookId))?.reveal() ?? shown) : shown;

/** Deletes a webhook's data from the vault. If the vault is locked, the data stays in it, but is no longer used. */
export const forgetWebhookUrl = async (vault: Vault, webhookId: string): Promise<void> => {
  if (vault.state === 'unlocked') await vault.delete(nameOf(webhookId));
};
