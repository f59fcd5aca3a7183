import type { JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll } from 'vitest';
import { startLocalChain } from '../../src/demo/local-chain.ts';
import type { LocalChain } from '../../src/demo/local-chain.ts';
import { localProvider } from '../../src/demo/world-contracts.ts';

/** A local chain and a provider connected to it. */
export type TestChain = Omit<LocalChain, 'stop'> & { readonly provider: JsonRpcProvider };

/** Gives the tests of the file (or `describe`) that calls it an empty local chain. The result is for inside tests. */
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
