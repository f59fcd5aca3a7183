import {
  biconomySponsoredPaymasterContext,
  createBicoPaymasterClient,
  toBiconomyTokenPaymasterContext,
} from '@biconomy/sdk';
import { bicoPaymasterWays } from './bico-paymaster.mjs';

export default bicoPaymasterWays({
  biconomySponsoredPaymasterContext,
  createBicoPaymasterClient,
  toBiconomyTokenPaymasterContext,
});
