import { expect, test } from 'vitest';
import { factsWith, rpcOperationV07With } from '../../../test/support/facts.ts';
import { decided } from '../../../test/support/situation.ts';
import { entryPoint07 } from '../entry-points/0.7.ts';
import { assumedSchedule } from '../gas-schedules/schedules.ts';
import { largest } from '../worst-case/largest.ts';
import { dependsOnUse } from './bundler-surplus.ts';
import { fromRpcUserOperation } from './rpc-user-operation.ts';

test('the use of gas is read for exactly those operations that would be denied without it', () => {
  const { chain } = factsWith();
  const read = (callGasLimit: bigint): boolean => {
    const op = fromRpcUserOperation(rpcOperationV07With({ callGasLimit }));
    return dependsOnUse({ op, entryPoint: entryPoint07, schedule: assumedSchedule, chain, isPaidInToken: false });
  };
  const codeOf = (callGasLimit: bigint): string | undefined =>
    decided({ dapp: { version: 'verifying-0.7' }, facts: { op: rpcOperationV07With({ callGasLimit }) } }).reason?.code;
  const most = largest(0n, (callGasLimit) => !read(callGasLimit))!;
  expect([most, most + 1n].map(codeOf)).toEqual([undefined, 'CALL_GAS_TOO_HIGH']);
});
