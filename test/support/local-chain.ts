import type { JsonRpcProvider } from 'ethers';
import { startLocalChain } from '../../src/demo/local-chain.ts';
import type { LocalChain } from '../../src/demo/local-chain.ts';
import { localProvider } from '../../src/demo/world-contracts.ts';
import { useFixture } from './fixture.ts';

export type TestChain = Omit<LocalChain, 'stop'> & { readonly provider: JsonRpcProvider };

/** Gives the tests of the calling file (or `describe`) an empty local chain. Call the result inside tests. */
export const useLocalChain = (options?: { chainId?: number }): (() => TestChain) =>
  useFixture(
    async () => {
      const chain = await startLocalChain(options);
      return { ...chain, provider: localProvider(chain.url, chain.chainId) };
    },
    async (started) => {
      started?.provider.destroy();
      await started?.stop();
    },
  );
