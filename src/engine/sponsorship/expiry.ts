import { EngineError } from '../../shared/errors.ts';
import type { Dapp } from '../store/registry-store.ts';

/**
 * Limits the validity, because an operation can reserve a part of the tank for that long. @throws EngineError
 * `VALIDATION`
 */
export const checkExpiry = (
  { maxExpirySeconds }: Pick<Dapp, 'maxExpirySeconds'>,
  { expiryDuration }: { expiryDuration: number },
): void => {
  if (expiryDuration <= maxExpirySeconds) return;
  const message = `expiryDuration (or validForSeconds) must be at most ${maxExpirySeconds}, the maximum that the operator allows this DApp`;
  throw new EngineError('VALIDATION', message, { errors: [message] });
};
