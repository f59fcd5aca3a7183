import { EngineError } from '../../shared/errors.ts';
import type { MethodContext } from './method.ts';

/**
 * Reads the params of a method that signs. If that fails, stores the refusal before answering, as for later failures,
 * so that the console shows the operator why requests of the DApp fail.
 *
 * @throws EngineError as `read` does
 */
export const reading = async <T>(
  method: string,
  received: readonly unknown[],
  { service, chainId, apiKey }: MethodContext,
  read: () => T | Promise<T>,
): Promise<T> => {
  try {
    const result = read();
    return result instanceof Promise ? await result : result;
  } catch (error) {
    if (error instanceof EngineError) await service.access.refused({ chainId, apiKey }, { method, received }, error);
    throw error;
  }
};
