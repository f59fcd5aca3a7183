import {
  biconomySponsoredPaymasterContext,
  createBicoPaymasterClient,
  toBiconomyTokenPaymasterContext,
} from '@biconomy/abstractjs';
import { bicoPaymasterWays } from './bico-paymaster.mjs';

export default bicoPaymasterWays({
  biconomySponsoredPaymasterContext,
  createBicoPaymasterClient,
  toBiconomyTokenPaymasterContext,
});
