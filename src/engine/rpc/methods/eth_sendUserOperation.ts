import { bundlerMethod } from '../bundler-method.ts';
import { entryPointParam, userOperationParam } from '../common-params.ts';
import { exampleEntryPoint, exampleOperationV07, examplePaymasterFields, exampleUserOpHash } from '../examples.ts';

export const ethSendUserOperation = bundlerMethod({
  method: 'eth_sendUserOperation',
  summary: 'send an operation',
  params: [userOperationParam, entryPointParam],
  example: {
    params: [{ ...exampleOperationV07, ...examplePaymasterFields }, exampleEntryPoint],
    result: exampleUserOpHash,
  },
});
