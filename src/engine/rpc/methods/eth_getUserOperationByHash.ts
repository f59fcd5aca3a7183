import { bundlerMethod } from '../bundler-method.ts';
import { userOpHashParam } from '../common-params.ts';
import { exampleUserOpHash } from '../examples.ts';

export const ethGetUserOperationByHash = bundlerMethod({
  method: 'eth_getUserOperationByHash',
  summary: 'find an operation',
  params: [userOpHashParam],
  example: { params: [exampleUserOpHash], result: null },
});
