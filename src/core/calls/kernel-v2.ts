import type { AccountDecoder } from './account-call.ts';
import { readCallWithOperation } from './account-call.ts';

/** The execute functions that only ZeroDev Kernel v2 has, by selector. Kernel v3 uses ERC-7579. */
export const kernelV2: Readonly<Record<string, AccountDecoder>> = {
  // execute(address,uint256,bytes,uint8); v2.2 and later revert on operation 1
  '0x51945447': (args) => [readCallWithOperation(args)],
  // executeDelegateCall(address,bytes)
  '0xb68df16d': (args) => [{ target: args.address(0), value: 0n, data: args.bytes(32), operation: 'delegatecall' }],
};
