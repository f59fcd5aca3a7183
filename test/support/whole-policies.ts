import type { OperatorPolicy } from '../../src/engine/store/policy-store.ts';
import { limitRule, smartContract, webhook } from './store-records.ts';

const many = <Item>(make: (index: number) => Item): Item[] => Array.from({ length: 30 }, (_, index) => make(index));

/** One of two policies that differ in every value, even in the number of entries. */
export const wholePolicy = (which: 'even' | 'odd'): OperatorPolicy => {
  const size = which === 'even' ? 30 : 7;
  const named = (index: number): string => `${which} ${index}`;
  const address = (index: number): `0x${string}` => `0x${String(index).padStart(40, which === 'even' ? 'e' : '0')}`;
  return {
    contracts: many((index) => {
      const { paymasterId: _, ...contract } = smartContract({ ruleId: `c ${named(index)}`, name: named(index) });
      return { ...contract, address: address(index) };
    }).slice(0, size),
    rules: many((index) => {
      const { paymasterId: _, ...rule } = limitRule({ ruleId: `r ${named(index)}`, name: named(index) });
      return rule;
    }).slice(0, size),
    webhooks: many((index) => {
      const { paymasterId: _, ...hook } = webhook({ webhookId: `w ${named(index)}` });
      return hook;
    }).slice(0, size),
    lowBalanceThresholdWei: which === 'even' ? '2' : '1',
    allowedOrigins: [`https://${which}.example`],
    maxExpirySeconds: which === 'even' ? 600 : 300,
    tokenMode: which === 'even',
  };
};
