import { gasPriceMethod } from '../gas-price.ts';

export const zdGetUserOperationGasPrice = gasPriceMethod('zd_getUserOperationGasPrice');
