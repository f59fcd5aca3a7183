import type { Dapp } from '../../desk/types.ts';

/** Where a DApp's clients ask. Without an address of the service, what has to be put before it is left to the reader. */
export const paymasterUrl = (serviceUrl: string | null | undefined, { chainId, apiKey }: Dapp): string =>
  `${serviceUrl ?? ''}/api/v2/${chainId}/${apiKey}`;
