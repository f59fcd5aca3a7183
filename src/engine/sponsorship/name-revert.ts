import { customErrorWords } from '../../core/contract-abi/custom-errors.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { EngineError } from '../../shared/errors.ts';
import { isHex } from '../../shared/schema/hex.ts';
import { shown } from '../chain/gas/failure.ts';

/**
 * The error of a failed estimate, with the name and the arguments of the custom error that the call reverts with, if an
 * ABI of the DApp declares it. Any other error stays as it is.
 */
export const nameRevert = (error: unknown, policy: Policy): unknown => {
  if (!(error instanceof EngineError)) return error;
  const { revertData, reason } = error.data;
  if (typeof revertData !== 'string' || !isHex(revertData) || typeof reason !== 'string') return error;
  const words = customErrorWords(policy, revertData);
  if (words === undefined) return error;
  const named = shown(words);
  return new EngineError(
    error.code,
    error.message.replace(reason, () => named),
    { ...error.data, reason: named },
    { cause: error },
  );
};
