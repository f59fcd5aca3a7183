import { EngineError } from '../../../../shared/errors.ts';
import type { Transport } from '../../transport/transport.ts';

/** The chain of the node at a URL. @throws EngineError `VALIDATION` if no node answers there */
export const identifyChain = async (transport: Pick<Transport, 'call'>, url: string): Promise<number> => {
  const { chainId } = await transport.call('chains.identify', { url });
  if (chainId === null) throw new EngineError('VALIDATION', 'No node answers at this URL. Check it, and save again.');
  return chainId;
};
