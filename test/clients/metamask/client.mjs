import { getSmartAccountsEnvironment, toMetaMaskSmartAccount } from '@metamask/smart-accounts-kit';
import { deploySmartAccountsEnvironment } from '@metamask/smart-accounts-kit/utils';
import { metaMaskWays } from './metamask.mjs';

const made = metaMaskWays({
  toMetaMaskSmartAccount,
  environmentOf: getSmartAccountsEnvironment,
  deploy: deploySmartAccountsEnvironment,
});

export const { accountOf } = made;
export default made.ways;
