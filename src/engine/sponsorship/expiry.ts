import { EngineError } from '../../shared/errors.ts';
import type { Dapp } from '../store/registry-store.ts';

/** A long validity reserves the tank for as long. @throws EngineError `VALIDATION` */
export const checkExpiry = (
  { maxExpirySeconds }: Pick<Dapp, 'maxExpirySeconds'>,
  { expiryDuration }: { expiryDuration: number },
): void => {
  if (expiryDuration <= maxExpirySeconds) return;
  const message = `expiryDuration (or validForSeconds) must be at most ${maxExpirySeconds}, the maximum that the operator allows this DApp`;
  throw new EngineError('VALIDATION', message, { errors: [message] });
};
