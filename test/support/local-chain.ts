import type { JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll } from 'vitest';
import { startLocalChain } from '../../src/demo/local-chain.ts';
import type { LocalChain } from '../../src/demo/local-chain.ts';
import { localProvider } from '../../src/demo/world-contracts.ts';

export type TestChain = Omit<LocalChain, 'stop'> & { readonly provider: JsonRpcProvider };

/** Gives the tests of the calling file (or `describe`) an empty local chain. Call the result inside tests. */
export const useLocalChain = (options?: { chainId?: number }): (() => TestChain) => {
  let started: (LocalChain & TestChain) | undefined;
  beforeAll(async () => {
    const chain = await startLocalChain(options);
    started = { ...chain, provider: localProvider(chain.url, chain.chainId) };
  });
  afterAll(async () => {
    started?.provider.destroy();
    await started?.stop();
  });
  return () => {
    if (started === undefined) throw new Error('The local chain runs only while tests do');
    return started;
  };
};
