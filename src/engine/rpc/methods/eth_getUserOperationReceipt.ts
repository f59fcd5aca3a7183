import { bundlerMethod } from '../bundler-method.ts';
import { userOpHashParam } from '../common-params.ts';
import { exampleUserOpHash } from '../examples.ts';

export const ethGetUserOperationReceipt = bundlerMethod({
  method: 'eth_getUserOperationReceipt',
  summary: 'find the receipt of an operation',
  params: [userOpHashParam],
  example: { params: [exampleUserOpHash], result: null },
});
