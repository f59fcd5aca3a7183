import process from 'node:process';
import { getSmartAccountsEnvironment } from '@metamask/smart-accounts-kit';
import { deploySmartAccountsEnvironment } from '@metamask/smart-accounts-kit/utils';
import { deployMetaMask } from './metamask-contracts.mjs';

await deployMetaMask(
  { environmentOf: getSmartAccountsEnvironment, deploy: deploySmartAccountsEnvironment },
  process.env.RPC_URL,
);
