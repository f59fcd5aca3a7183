import { afterAll, beforeAll } from 'vitest';
import { type Alto, findAlto, startAlto } from '../../src/demo/alto.ts';
import { devWallet } from '../../src/demo/world-contracts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import type { TestChain } from './local-chain.ts';

const start = async ({ url: rpc, provider }: TestChain, entryPoints: readonly Address[]): Promise<Alto> => {
  const key = (index: number): Hex => devWallet(index, provider).privateKey as Hex;
  const script = await findAlto(() => undefined);
  return startAlto({ script, rpc, entryPoints, keys: { executor: key(8), utility: key(9) } });
};

/** Gives the tests of the calling file (or `describe`) alto on a local chain. Call the result inside tests. */
export const useAlto = (chain: () => TestChain, entryPoints: () => readonly Address[]): (() => Omit<Alto, 'stop'>) => {
  let alto: Alto | undefined;
  beforeAll(async () => {
    alto = await start(chain(), entryPoints());
  });
  afterAll(() => alto?.stop());
  return () => {
    if (alto === undefined) throw new Error('The bundler runs only while tests do');
    return alto;
  };
};
