import type { AccountDecoder } from './account-call.ts';
import { readCall } from './account-call.ts';

/** The execute function that only MetaMask's Hybrid and Stateless7702 accounts have, by selector. */
export const metamask: Readonly<Record<string, AccountDecoder>> = {
  // execute((address,uint256,bytes))
  '0x5c1c6dcd': (args) => [readCall(args.tail(0))],
};
