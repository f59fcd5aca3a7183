import { EngineError } from '../../shared/errors.ts';
import type { Soon } from '../base/soon.ts';
import type { MethodContext } from './method.ts';

/**
 * Reads the params of a method that signs. If that fails, stores the refusal before answering, as for later failures,
 * so that the console shows the operator why requests of the DApp fail.
 *
 * @throws EngineError as `read` does
 */
export const reading = <T>(
  method: string,
  received: readonly unknown[],
  { service, chainId, apiKey }: MethodContext,
  read: () => Soon<T>,
): Soon<T> => {
  const refuse = async (error: unknown): Promise<never> => {
    if (error instanceof EngineError) await service.access.refused({ chainId, apiKey }, { method, received }, error);
    throw error;
  };
  try {
    const result = read();
    return result instanceof Promise ? result.catch(refuse) : result;
  } catch (error) {
    return refuse(error);
  }
};
