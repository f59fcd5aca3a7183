import type { AccountDecoder } from './account-call.ts';
import { readCall, readCallTuples, readTargetsAndData, readTargetsValuesAndData } from './account-call.ts';

/**
 * The execute functions of SimpleAccount v0.6, v0.7 and v0.8, by selector. LightAccount, Alchemy Modular Account,
 * Coinbase Smart Wallet, Biconomy V2 and Kernel v2 either give them the same meaning or revert.
 */
export const simpleAccount: Readonly<Record<string, AccountDecoder>> = {
  // execute(address,uint256,bytes)
  '0xb61d27f6': (args) => [readCall(args)],
  // executeBatch(address[],bytes[])
  '0x18dfb3c7': readTargetsAndData,
  // executeBatch(address[],uint256[],bytes[])
  '0x47e1da2a': (args) => readTargetsValuesAndData(args, true),
  // executeBatch((address,uint256,bytes)[])
  '0x34fcd5be': readCallTuples,
};
