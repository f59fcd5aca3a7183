import { type InjectionKey, inject } from 'vue';
import type { Dapp } from '../../desk/types.ts';

/** Key under which a form in a policy provides its DApp, for conditions at any depth. */
export const policyDappKey: InjectionKey<() => Dapp> = Symbol('policyDapp');

/** The DApp whose policy is being changed. Call it only where `inject` works. */
export const usePolicyDapp = (): (() => Dapp) => {
  const dapp = inject(policyDappKey);
  if (dapp === undefined) throw new Error('The form provides no DApp');
  return dapp;
};
