import type { PaymasterVersion } from '../../desk/types.ts';

/** What stands in place of a funding wallet. Where all DApps share the deposit of the contract, none is missing. */
export const noFundingWallet = (version: PaymasterVersion | undefined): string =>
  version?.hasTanks === false ? 'Not needed' : 'Not set';
