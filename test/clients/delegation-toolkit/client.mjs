import { getDeleGatorEnvironment, toMetaMaskSmartAccount } from '@metamask/delegation-toolkit';
import { deployDeleGatorEnvironment } from '@metamask/delegation-toolkit/utils';
import { metaMaskWays } from './metamask.mjs';

const made = metaMaskWays({
  toMetaMaskSmartAccount,
  environmentOf: getDeleGatorEnvironment,
  deploy: deployDeleGatorEnvironment,
});

export const { accountOf } = made;
export default made.ways;
