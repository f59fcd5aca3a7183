import type { AccountDecoder } from './account-call.ts';

/** The execute function that only Coinbase Smart Wallet has, by selector. */
export const coinbase: Readonly<Record<string, AccountDecoder>> = {
  // executeWithoutChainIdValidation(bytes[]): every item is calldata for the account itself
  '0x2c2abd1e': (args, sender) => {
    const { count, items } = args.array(0);
    return Array.from({ length: count }, (_, index) => ({
      target: sender,
      value: 0n,
      data: items.bytes(index * 32),
      operation: 'call',
    }));
  },
};
