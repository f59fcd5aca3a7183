import { biconomyGasPriceMethod } from '../gas-price.ts';

export const biconomyGetGasFeeValues = biconomyGasPriceMethod('biconomy_getGasFeeValues');
