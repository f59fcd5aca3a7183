import type { AccountDecoder } from './account-call.ts';
import { readCallWithOperation } from './account-call.ts';

const executeUserOp: AccountDecoder = (args) => [readCallWithOperation(args)];

/** The execute functions of Safe4337Module v0.2.0 and v0.3.0, by selector. */
export const safe: Readonly<Record<string, AccountDecoder>> = {
  // executeUserOp(address,uint256,bytes,uint8)
  '0x7bb37428': executeUserOp,
  // executeUserOpWithErrorString(address,uint256,bytes,uint8)
  '0x541d63c8': executeUserOp,
};
