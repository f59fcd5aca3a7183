import { EngineError } from '../../shared/errors.ts';
import type { MethodContext } from './method.ts';

/**
 * Reads the params of a method that signs. A refusal is stored before it is answered, as whatever fails later is: the
 * operator sees in the console why his DApp's requests come to nothing.
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
    if (error instanceof EngineError) {
      const { code, message, data } = error;
      const fix = typeof data['fix'] === 'string' ? data['fix'] : undefined;
      await service.run('sponsorship.refused', { chainId, apiKey, method, received, code, message, fix });
    }
    throw error;
  }
};
