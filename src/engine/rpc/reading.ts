import { EngineError } from '../../shared/errors.ts';
import type { MethodContext } from './method.ts';

/**
 * Reads the params of a method that signs. A refusal is stored before it is answered, as whatever fails later is: the
 * operator sees in the console why requests of the DApp come to nothing.
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
    return await read();
  } catch (error) {
    if (error instanceof EngineError) await service.access.refused({ chainId, apiKey }, { method, received }, error);
    throw error;
  }
};
