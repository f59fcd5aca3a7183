import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';
import type { Places } from './use-places.ts';

/** Where SDKs expect SimpleAccount's factory. */
const FACTORIES: Partial<Record<EntryPointVersion, string>> = {
  '0.6': '0x9406Cc6185a346906296840746125a0E44976454',
  '0.7': '0x91E60e0613810449d098b0b5Ec8b51A0FE8c8985',
};

/** Puts the contracts that SDKs use by default where public chains have them. */
export const asOnPublicChains = async ({ world, of }: Pick<Places, 'world' | 'of'>): Promise<void> => {
  const { provider } = world.chain;
  for (const [version, address] of Object.entries(FACTORIES)) {
    await provider.send('anvil_setCode', [address, await provider.getCode(of[version as EntryPointVersion].factory)]);
  }
};
