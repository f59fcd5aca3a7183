import { gasPriceMethod } from '../gas-price.ts';

export const pimlicoGetUserOperationGasPrice = gasPriceMethod('pimlico_getUserOperationGasPrice');
