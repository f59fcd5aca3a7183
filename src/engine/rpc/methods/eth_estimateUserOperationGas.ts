import { bundlerMethod } from '../bundler-method.ts';
import { entryPointParam, userOperationParam } from '../common-params.ts';
import { exampleEntryPoint, exampleOperationV07 } from '../examples.ts';

export const ethEstimateUserOperationGas = bundlerMethod({
  method: 'eth_estimateUserOperationGas',
  summary: 'estimate the gas limits of an operation',
  params: [userOperationParam, entryPointParam],
  example: {
    params: [exampleOperationV07, exampleEntryPoint],
    result: { preVerificationGas: '0x1267c', verificationGasLimit: '0xdf21', callGasLimit: '0x1a930' },
  },
});
